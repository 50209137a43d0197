// The invariants of a graph: find the rewrite that breaks one.
#include <algorithm>
#include <utility>

#include "graph/graph.h"
#include "graph/op_types.h"

namespace sightglass {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph)
      : graph_(graph),
        position_(graph.node_count(), kNone),
        given_(graph.value_count()),
        writes_(graph.value_count()) {}

  Status run() {
    SIGHTGLASS_RETURN_IF_ERROR(check_order());
    SIGHTGLASS_RETURN_IF_ERROR(check_ends());
    for (const NodeId id : graph_.order()) {
      SIGHTGLASS_RETURN_IF_ERROR(check_links(id));
      SIGHTGLASS_RETURN_IF_ERROR(check_meaning(id));
    }
    SIGHTGLASS_RETURN_IF_ERROR(check_uses());
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.value_count()); ++id)
      SIGHTGLASS_RETURN_IF_ERROR(check_value(id));
    return {};
  }

 private:
  bool exists(ValueId id) const { return id >= 0 && static_cast<size_t>(id) < graph_.value_count(); }
  bool is_available(ValueId id) const {
    return graph_.value(id).producer != kNone || graph_.is_constant(id) || given_[static_cast<size_t>(id)];
  }
  bool is_live(NodeId id) const {
    return id >= 0 && static_cast<size_t>(id) < position_.size() && position_[static_cast<size_t>(id)] != kNone;
  }
  std::string name(ValueId id) const { return "tensor " + quote(graph_.value(id).name); }
  static std::string node_name(NodeId id) { return "node " + std::to_string(id); }
  Status fail_node(NodeId id, const std::string& reason) const {
    return internal_error(describe(graph_, id) + ": " + reason);
  }

  Status check_order();
  Status check_ends();
  Status check_state(const State& state) const;
  Status check_links(NodeId id);
  Status check_uses() const;
  Status check_meaning(NodeId id) const;
  Status check_value(ValueId id) const;
  Status check_constant(ValueId id) const;

  const Graph& graph_;
  std::vector<int32_t> position_;  // of each node in the execution order; kNone for those not in it
  // By value. Everything is counted in one pass: a file may give one node or one value a hundred thousand links.
  std::vector<bool> given_;      // an input, or the contents of a state
  std::vector<int32_t> writes_;  // by nodes in execution order
};

Status Verifier::check_order() {
  int32_t next = 0;
  for (const NodeId id : graph_.order()) {
    if (id < 0 || static_cast<size_t>(id) >= position_.size()) {
      return internal_error(node_name(id) + " is in the execution order but does not exist");
    }
    if (graph_.node(id).removed) return internal_error(node_name(id) + " is in the execution order but was removed");
    if (is_live(id)) return internal_error(node_name(id) + " is in the execution order twice");
    position_[static_cast<size_t>(id)] = next++;
  }
  for (NodeId id = 0; id < static_cast<NodeId>(position_.size()); ++id) {
    if (!graph_.node(id).removed && !is_live(id))
      return internal_error(node_name(id) + " is not in the execution order");
  }
  return {};
}

Status Verifier::check_ends() {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const ValueId id = graph_.inputs[i];
    if (!exists(id)) return internal_error("graph input " + std::to_string(i) + " does not exist");
    if (graph_.value(id).producer != kNone) return internal_error("graph input " + name(id) + " is computed by a node");
    if (graph_.is_constant(id)) return internal_error("graph input " + name(id) + " is a constant");
    if (given_[static_cast<size_t>(id)]) return internal_error(name(id) + " is a graph input twice");
    given_[static_cast<size_t>(id)] = true;
  }
  for (const State& state : graph_.states) {
    if (!exists(state.input) || !exists(state.output)) return internal_error("a state's tensor does not exist");
    // It may be an input too, which then has its contents from the previous run.
    const Value& held = graph_.value(state.input);
    const bool is_twice = std::ranges::count(graph_.states, state.input, &State::input) > 1;
    if (held.producer != kNone || held.constant || is_twice) {
      return internal_error("the state " + name(state.input) + " is computed, a constant, or a state twice");
    }
    given_[static_cast<size_t>(state.input)] = true;
  }
  for (const State& state : graph_.states) SIGHTGLASS_RETURN_IF_ERROR(check_state(state));
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const ValueId id = graph_.outputs[i];
    if (!exists(id)) return internal_error("graph output " + std::to_string(i) + " does not exist");
    if (!is_available(id)) return internal_error("graph output " + name(id) + " is computed by no node");
  }
  return {};
}

Status Verifier::check_state(const State& state) const {
  const Value& from = graph_.value(state.output);
  const Value& to = graph_.value(state.input);
  const std::string here = "the state " + name(state.input);
  if (!is_available(state.output))
    return internal_error(here + " becomes " + name(state.output) + ", which nothing computes");
  if (from.type != to.type || from.shape != to.shape || from.quantization.scale != to.quantization.scale ||
      from.quantization.zero_point != to.quantization.zero_point) {
    return internal_error(here + " becomes " + name(state.output) + " of another type, shape or quantization");
  }
  const size_t bytes = static_cast<size_t>(to.shape.elements()) * size_of(to.type);
  if (state.initial && (state.initial->type != to.type || state.initial->bytes.size() != bytes)) {
    return internal_error(here + " begins as a constant of another type or size");
  }
  return {};
}

// Checks that values exist, are computed before they are read, and list their producer and users.
Status Verifier::check_links(NodeId id) {
  const Node& node = graph_.node(id);
  if (node.outputs.empty()) return internal_error(node_name(id) + " has no outputs");
  for (const ValueId output : node.outputs) {
    if (!exists(output)) return internal_error(node_name(id) + " has an output that does not exist");
    if (graph_.value(output).producer != id) return fail_node(id, name(output) + " names another producer");
    if (graph_.is_constant(output)) return fail_node(id, "writes the constant " + name(output));
    ++writes_[static_cast<size_t>(output)];
  }
  for (const ValueId input : node.inputs) {
    if (input == kNone) continue;
    if (!exists(input)) return fail_node(id, "has an input that does not exist");
    const Value& value = graph_.value(input);
    if (value.producer == kNone) {
      if (!is_available(input)) return fail_node(id, "reads " + name(input) + ", which nothing computes");
      continue;
    }
    if (!is_live(value.producer) ||
        position_[static_cast<size_t>(value.producer)] >= position_[static_cast<size_t>(id)]) {
      return fail_node(id, "reads " + name(input) + " before it is computed");
    }
  }
  return {};
}

// Checks that every value lists each of its readers, once per use.
Status Verifier::check_uses() const {
  using Use = std::pair<ValueId, NodeId>;
  std::vector<Use> reads, listed;
  for (const NodeId id : graph_.order()) {
    for (const ValueId input : graph_.node(id).inputs) {
      if (input != kNone) reads.emplace_back(input, id);
    }
  }
  for (ValueId id = 0; id < static_cast<ValueId>(graph_.value_count()); ++id) {
    for (const NodeId user : graph_.value(id).users) listed.emplace_back(id, user);
  }
  std::ranges::sort(reads);
  std::ranges::sort(listed);
  for (const Use& use : listed) {
    if (std::ranges::binary_search(reads, use)) continue;
    return internal_error(name(use.first) + " names a user that does not read it");
  }
  const auto [read, list] = std::ranges::mismatch(reads, listed);
  if (read == reads.end() && list == listed.end()) return {};
  const Use& wrong = read == reads.end() || (list != listed.end() && *list < *read) ? *list : *read;
  return fail_node(wrong.second, "is not listed once per use among the users of " + name(wrong.first));
}

const Padding2d* padding_of(const Attributes& attributes) {
  if (const auto* conv = std::get_if<Conv2dAttr>(&attributes)) return &conv->padding;
  if (const auto* depthwise = std::get_if<DepthwiseConv2dAttr>(&attributes)) return &depthwise->padding;
  if (const auto* transposed = std::get_if<TransposeConvAttr>(&attributes)) return &transposed->padding;
  if (const auto* pool = std::get_if<Pool2dAttr>(&attributes)) return &pool->padding;
  return nullptr;
}

bool same_numbers(const Padding2d* a, const Padding2d* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->top == b->top && a->bottom == b->bottom && a->left == b->left && a->right == b->right;
}

// Checks that shapes, padding and types are those that the operator produces.
Status Verifier::check_meaning(NodeId id) const {
  const Node& node = graph_.node(id);
  Node inferred = node;
  const Result<std::vector<Shape>> shapes = infer_shapes(graph_, inferred);
  if (!shapes.ok()) return shapes.status();
  if (shapes->size() != node.outputs.size()) {
    return fail_node(
        id, "has " + std::to_string(node.outputs.size()) + " outputs instead of " + std::to_string(shapes->size()));
  }
  for (size_t i = 0; i < shapes->size(); ++i) {
    const Shape& shape = graph_.value(node.outputs[i]).shape;
    if (shape == (*shapes)[i]) continue;
    return fail_node(
        id, name(node.outputs[i]) + " has shape " + shape.to_string() + " instead of " + (*shapes)[i].to_string());
  }
  if (!same_numbers(padding_of(node.attributes), padding_of(inferred.attributes))) {
    return fail_node(id, "padding does not match its mode");
  }
  const Status types = check_types(typed_op(graph_, node));
  return types.ok() ? Status() : fail_node(id, types.message());
}

Status Verifier::check_value(ValueId id) const {
  const Value& value = graph_.value(id);
  if (value.producer != kNone) {
    // check_links() checked that every writer is the producer.
    const bool produced = is_live(value.producer) && writes_[static_cast<size_t>(id)] == 1;
    if (!produced) return internal_error(name(id) + " names a producer that does not write it");
  }
  return value.constant ? check_constant(id) : Status();
}

Status Verifier::check_constant(ValueId id) const {
  const Value& value = graph_.value(id);
  const DataType stored = value.constant->type;
  const bool narrower = stored == DataType::kFloat16 && value.type == DataType::kFloat32;
  if (stored != value.type && !narrower) {
    return internal_error("constant " + name(id) + " of type " + to_string(value.type) + " is stored as " +
                          to_string(stored));
  }
  const size_t expected = static_cast<size_t>(value.shape.elements()) * size_of(stored);
  if (value.constant->bytes.size() == expected) return {};
  return internal_error("constant " + name(id) + " has " + std::to_string(value.constant->bytes.size()) +
                        " bytes instead of " + std::to_string(expected));
}

}  // namespace

Status verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace sightglass
