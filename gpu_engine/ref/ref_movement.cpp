// Operators that only move elements, of any type, as bytes.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/movement.h"
#include "graph/quantized.h"
#include "ref/kernels.h"

namespace sightglass::ref {

namespace {

// Element i of `from` goes to element to_index[i] of `to`.
void scatter(const HostTensor& from, const std::vector<int64_t>& to_index, HostTensor& to) {
  for (size_t i = 0; i < to_index.size(); ++i) copy_element(from, static_cast<int64_t>(i), to, to_index[i]);
}

template <typename T>
void fill(HostTensor& tensor, float value) {
  std::ranges::fill(tensor.as<T>(), static_cast<T>(value));
}

}  // namespace

void copy_element(const HostTensor& from, int64_t from_index, HostTensor& to, int64_t to_index) {
  const size_t size = size_of(from.type);
  std::memcpy(to.data.data() + static_cast<size_t>(to_index) * size,
              from.data.data() + static_cast<size_t>(from_index) * size, size);
}

Strides dense_strides(const Shape& shape) {
  Strides strides{};
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = stride;
    stride *= shape.dim(i);
  }
  return strides;
}

std::vector<int64_t> offsets(const Shape& shape, const Strides& strides, int64_t first) {
  std::vector<int64_t> result{first};
  for (int i = 0; i < shape.rank(); ++i) {
    std::vector<int64_t> finer;
    finer.reserve(result.size() * static_cast<size_t>(shape.dim(i)));
    for (const int64_t offset : result) {
      for (int32_t k = 0; k < shape.dim(i); ++k) finer.push_back(offset + k * strides[static_cast<size_t>(i)]);
    }
    result = std::move(finer);
  }
  return result;
}

void reshape(const Call& call, HostTensor& out) { out.data = call.input(0).data; }

void concat(const Call& call, HostTensor& out) {
  const int32_t axis = call.attributes<ConcatAttr>().axis;
  const Strides strides = dense_strides(out.shape);
  int64_t first = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    scatter(call.input(i), offsets(call.shape(i), strides, first), out);
    first += call.shape(i).dim(axis) * strides[static_cast<size_t>(axis)];
  }
}

void pad(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<PadAttr>();
  if (out.type == DataType::kFloat32) fill<float>(out, attr.value);
  if (out.type == DataType::kInt32) fill<int32_t>(out, attr.value);
  if (out.type == DataType::kInt64) fill<int64_t>(out, attr.value);
  const Strides strides = dense_strides(out.shape);
  int64_t first = 0;
  for (int i = 0; i < out.shape.rank(); ++i) {
    first += attr.before[static_cast<size_t>(i)] * strides[static_cast<size_t>(i)];
  }
  scatter(call.input(0), offsets(call.shape(0), strides, first), out);
}

void strided_slice(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<StridedSliceAttr>();
  Shape taken = call.shape(0);
  Strides strides = dense_strides(taken);
  int64_t first = 0;
  for (size_t i = 0; i < static_cast<size_t>(taken.rank()); ++i) {
    taken.set_dim(static_cast<int>(i), attr.size[i]);
    first += attr.begin[i] * strides[i];
    strides[i] *= attr.stride[i];
  }
  const std::vector<int64_t> from = offsets(taken, strides, first);
  for (size_t i = 0; i < from.size(); ++i) copy_element(call.input(0), from[i], out, static_cast<int64_t>(i));
}

void depth_to_space(const Call& call, HostTensor& out) {
  const int32_t block = call.attributes<BlockSizeAttr>().block_size;
  const Shape& in = call.shape(0);
  const Strides to = dense_strides(out.shape);
  // Input channels are block rows, block columns, output channels: the input is [b, h, w, row, column, c].
  const Shape parts{in.dim(0), in.dim(1), in.dim(2), block, block, out.shape.dim(3)};
  const Strides strides{to[0], to[1] * block, to[2] * block, to[1], to[2], to[3]};
  scatter(call.input(0), offsets(parts, strides), out);
}

namespace {

// The input coordinate, or -1 if outside.
int64_t inside(const Movement& m, const MovementDim& d, int64_t i) {
  const int64_t p = d.begin + i;
  if (m.outside == Outside::kNothing || (p >= 0 && p < d.limit)) return p;
  if (m.outside == Outside::kFill) return -1;
  const int64_t again = m.outside == Outside::kSymmetric ? 1 : 0;
  return p < 0 ? -p - again : 2 * (int64_t{d.limit} - 1) + again - p;
}

HostTensor moved_by(const Movement& m, const HostTensor& in, const HostTensor& fill) {
  HostTensor out(in.type, m.shape);
  for (int64_t i = 0; i < m.shape.elements(); ++i) {
    int64_t rest = i, place = m.first;
    bool exists = true;
    for (size_t k = m.dims.size(); k-- > 0;) {
      const MovementDim& d = m.dims[k];
      const int64_t p = inside(m, d, rest % d.size);
      exists = exists && p >= 0;
      place += p * d.stride;
      rest /= d.size;
    }
    exists ? copy_element(in, place, out, i) : copy_element(fill, 0, out, i);
  }
  return out;
}

// An output of an operator that graph/movement.h describes.
HostTensor moved(const Call& call, size_t output) {
  const Value& in = call.graph.value(call.node.inputs[0]);
  HostTensor zero(in.type, {1});
  if (is_quantized(in)) quantize(in, std::vector<float>{0.0f}, zero.data);
  HostTensor result = call.input(0);
  for (const Movement& m : movements(call.graph, call.node, output)) result = moved_by(m, result, zero);
  return result;
}

// Along one axis, in float32: rounding affects the choice of the pixel.
std::vector<int64_t> nearest(int32_t from, int32_t to, const ResizeAttr& attr) {
  const float scale = attr.scale(from, to);
  const float offset = attr.half_pixel_centers ? 0.5f : 0.0f;
  std::vector<int64_t> pixels;
  for (int32_t i = 0; i < to; ++i) {
    const float place = (static_cast<float>(i) + offset) * scale;
    const auto pixel = static_cast<int64_t>(attr.align_corners ? std::round(place) : std::floor(place));
    pixels.push_back(std::min<int64_t>(pixel, from - 1));
  }
  return pixels;
}

// Index `i` of the second input, clamped to [0, size).
int64_t index_at(const Call& call, int64_t i, int32_t size) {
  const HostTensor& indices = call.input(1);
  const auto at = static_cast<size_t>(i);
  const int64_t index =
      indices.type == DataType::kInt64 ? indices.as<int64_t>()[at] : int64_t{indices.as<int32_t>()[at]};
  return std::clamp<int64_t>(index, 0, size - 1);
}

}  // namespace

void move_by_steps(const Call& call, std::vector<HostTensor>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = moved(call, i);
}
void move_by_steps(const Call& call, HostTensor& out) { out = moved(call, 0); }

void pack(const Call& call, HostTensor& out) {
  const auto count = static_cast<int64_t>(call.inputs.size());
  int64_t inner = 1;
  for (int d = call.attributes<ConcatAttr>().axis; d < call.shape(0).rank(); ++d) inner *= call.shape(0).dim(d);
  for (int64_t i = 0; i < out.shape.elements(); ++i) {
    const int64_t source = i / inner / count * inner + i % inner;
    copy_element(call.input(static_cast<size_t>(i / inner % count)), source, out, i);
  }
}

void resize_nearest(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<ResizeAttr>();
  const Shape& in = call.shape(0);
  const std::vector<int64_t> rows = nearest(in.dim(1), out.shape.dim(1), attr);
  const std::vector<int64_t> columns = nearest(in.dim(2), out.shape.dim(2), attr);
  int64_t to = 0;
  for (int32_t b = 0; b < in.dim(0); ++b) {
    for (const int64_t y : rows) {
      for (const int64_t x : columns) {
        const int64_t pixel = (int64_t{b} * in.dim(1) + y) * in.dim(2) + x;
        for (int32_t c = 0; c < in.dim(3); ++c) copy_element(call.input(0), pixel * in.dim(3) + c, out, to++);
      }
    }
  }
}

void gather(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<GatherAttr>();
  const Shape& data = call.shape(0);
  int64_t batches = 1, inner = 1;
  for (int d = 0; d < attr.batch_dims; ++d) batches *= data.dim(d);
  for (int d = attr.axis + 1; d < data.rank(); ++d) inner *= data.dim(d);
  const int64_t count = call.shape(1).elements() / std::max<int64_t>(batches, 1);
  const int32_t size = data.dim(attr.axis);
  const int64_t outer = data.elements() / (batches * size * inner);
  for (int64_t i = 0; i < out.shape.elements(); ++i) {
    const int64_t row = i / inner / count, batch = row / outer;
    const int64_t index = index_at(call, batch * count + i / inner % count, size);
    copy_element(call.input(0), (row * size + index) * inner + i % inner, out, i);
  }
}

void gather_nd(const Call& call, HostTensor& out) {
  const Shape &data = call.shape(0), &indices = call.shape(1);
  const int depth = indices.dim(indices.rank() - 1);
  const std::vector<int64_t> strides = element_strides(data);
  const int64_t inner = strides[static_cast<size_t>(depth) - 1];
  for (int64_t i = 0; i < out.shape.elements(); ++i) {
    int64_t place = i % inner;
    for (int d = 0; d < depth; ++d) {
      place += index_at(call, i / inner * depth + d, data.dim(d)) * strides[static_cast<size_t>(d)];
    }
    copy_element(call.input(0), place, out, i);
  }
}

}  // namespace sightglass::ref
