#include "model_builder.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "sightglass/tensor.h"

namespace sightglass::test {
namespace {

template <typename T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

ModelBuilder::ModelBuilder() {
  model_.version = 3;
  model_.description = "made by a test";
  model_.buffers.push_back(std::make_unique<schema::BufferT>());  // by convention, the empty one
  model_.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
  subgraph().name = "main";
}

int ModelBuilder::begin_subgraph() {
  current_ = model_.subgraphs.size();
  model_.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
  return static_cast<int>(current_);
}

int ModelBuilder::add_tensor(const Dims& dims, schema::TensorType type, const std::string& name) {
  auto tensor = std::make_unique<schema::TensorT>();
  tensor->shape = dims;
  tensor->type = type;
  tensor->name = name.empty() ? "t" + std::to_string(subgraph().tensors.size()) : name;
  subgraph().tensors.push_back(std::move(tensor));
  return static_cast<int>(subgraph().tensors.size()) - 1;
}

int ModelBuilder::add_input(const Dims& dims, schema::TensorType type, const std::string& name) {
  const int tensor = add_tensor(dims, type, name);
  subgraph().inputs.push_back(tensor);
  return tensor;
}

void ModelBuilder::add_output(int tensor) { subgraph().outputs.push_back(tensor); }

int ModelBuilder::add_bytes(const Dims& dims, schema::TensorType type, const std::vector<uint8_t>& bytes,
                            const std::string& name) {
  const int index = add_tensor(dims, type, name);
  tensor(index).buffer = static_cast<uint32_t>(model_.buffers.size());
  model_.buffers.push_back(std::make_unique<schema::BufferT>());
  model_.buffers.back()->data = bytes;
  return index;
}

int ModelBuilder::add_floats(const Dims& dims, const std::vector<float>& values, const std::string& name) {
  return add_bytes(dims, schema::TensorType::FLOAT32, bytes_of(values), name);
}

int ModelBuilder::add_halves(const Dims& dims, const std::vector<float>& values, const std::string& name) {
  std::vector<uint16_t> halves;
  std::ranges::transform(values, std::back_inserter(halves), float_to_half);
  return add_bytes(dims, schema::TensorType::FLOAT16, bytes_of(halves), name);
}

int ModelBuilder::add_ints(const Dims& dims, const std::vector<int32_t>& values, const std::string& name) {
  return add_bytes(dims, schema::TensorType::INT32, bytes_of(values), name);
}

int ModelBuilder::add_longs(const Dims& dims, const std::vector<int64_t>& values, const std::string& name) {
  return add_bytes(dims, schema::TensorType::INT64, bytes_of(values), name);
}

int ModelBuilder::add_filled(const Dims& dims, float value, const std::string& name) {
  size_t elements = 1;
  for (const int32_t d : dims) elements *= static_cast<size_t>(d);
  return add_floats(dims, std::vector<float>(elements, value), name);
}

uint32_t ModelBuilder::opcode(schema::BuiltinOperator code, const std::string& custom_code) {
  const auto same = [&](const auto& known) { return known->builtin_code == code && known->custom_code == custom_code; };
  const auto known = std::ranges::find_if(model_.operator_codes, same);
  if (known != model_.operator_codes.end()) return static_cast<uint32_t>(known - model_.operator_codes.begin());
  // The older field is a byte. A special value announces larger codes.
  constexpr auto kGreatest = schema::BuiltinOperator::PLACEHOLDER_FOR_GREATER_OP_CODES;
  auto added = std::make_unique<schema::OperatorCodeT>();
  added->builtin_code = code;
  added->deprecated_builtin_code = static_cast<int8_t>(std::min(code, kGreatest));
  added->custom_code = custom_code;
  model_.operator_codes.push_back(std::move(added));
  return static_cast<uint32_t>(model_.operator_codes.size()) - 1;
}

int ModelBuilder::append_op(uint32_t code, const std::vector<int32_t>& inputs, const Dims& out,
                            const std::string& name) {
  const int tensor = add_tensor(out, schema::TensorType::FLOAT32, name);
  auto op = std::make_unique<schema::OperatorT>();
  op->opcode_index = code;
  op->inputs = inputs;
  op->outputs = {tensor};
  subgraph().operators.push_back(std::move(op));
  return tensor;
}

int ModelBuilder::add_op(schema::BuiltinOperator code, const std::vector<int32_t>& inputs, const Dims& out,
                         const std::string& name) {
  return append_op(opcode(code, {}), inputs, out, name);
}

int ModelBuilder::add_custom_op(const std::string& custom_code, const std::vector<int32_t>& inputs, const Dims& out,
                                const std::vector<uint8_t>& options, const std::string& name) {
  const int tensor = append_op(opcode(schema::BuiltinOperator::CUSTOM, custom_code), inputs, out, name);
  last_op().custom_options = options;
  return tensor;
}

std::vector<std::byte> ModelBuilder::build(const char* identifier) const {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Model::Pack(builder, &model_), identifier);
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {data, data + builder.GetSize()};
}

schema::Conv2DOptionsT conv_options(schema::Padding padding, int32_t stride, int32_t dilation,
                                    schema::ActivationFunctionType activation) {
  schema::Conv2DOptionsT options;
  options.padding = padding;
  options.stride_h = options.stride_w = stride;
  options.dilation_h_factor = options.dilation_w_factor = dilation;
  options.fused_activation_function = activation;
  return options;
}

schema::DepthwiseConv2DOptionsT depthwise_options(schema::Padding padding, int32_t stride, int32_t dilation,
                                                  schema::ActivationFunctionType activation) {
  schema::DepthwiseConv2DOptionsT options;
  options.padding = padding;
  options.stride_h = options.stride_w = stride;
  options.dilation_h_factor = options.dilation_w_factor = dilation;
  options.fused_activation_function = activation;
  return options;
}

schema::Pool2DOptionsT pool_options(schema::Padding padding, int32_t filter, int32_t stride) {
  schema::Pool2DOptionsT options;
  options.padding = padding;
  options.filter_height = options.filter_width = filter;
  options.stride_h = options.stride_w = stride;
  return options;
}

schema::SoftmaxOptionsT softmax_options(float beta) {
  schema::SoftmaxOptionsT options;
  options.beta = beta;
  return options;
}

int add_pointwise_head(ModelBuilder& builder, int32_t size, const std::vector<float>& weights,
                       const std::vector<float>& bias) {
  const auto channels = static_cast<int32_t>(bias.size());
  const int input = builder.add_input({1, size, size, 3}, schema::TensorType::FLOAT32, "picture");
  const int filter = builder.add_floats({channels, 1, 1, 3}, weights, "weights");
  const int offset = builder.add_floats({channels}, bias, "bias");
  return builder.add_op(schema::BuiltinOperator::CONV_2D, {input, filter, offset}, {1, size, size, channels},
                        conv_options(schema::Padding::SAME), "logits");
}

void write_file(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

std::vector<uint8_t> flex_options(const std::function<void(flexbuffers::Builder&)>& fill) {
  flexbuffers::Builder builder;
  builder.Map([&] { fill(builder); });
  builder.Finish();
  return builder.GetBuffer();
}

std::vector<uint8_t> int32_options(std::initializer_list<int32_t> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

}  // namespace sightglass::test
