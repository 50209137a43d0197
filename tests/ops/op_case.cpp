#include "ops/op_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/op_types.h"

namespace sightglass::test {

uint64_t Random::next() {
  // SplitMix64: public domain, by Sebastiano Vigna.
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

float Random::uniform(float low, float high) {
  return low + (high - low) * static_cast<float>(next() >> 40) * 0x1p-24f;
}

int Random::pick(int low, int high) { return low + static_cast<int>(next() % static_cast<uint64_t>(high - low + 1)); }

std::vector<float> fill(Fill kind, int64_t count, Random& random) {
  std::vector<float> values(static_cast<size_t>(count), 0.0f);
  int64_t i = 0;
  for (float& v : values) {
    switch (kind) {
      case Fill::kUniform:
        v = random.uniform(-1, 1);
        break;
      case Fill::kPositive:
        v = random.uniform(0, 1);
        break;
      case Fill::kDivisor:
        v = random.uniform(0.5f, 2);
        break;
      case Fill::kWide:
        v = random.uniform(-8, 8);
        break;
      case Fill::kZero:
        break;
      case Fill::kLarge:
        v = random.pick(0, 1) == 0 ? -1e4f : 1e4f;
        break;
      case Fill::kTiny:
        v = random.uniform(-2, 2) * 1.2e-38f;
        break;
      case Fill::kOneHot:
        v = i == count / 2 ? 1.0f : 0.0f;
        break;
      case Fill::kRamp:
        v = static_cast<float>(i % 251);
        break;
    }
    ++i;
  }
  return values;
}

HostTensor as_type(DataType type, const Shape& shape, const std::vector<float>& values) {
  HostTensor tensor(type, shape);
  for (size_t i = 0; i < values.size(); ++i) {
    const float v = values[i];
    switch (type) {
      case DataType::kInt64:
        tensor.as<int64_t>()[i] = static_cast<int64_t>(std::floor(v));
        break;
      case DataType::kInt32:
        tensor.as<int32_t>()[i] = static_cast<int32_t>(std::floor(v));
        break;
      case DataType::kInt16:
        tensor.as<int16_t>()[i] = static_cast<int16_t>(std::floor(v));
        break;
      case DataType::kInt8:
      case DataType::kUInt8:
        tensor.as<uint8_t>()[i] = static_cast<uint8_t>(static_cast<int32_t>(std::floor(v)));
        break;
      case DataType::kBool:
        tensor.as<uint8_t>()[i] = v > 0 ? 1 : 0;
        break;
      default:
        tensor.as<float>()[i] = v;
    }
  }
  return tensor;
}

ValueId CaseBuilder::input(const Shape& shape, Fill kind, DataType type) {
  Value value;
  value.name = "input" + std::to_string(case_.inputs.size());
  value.shape = shape;
  value.type = type;
  const ValueId id = case_.graph.add_value(std::move(value));
  case_.graph.inputs.push_back(id);
  case_.inputs.push_back(as_type(type, shape, fill(kind, shape.elements(), random_)));
  return id;
}

ValueId CaseBuilder::constant(const Shape& shape, Fill kind, DataType type) {
  const auto tensor = std::make_shared<HostTensor>(as_type(type, shape, fill(kind, shape.elements(), random_)));
  Value value;
  value.name = "constant" + std::to_string(case_.graph.value_count());
  value.shape = shape;
  value.type = type;
  value.constant = Constant{type, tensor->data, tensor};
  return case_.graph.add_value(std::move(value));
}

namespace {

Quantization quantization_of(const Quantized& quantized) {
  return {quantized.scale, std::vector<int64_t>(quantized.scale.size(), quantized.zero_point), quantized.axis};
}

}  // namespace

HostTensor CaseBuilder::integers(const Shape& shape, DataType type) {
  HostTensor tensor(type, shape);
  if (type == DataType::kInt16) {
    for (int16_t& v : tensor.as<int16_t>()) v = static_cast<int16_t>(random_.pick(-32767, 32767));
  } else {
    for (uint8_t& v : tensor.as<uint8_t>()) v = static_cast<uint8_t>(random_.pick(0, 255));
  }
  return tensor;
}

ValueId CaseBuilder::input(const Shape& shape, const Quantized& quantized) {
  Value value;
  value.name = "input" + std::to_string(case_.inputs.size());
  value.shape = shape;
  value.type = quantized.type;
  value.quantization = quantization_of(quantized);
  const ValueId id = case_.graph.add_value(std::move(value));
  case_.graph.inputs.push_back(id);
  case_.inputs.push_back(integers(shape, quantized.type));
  return id;
}

ValueId CaseBuilder::constant(const Shape& shape, const Quantized& quantized) {
  Value value;
  value.name = "constant" + std::to_string(case_.graph.value_count());
  value.shape = shape;
  value.type = quantized.type;
  value.quantization = quantization_of(quantized);
  const auto bytes = std::make_shared<const std::vector<std::byte>>(integers(shape, quantized.type).data);
  value.constant = Constant{quantized.type, *bytes, bytes};
  return case_.graph.add_value(std::move(value));
}

ValueId CaseBuilder::bias(int32_t channels) {
  HostTensor tensor(DataType::kInt32, {channels});
  for (int32_t& v : tensor.as<int32_t>()) v = random_.pick(-1000, 1000);
  Value value;
  value.name = "bias" + std::to_string(case_.graph.value_count());
  value.shape = tensor.shape;
  value.type = DataType::kInt32;
  const auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(tensor.data));
  value.constant = Constant{DataType::kInt32, *bytes, bytes};
  return case_.graph.add_value(std::move(value));
}

OpCase with_residual_last(OpCase c) {
  c.graph.node(c.graph.order().back()).residual_last = true;
  c.name += ", last";
  return c;
}

OpCase with_residual_sampled(OpCase c, ResidualSampling sampling) {
  c.graph.node(c.graph.order().back()).residual_sampling = sampling;
  return c;
}

ValueId CaseBuilder::node(OpType op, Attributes attributes, std::vector<ValueId> inputs, const Quantized& output,
                          Activation activation) {
  const ValueId id = node(op, std::move(attributes), std::move(inputs), activation);
  case_.graph.value(id).type = output.type;
  case_.graph.value(id).quantization = quantization_of(output);
  return id;
}

ValueId CaseBuilder::node(OpType op, Attributes attributes, std::vector<ValueId> inputs, Activation activation,
                          std::optional<DataType> type) {
  return add(op, std::move(attributes), std::move(inputs), 1, activation, type)[0];
}

std::vector<ValueId> CaseBuilder::node_with(OpType op, Attributes attributes, std::vector<ValueId> inputs,
                                            size_t outputs) {
  return add(op, std::move(attributes), std::move(inputs), outputs, Activation::kNone, std::nullopt);
}

std::vector<ValueId> CaseBuilder::node_with(OpType op, Attributes attributes, std::vector<ValueId> inputs,
                                            const std::vector<Quantized>& outputs) {
  const std::vector<ValueId> ids = node_with(op, std::move(attributes), std::move(inputs), outputs.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    case_.graph.value(ids[i]).type = outputs[i].type;
    case_.graph.value(ids[i]).quantization = quantization_of(outputs[i]);
  }
  return ids;
}

std::vector<ValueId> CaseBuilder::add(OpType op, Attributes attributes, std::vector<ValueId> inputs, size_t outputs,
                                      Activation activation, std::optional<DataType> type) {
  Node node;
  node.op = op;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  node.activation = activation;
  node.origin = std::string(to_string(op)) + " #" + std::to_string(case_.graph.node_count());
  for (size_t i = 0; i < outputs; ++i) {
    Value output;
    output.name = "value" + std::to_string(case_.graph.value_count());
    output.type = type ? *type : natural_type(typed_op(case_.graph, node), i);
    node.outputs.push_back(case_.graph.add_value(std::move(output)));
  }
  const Result<std::vector<Shape>> shapes = infer_shapes(case_.graph, node);
  EXPECT_TRUE(shapes.ok()) << shapes.status().message();
  for (size_t i = 0; shapes.ok() && i < outputs; ++i) case_.graph.value(node.outputs[i]).shape = shapes->at(i);
  case_.graph.outputs = node.outputs;
  case_.graph.add_node(std::move(node));
  return case_.graph.outputs;
}

OpCase CaseBuilder::build(std::string name) {
  case_.name = std::move(name);
  case_.graph.name = case_.name;
  return std::move(case_);
}

}  // namespace sightglass::test
