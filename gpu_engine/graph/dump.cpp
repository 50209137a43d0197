// Dumps a graph as text for people, and as a Graphviz drawing.
#include <array>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace sightglass {
namespace {

// Attributes, each as " name=value". A flag is only its name, if it is set.
class AttributeText {
 public:
  explicit AttributeText(size_t rank) : rank_(rank) {}

  AttributeText& add(const char* name, bool set) { return set ? say(name) : *this; }
  AttributeText& add(const char* name, int32_t value) { return say(name, std::to_string(value)); }
  AttributeText& add(const char* name, Activation value) { return say(name, to_string(value)); }
  AttributeText& add(const char* name, float value) {
    std::ostringstream number;
    number << value;
    return say(name, number.str());
  }
  AttributeText& add(const char* name, int32_t a, int32_t b, const char* between = "x") {
    return say(name, std::to_string(a) + between + std::to_string(b));
  }
  AttributeText& add(const char* name, const std::vector<int32_t>& list) { return say(name, joined(list)); }
  // By dimension of input 0.
  AttributeText& add(const char* name, const std::array<int32_t, Shape::kMaxRank>& dims) {
    return say(name, joined(std::span(dims).first(rank_)));
  }
  AttributeText& add(const Padding2d& padding) {
    if (padding.mode == PaddingMode::kValid) return say("padding", "valid");
    const std::array sides{padding.top, padding.bottom, padding.left, padding.right};
    return say("padding", (padding.mode == PaddingMode::kSame ? "same[" : "explicit[") + joined(sides) + "]");
  }

  const std::string& text() const { return text_; }

 private:
  // "1,2,3"
  static std::string joined(std::span<const int32_t> numbers) {
    std::string list;
    for (const int32_t number : numbers) list += (list.empty() ? "" : ",") + std::to_string(number);
    return list;
  }
  AttributeText& say(const char* name, const std::string& value = "") {
    text_ += std::string(" ") + name + (value.empty() ? "" : "=") + value;
    return *this;
  }

  size_t rank_;
  std::string text_;
};

std::string attributes_of(const Graph& graph, const Node& node) {
  const bool has_data = !node.inputs.empty() && node.inputs[0] != kNone;
  const size_t rank = has_data ? static_cast<size_t>(graph.value(node.inputs[0]).shape.rank()) : 0;
  AttributeText described(rank);
  const auto describe = [&described](const auto& attributes) {
    if constexpr (requires { attributes.describe(described); }) attributes.describe(described);
  };
  std::visit(describe, node.attributes);
  std::string text = described.text();
  if (node.activation != Activation::kNone) text += std::string(" activation=") + to_string(node.activation);
  if (node.residual_last) text += " residual_last";
  if (node.residual_sampling == ResidualSampling::kPooled) text += " residual_pooled";
  if (node.residual_sampling == ResidualSampling::kResized) text += " residual_resized";
  if (!node.table.empty()) text += " table";
  return text;
}

// "%3 'name' float32 1x8x8x4"
std::string declare(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return "%" + std::to_string(id) + " '" + printable(value.name) + "' " + to_string(value.type) + " " +
         value.shape.to_string();
}

// Text of an operand: "%3", "const(%4 float16 8x3x3x4)", "-".
std::string operand(const Graph& graph, ValueId id) {
  if (id == kNone) return "-";
  if (!graph.is_constant(id)) return "%" + std::to_string(id);
  const Value& value = graph.value(id);
  return "const(%" + std::to_string(id) + " " + to_string(value.constant->type) + " " + value.shape.to_string() + ")";
}

// As a Graphviz string.
std::string label_of(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

std::string dump_text(const Graph& graph) {
  std::string text = "graph '" + printable(graph.name) + "'\n";
  for (const ValueId id : graph.inputs) text += "input " + declare(graph, id) + "\n";
  for (const State& state : graph.states) text += "state " + declare(graph, state.input) + "\n";
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (size_t i = 0; i < node.outputs.size(); ++i) text += (i == 0 ? "" : ", ") + declare(graph, node.outputs[i]);
    text += std::string(" = ") + to_string(node.op) + "(";
    for (size_t i = 0; i < node.inputs.size(); ++i) text += (i == 0 ? "" : ", ") + operand(graph, node.inputs[i]);
    text += ")" + attributes_of(graph, node);
    if (!node.origin.empty()) text += "  # " + node.origin;
    text += "\n";
  }
  for (const ValueId id : graph.outputs) text += "output " + operand(graph, id) + "\n";
  for (const State& state : graph.states) {
    text += "next " + operand(graph, state.input) + " = " + operand(graph, state.output) + "\n";
  }
  return text;
}

std::string dump_graphviz(const Graph& graph) {
  std::string text = "digraph " + label_of(printable(graph.name)) + " {\n  node [shape=box];\n";
  const auto source = [&graph](ValueId id) {
    const NodeId producer = graph.value(id).producer;
    return producer == kNone ? "v" + std::to_string(id) : "n" + std::to_string(producer);
  };
  const auto edge = [&graph](const std::string& from, const std::string& to, ValueId id) {
    return "  " + from + " -> " + to + " [label=" + label_of(graph.value(id).shape.to_string()) + "];\n";
  };
  const auto source_node = [&](ValueId id) {
    return "  v" + std::to_string(id) + " [shape=ellipse, label=" + label_of(printable(graph.value(id).name)) + "];\n";
  };
  for (const ValueId id : graph.inputs) text += source_node(id);
  for (const State& state : graph.states) text += source_node(state.input);
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    std::string label = to_string(node.op);
    for (const ValueId input : node.inputs) {
      if (graph.is_constant(input)) label += "\nconst " + graph.value(input).shape.to_string();
    }
    if (node.activation != Activation::kNone) label += std::string("\n") + to_string(node.activation);
    const std::string name = "n" + std::to_string(id);
    text += "  " + name + " [label=" + label_of(label) + "];\n";
    for (const ValueId input : node.inputs) {
      if (input != kNone && !graph.is_constant(input)) text += edge(source(input), name, input);
    }
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueId id = graph.outputs[i];
    const std::string name = "output" + std::to_string(i);
    text += "  " + name + " [shape=ellipse, label=" + label_of(printable(graph.value(id).name)) + "];\n";
    text += edge(source(id), name, id);
  }
  for (const State& state : graph.states) text += edge(source(state.output), source(state.input), state.output);
  return text + "}\n";
}

}  // namespace sightglass
