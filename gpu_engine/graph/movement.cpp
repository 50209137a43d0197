#include "graph/movement.h"

#include "graph/operator_table.h"

namespace sightglass {

namespace {

using Stages = std::vector<Movement>;

// A node, the shapes of its first input and of one output, and the index of that output.
struct Move {
  const Node& node;
  const Shape &in, &out;
  size_t output;

  template <typename Attr>
  const Attr& attributes() const {
    return std::get<Attr>(node.attributes);
  }
};

Stages transpose(const Move& move) {
  const std::vector<int64_t> strides = element_strides(move.in);
  Movement m{move.out, {}};
  for (const int32_t d : move.attributes<TransposeAttr>().permutation) {
    m.dims.push_back({move.in.dim(d), strides[static_cast<size_t>(d)]});
  }
  return {m};
}

Stages split(const Move& move) {
  const auto& attr = move.attributes<SplitAttr>();
  const Shape& in = move.in;
  const std::vector<int64_t> strides = element_strides(in);
  Movement m{move.out, {}};
  for (size_t i = 0; i < move.output; ++i) m.first += attr.sizes[i] * strides[static_cast<size_t>(attr.axis)];
  for (int d = 0; d < in.rank(); ++d) {
    m.dims.push_back({d == attr.axis ? attr.sizes[move.output] : in.dim(d), strides[static_cast<size_t>(d)]});
  }
  return {m};
}

Stages tile(const Move& move) {
  const std::vector<int64_t> strides = element_strides(move.in);
  Movement m{move.out, {}};
  for (size_t d = 0; d < strides.size(); ++d) {
    m.dims.push_back({move.attributes<TileAttr>().multiples[d], 0});
    m.dims.push_back({move.in.dim(static_cast<int>(d)), strides[d]});
  }
  return {m};
}

template <typename Attr>
Movement padded(const Attr& attr, const Shape& in, const Shape& out, Outside outside) {
  const std::vector<int64_t> strides = element_strides(in);
  Movement m{out, {}};
  m.outside = outside;
  for (size_t d = 0; d < strides.size(); ++d) {
    const int axis = static_cast<int>(d);
    m.dims.push_back({out.dim(axis), strides[d], -attr.before[d], in.dim(axis)});
  }
  return m;
}

Movement sliced(const StridedSliceAttr& attr, const Shape& in, const Shape& out) {
  const std::vector<int64_t> strides = element_strides(in);
  Movement m{out, {}};
  for (size_t d = 0; d < strides.size(); ++d) {
    m.first += attr.begin[d] * strides[d];
    m.dims.push_back({attr.size[d], strides[d] * attr.stride[d]});
  }
  return m;
}

Stages space_to_depth(const Move& move) {
  const int32_t block = move.attributes<BlockSizeAttr>().block_size;
  const std::vector<int64_t> s = element_strides(move.in);
  const Shape& out = move.out;
  return {Movement{out,
                   {{out.dim(0), s[0]},
                    {out.dim(1), s[1] * block},
                    {out.dim(2), s[2] * block},
                    {block, s[1]},
                    {block, s[2]},
                    {move.in.dim(3), s[3]}}}};
}

Stages space_to_batch(const Move& move) {
  const auto& attr = move.attributes<BatchSpaceAttr>();
  const Shape &in = move.in, &out = move.out;
  Shape whole = in;
  PadAttr padding;
  for (size_t i = 0; i < attr.block.size(); ++i) {
    const int d = static_cast<int>(i) + 1;
    whole.set_dim(d, in.dim(d) + attr.before[i] + attr.after[i]);
    padding.before[i + 1] = attr.before[i];
  }
  Stages stages;
  if (whole != in) stages.push_back(padded(padding, in, whole, Outside::kFill));
  const std::vector<int64_t> strides = element_strides(whole);
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

Stages batch_to_space(const Move& move) {
  const auto& attr = move.attributes<BatchSpaceAttr>();
  const Shape &in = move.in, &out = move.out;
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
  Stages stages{m};
  if (whole != out) stages.push_back(sliced(cropped, whole, out));
  return stages;
}

Stages mirror_pad(const Move& move) {
  const auto& attr = move.attributes<MirrorPadAttr>();
  return {padded(attr, move.in, move.out, attr.symmetric ? Outside::kSymmetric : Outside::kReflect)};
}

Stages pad(const Move& move) {
  Movement m = padded(move.attributes<PadAttr>(), move.in, move.out, Outside::kFill);
  m.fill = move.attributes<PadAttr>().value;
  return {m};
}

Stages strided_slice(const Move& move) { return {sliced(move.attributes<StridedSliceAttr>(), move.in, move.out)}; }

struct Decomposition {
  OpType op;
  Stages (*stages)(const Move& move);
};
constexpr auto kDecompositions = std::to_array<Decomposition>({
    {OpType::kPad, pad},
    {OpType::kStridedSlice, strided_slice},
    {OpType::kTranspose, transpose},
    {OpType::kSplit, split},
    {OpType::kTile, tile},
    {OpType::kMirrorPad, mirror_pad},
    {OpType::kSpaceToDepth, space_to_depth},
    {OpType::kSpaceToBatch, space_to_batch},
    {OpType::kBatchToSpace, batch_to_space},
});
static_assert(operators::lists_exactly(kDecompositions, operators::kBySteps));

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
  return operators::find_row(kDecompositions, node.op).stages({node, in, out, output});
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
