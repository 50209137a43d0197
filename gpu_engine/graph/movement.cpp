#include "graph/movement.h"

namespace sightglass {

namespace {

Movement transpose(const TransposeAttr& attr, const Shape& in, const Shape& out) {
  const std::vector<int64_t> strides = element_strides(in);
  Movement m{out, {}};
  for (const int32_t d : attr.permutation) m.dims.push_back({in.dim(d), strides[static_cast<size_t>(d)]});
  return m;
}

Movement split(const SplitAttr& attr, const Shape& in, const Shape& out, size_t output) {
  const std::vector<int64_t> strides = element_strides(in);
  Movement m{out, {}};
  for (size_t i = 0; i < output; ++i) m.first += attr.sizes[i] * strides[static_cast<size_t>(attr.axis)];
  for (int d = 0; d < in.rank(); ++d) {
    m.dims.push_back({d == attr.axis ? attr.sizes[output] : in.dim(d), strides[static_cast<size_t>(d)]});
  }
  return m;
}

Movement tile(const TileAttr& attr, const Shape& in, const Shape& out) {
  const std::vector<int64_t> strides = element_strides(in);
  Movement m{out, {}};
  for (size_t d = 0; d < strides.size(); ++d) {
    m.dims.push_back({attr.multiples[d], 0});
    m.dims.push_back({in.dim(static_cast<int>(d)), strides[d]});
  }
  return m;
}

template <typename Attr>
Movement pad(const Attr& attr, const Shape& in, const Shape& out, Outside outside) {
  const std::vector<int64_t> strides = element_strides(in);
  Movement m{out, {}};
  m.outside = outside;
  for (size_t d = 0; d < strides.size(); ++d) {
    const int axis = static_cast<int>(d);
    m.dims.push_back({out.dim(axis), strides[d], -attr.before[d], in.dim(axis)});
  }
  return m;
}

Movement slice(const StridedSliceAttr& attr, const Shape& in, const Shape& out) {
  const std::vector<int64_t> strides = element_strides(in);
  Movement m{out, {}};
  for (size_t d = 0; d < strides.size(); ++d) {
    m.first += attr.begin[d] * strides[d];
    m.dims.push_back({attr.size[d], strides[d] * attr.stride[d]});
  }
  return m;
}

Movement space_to_depth(int32_t block, const Shape& in, const Shape& out) {
  const std::vector<int64_t> s = element_strides(in);
  return {out,
          {{out.dim(0), s[0]},
           {out.dim(1), s[1] * block},
           {out.dim(2), s[2] * block},
           {block, s[1]},
           {block, s[2]},
           {in.dim(3), s[3]}}};
}

std::vector<Movement> space_to_batch(const BatchSpaceAttr& attr, const Shape& in, const Shape& out) {
  Shape padded = in;
  PadAttr padding;
  for (size_t i = 0; i < attr.block.size(); ++i) {
    const int d = static_cast<int>(i) + 1;
    padded.set_dim(d, in.dim(d) + attr.before[i] + attr.after[i]);
    padding.before[i + 1] = attr.before[i];
  }
  std::vector<Movement> stages;
  if (padded != in) stages.push_back(pad(padding, in, padded, Outside::kFill));
  const std::vector<int64_t> strides = element_strides(padded);
  Movement m{out, {}};
  for (size_t i = 0; i < attr.block.size(); ++i) m.dims.push_back({attr.block[i], strides[i + 1]});
  m.dims.push_back({in.dim(0), strides[0]});
  for (int d = 1; d < in.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int32_t block = i <= attr.block.size() ? attr.block[i - 1] : 1;
    m.dims.push_back({out.dim(d), strides[i] * block});
  }
  stages.push_back(m);
  return stages;
}

std::vector<Movement> batch_to_space(const BatchSpaceAttr& attr, const Shape& in, const Shape& out) {
  const std::vector<int64_t> strides = element_strides(in);
  Shape whole = in;
  whole.set_dim(0, out.dim(0));
  std::vector<int64_t> block_strides(attr.block.size());
  int64_t stride = strides[0] * out.dim(0);
  for (size_t i = attr.block.size(); i-- > 0;) {
    block_strides[i] = stride;
    stride *= attr.block[i];
  }
  Movement m;
  m.dims.push_back({out.dim(0), strides[0]});
  StridedSliceAttr cropped;
  cropped.stride.fill(1);
  cropped.size[0] = out.dim(0);
  for (int d = 1; d < in.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    m.dims.push_back({in.dim(d), strides[i]});
    cropped.size[i] = out.dim(d);
    if (i > attr.block.size()) continue;
    m.dims.push_back({attr.block[i - 1], block_strides[i - 1]});
    whole.set_dim(d, in.dim(d) * attr.block[i - 1]);
    cropped.begin[i] = attr.before[i - 1];
  }
  m.shape = whole;
  std::vector<Movement> stages{m};
  if (whole != out) stages.push_back(slice(cropped, whole, out));
  return stages;
}

}  // namespace

std::vector<int64_t> element_strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape.dim(static_cast<int>(i));
  }
  return strides;
}

std::vector<Movement> movements(const Graph& graph, const Node& node, size_t output) {
  const Shape& in = graph.value(node.inputs[0]).shape;
  const Shape& out = graph.value(node.outputs[output]).shape;
  switch (node.op) {
    case OpType::kTranspose:
      return {transpose(std::get<TransposeAttr>(node.attributes), in, out)};
    case OpType::kSplit:
      return {split(std::get<SplitAttr>(node.attributes), in, out, output)};
    case OpType::kTile:
      return {tile(std::get<TileAttr>(node.attributes), in, out)};
    case OpType::kMirrorPad: {
      const auto& attr = std::get<MirrorPadAttr>(node.attributes);
      return {pad(attr, in, out, attr.symmetric ? Outside::kSymmetric : Outside::kReflect)};
    }
    case OpType::kSpaceToDepth:
      return {space_to_depth(std::get<DepthToSpaceAttr>(node.attributes).block_size, in, out)};
    case OpType::kSpaceToBatch:
      return space_to_batch(std::get<BatchSpaceAttr>(node.attributes), in, out);
    case OpType::kBatchToSpace:
      return batch_to_space(std::get<BatchSpaceAttr>(node.attributes), in, out);
    case OpType::kPad: {
      Movement m = pad(std::get<PadAttr>(node.attributes), in, out, Outside::kFill);
      m.fill = std::get<PadAttr>(node.attributes).value;
      return {m};
    }
    case OpType::kStridedSlice:
      return {slice(std::get<StridedSliceAttr>(node.attributes), in, out)};
    default:
      return {};
  }
}

Movement simplified(Movement movement) {
  std::vector<MovementDim> dims;
  const auto free = [&](const MovementDim& d) {
    return movement.outside == Outside::kNothing || (d.begin == 0 && d.size <= d.limit);
  };
  for (const MovementDim& d : movement.dims) {
    if (free(d) && d.size == 1) continue;
    const bool joins = !dims.empty() && free(d) && free(dims.back()) && dims.back().stride == d.stride * d.size;
    if (joins) {
      dims.back() = {dims.back().size * d.size, d.stride};
    } else {
      dims.push_back(free(d) ? MovementDim{d.size, d.stride} : d);
    }
  }
  movement.dims = dims;
  return movement;
}

}  // namespace sightglass
