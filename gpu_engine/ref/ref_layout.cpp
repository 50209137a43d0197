// Operators that only move elements, of any type, as bytes.
#include <algorithm>
#include <cstring>

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
  const int32_t block = call.attributes<DepthToSpaceAttr>().block_size;
  const Shape& in = call.shape(0);
  const Strides to = dense_strides(out.shape);
  // Input channels are block rows, block columns, output channels: the input is [b, h, w, row, column, c].
  const Shape parts{in.dim(0), in.dim(1), in.dim(2), block, block, out.shape.dim(3)};
  const Strides strides{to[0], to[1] * block, to[2] * block, to[1], to[2], to[3]};
  scatter(call.input(0), offsets(parts, strides), out);
}

}  // namespace sightglass::ref
