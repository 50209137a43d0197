#include "single_op.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/op_types.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

Result<std::vector<HostTensor>> try_evaluate(OpType op, const Attributes& attributes,
                                             const std::vector<HostTensor>& inputs, size_t outputs = 1,
                                             Activation activation = Activation::kNone,
                                             const Quantization& quantization = {},
                                             std::optional<DataType> type = std::nullopt) {
  Graph graph;
  Node node;
  node.op = op;
  node.attributes = attributes;
  node.activation = activation;
  std::vector<const HostTensor*> arguments;
  for (const HostTensor& input : inputs) {
    const bool given = !input.data.empty();
    arguments.push_back(given ? &input : nullptr);
    Value value;
    value.name = "input" + std::to_string(arguments.size() - 1);
    value.type = input.type;
    value.shape = input.shape;
    value.quantization = quantization;
    node.inputs.push_back(given ? graph.add_value(std::move(value)) : kNone);
  }
  for (size_t i = 0; i < outputs; ++i) {
    Value out;
    out.name = "output" + std::to_string(i);
    out.type = type ? *type : natural_type(typed_op(graph, node), i);
    node.outputs.push_back(graph.add_value(std::move(out)));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, infer_shapes(graph, node));
  for (size_t i = 0; i < outputs; ++i) graph.value(node.outputs[i]).shape = shapes.at(i);
  const NodeId id = graph.add_node(std::move(node));
  return ref::evaluate(graph, graph.node(id), arguments);
}

}  // namespace

HostTensor floats(const Shape& shape, const std::vector<float>& values) {
  return HostTensor::from_floats(shape, values);
}

HostTensor evaluate(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs,
                    Activation activation, const Quantization& quantization, std::optional<DataType> type) {
  const auto results = value_of(try_evaluate(op, attributes, inputs, 1, activation, quantization, type));
  return results.front();
}

std::vector<HostTensor> evaluate_all(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs,
                                     size_t outputs) {
  auto results = try_evaluate(op, attributes, inputs, outputs);
  EXPECT_TRUE(results.ok()) << results.status().message();
  return results.ok() ? std::move(results).value() : std::vector<HostTensor>(outputs);
}

Status refusal(OpType op, const Attributes& attributes, const std::vector<HostTensor>& inputs, Activation activation,
               std::optional<DataType> type) {
  return try_evaluate(op, attributes, inputs, 1, activation, {}, type).status();
}

void expect_floats(const HostTensor& got, const Shape& shape, const std::vector<float>& expected, float tolerance) {
  ASSERT_EQ(got.type, DataType::kFloat32);
  ASSERT_EQ(got.shape.to_string(), shape.to_string());
  const std::span<const float> values = got.as<float>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const bool same = values[i] == expected[i] || (std::isnan(values[i]) && std::isnan(expected[i]));
    EXPECT_TRUE(same || std::abs(values[i] - expected[i]) <= tolerance)
        << "element " << i << " is " << values[i] << " instead of " << expected[i];
  }
}

void expect_integers(const HostTensor& got, DataType type, const Shape& shape, const std::vector<int64_t>& expected) {
  ASSERT_EQ(got.type, type);
  ASSERT_EQ(got.shape.to_string(), shape.to_string());
  std::vector<int64_t> values;
  const auto widen = [&values](const auto& elements) { values.assign(elements.begin(), elements.end()); };
  if (type == DataType::kInt64) widen(got.as<int64_t>());
  if (type == DataType::kInt32) widen(got.as<int32_t>());
  if (type == DataType::kInt16) widen(got.as<int16_t>());
  if (type == DataType::kInt8) widen(got.as<int8_t>());
  if (type == DataType::kUInt8 || type == DataType::kBool) widen(got.as<uint8_t>());
  EXPECT_EQ(values, expected);
}

}  // namespace sightglass::test
