// GATHER and GATHER_ND.
#include "graph/movement.h"
#include "kernel/storage_variants.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

ShaderKey gather_shader(bool lanes) {
  ShaderKey key{"gather.comp", {}};
  if (lanes) key.defines.push_back({"LANES", "1"});
  return key;
}

// Counts of input elements.
struct Parts {
  int64_t inner = 1;       // consecutive elements gathered together
  int64_t count = 1;       // number of gathered parts per row
  int64_t batch_rows = 1;  // rows that share their indices
  int64_t row = 0;         // elements of the input per row
  std::vector<int32_t> sizes;
  std::vector<int64_t> strides;
};

Parts parts_of(const Graph& graph, const Node& node) {
  const Shape &data = graph.value(node.inputs[0]).shape, &indices = graph.value(node.inputs[1]).shape;
  const std::vector<int64_t> strides = element_strides(data);
  Parts parts;
  if (node.op == OpType::kGatherNd) {
    const int depth = indices.dim(indices.rank() - 1);
    parts.inner = strides[static_cast<size_t>(depth) - 1];
    parts.count = indices.elements() / depth;
    for (int d = 0; d < depth; ++d) parts.sizes.push_back(data.dim(d));
    parts.strides.assign(strides.begin(), strides.begin() + depth);
    return parts;
  }
  const auto& attr = std::get<GatherAttr>(node.attributes);
  int64_t batches = 1;
  for (int d = 0; d < attr.batch_dims; ++d) batches *= data.dim(d);
  parts.inner = strides[static_cast<size_t>(attr.axis)];
  parts.count = indices.elements() / batches;
  parts.row = parts.inner * data.dim(attr.axis);
  parts.batch_rows = data.elements() / parts.row / batches;
  parts.sizes = {data.dim(attr.axis)};
  parts.strides = {parts.inner};
  return parts;
}

Status supports_gather(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

Status emit_gather(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef indices, emitter.tensor(node.inputs[1]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const Parts parts = parts_of(emitter.graph(), node);
  const bool whole = in.shape.c == out.shape.c && parts.inner % in.shape.c == 0;
  const auto place = [&](int64_t elements) { return static_cast<int32_t>(whole ? elements / in.shape.c : elements); };
  StepParams params;
  params.tensor(in).tensor(indices).tensor(out);
  params.ints(place(parts.inner), static_cast<int32_t>(parts.count), static_cast<int32_t>(parts.batch_rows),
              static_cast<int32_t>(parts.sizes.size()));
  params.ints(place(parts.row));
  const auto size = [&](size_t k) { return k < parts.sizes.size() ? parts.sizes[k] : 1; };
  const auto stride = [&](size_t k) { return k < parts.strides.size() ? place(parts.strides[k]) : 0; };
  for (const size_t k : {0, 4}) params.ints(size(k), size(k + 1), size(k + 2), size(k + 3));
  for (const size_t k : {0, 4}) params.ints(stride(k), stride(k + 1), stride(k + 2), stride(k + 3));
  const Grid grid{int64_t{out.shape.h} * out.shape.w, int64_t{out.shape.b} * out.shape.slices()};
  return emitter.add_step(gather_shader(!whole), std::move(params), grid, {in, indices}, {out});
}

// Indices are integers, whatever the type of the data.
std::vector<ShaderKey> gather_variants() {
  std::vector<ShaderKey> keys;
  for (ShaderKey key : storage_variants({gather_shader(false), gather_shader(true)}, "A", true)) {
    const std::string last = key.defines.empty() ? "" : key.defines.back().name;
    key.defines.push_back({"B_I32", "1"});
    if (last.starts_with("A_")) key.defines.push_back({"OUT" + last.substr(1), "1"});
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

std::vector<Kernel> gather_kernels() {
  return {{"gather", OpType::kGather, supports_gather, emit_gather, gather_variants},
          {"gather", OpType::kGatherNd, supports_gather, emit_gather, gather_variants}};
}

}  // namespace sightglass
