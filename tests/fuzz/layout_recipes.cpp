// Operators that move elements, join tensors, and sum along axes.
#include <algorithm>

#include "fuzz/graph_generator.h"
#include "graph/op_types.h"
#include "graph/quantized.h"

namespace sightglass::test {

namespace {

void mean(GraphGenerator& g, OpType op) {
  const ValueId data = g.real(g.random.of({3, 4, 4, 4}));
  const int rank = g.shape(data).rank();
  const std::vector<int32_t> axes{rank - 3, rank - 2};
  std::optional<Quantized> result;
  if (!g.is_float(data) && g.chance(50)) result = g.random_quantization(g.value(data).type);
  g.add(op, ReduceAttr{axes, g.chance(50)}, {data}, !g.is_float(data), Activation::kNone, result ? &*result : nullptr);
}

void concat(GraphGenerator& g, OpType op) {
  const ValueId first = g.any(g.random.pick(1, 4));
  const Shape shape = g.shape(first);
  const ConcatAttr attr{g.random.pick(0, shape.rank() - 1)};
  std::vector<ValueId> inputs{first};
  bool alike = true;
  for (int i = g.random.pick(1, 3); i > 0; --i) {
    Shape next = shape;
    next.set_dim(attr.axis, g.random.pick(1, 9));
    const ValueId value = g.beside(first, next);
    alike = alike && g.value(value).quantization.scale == g.value(first).quantization.scale &&
            zero_point(g.value(value)) == zero_point(g.value(first));
    inputs.push_back(value);
  }
  g.add(op, attr, inputs, alike || g.is_float(first));
}

void pad(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(g.random.pick(1, 4));
  PadAttr attr;
  for (size_t d = 0; d < static_cast<size_t>(g.shape(data).rank()); ++d) {
    attr.before[d] = g.chance(50) ? 0 : g.random.pick(0, 3);
    attr.after[d] = g.chance(50) ? 0 : g.random.pick(0, 3);
  }
  g.add(op, attr, {data}, true);
}

// The dimensions grouped differently: merged, split, or reversed.
void reshape(GraphGenerator& g, OpType op) {
  const ValueId data = g.any();
  const Shape shape = g.shape(data);
  std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  for (int step = g.random.pick(1, 3); step > 0; --step) {
    if (dims.size() >= 2 && g.chance(50)) {
      const auto at = static_cast<size_t>(g.random.pick(0, static_cast<int>(dims.size()) - 2));
      dims[at] *= dims[at + 1];
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    } else if (dims.size() < 5) {
      const auto at = static_cast<std::ptrdiff_t>(g.random.pick(0, static_cast<int>(dims.size())));
      int32_t factor = 1;
      if (static_cast<size_t>(at) < dims.size()) {
        int32_t& d = dims[static_cast<size_t>(at)];
        for (const int32_t candidate : {2, 3, 5}) {
          if (d % candidate == 0 && g.chance(60)) factor = candidate;
        }
        d /= factor;
      }
      dims.insert(dims.begin() + at, factor);
    }
  }
  if (g.chance(20)) std::ranges::reverse(dims);
  g.add(op, ReshapeAttr{Shape(dims)}, {data}, true);
}

void strided_slice(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(g.random.pick(1, 4));
  const Shape shape = g.shape(data);
  StridedSliceAttr attr;
  std::vector<int32_t> kept;
  for (int d = 0; d < shape.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int32_t n = shape.dim(d);
    const int32_t stride = g.chance(60) ? 1 : g.random.of({2, 3, -1, -2});
    const int32_t begin = g.chance(40) ? (stride > 0 ? 0 : n - 1) : g.random.pick(0, n - 1);
    const int32_t reach = stride > 0 ? (n - 1 - begin) / stride : begin / -stride;
    attr.begin[i] = begin;
    attr.stride[i] = stride;
    attr.size[i] = 1 + (g.chance(50) ? reach : g.random.pick(0, reach));
    if (attr.size[i] != 1 || g.chance(70)) kept.push_back(attr.size[i]);
  }
  attr.shape = Shape(kept);
  g.add(op, attr, {data}, true);
}

constexpr Recipe kLayoutRecipes[] = {
    {OpType::kMean, mean},
    {OpType::kConcat, concat},
    {OpType::kPad, pad},
    {OpType::kReshape, reshape},
    {OpType::kStridedSlice, strided_slice},
};

}  // namespace

std::span<const Recipe> layout_recipes() { return kLayoutRecipes; }

}  // namespace sightglass::test
