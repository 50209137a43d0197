// Builds valid and invalid .tflite files for tests. Include it as "model_builder.h".
#pragma once

#include <flatbuffers/flexbuffers.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tflite/schema_generated.h"

namespace sightglass::test {

namespace schema = tflite::schema;
using Dims = std::vector<int32_t>;

// Tensors and operators are added in order, and identified by tensor index. Names default to "t0", "t1", …
class ModelBuilder {
 public:
  ModelBuilder();

  int add_input(const Dims& dims, schema::TensorType type = schema::TensorType::FLOAT32, const std::string& name = {});
  void add_output(int tensor);
  // A tensor without contents, for operators to write.
  int add_tensor(const Dims& dims, schema::TensorType type = schema::TensorType::FLOAT32, const std::string& name = {});
  int add_floats(const Dims& dims, const std::vector<float>& values, const std::string& name = {});
  int add_halves(const Dims& dims, const std::vector<float>& values, const std::string& name = {});
  int add_ints(const Dims& dims, const std::vector<int32_t>& values, const std::string& name = {});
  int add_longs(const Dims& dims, const std::vector<int64_t>& values, const std::string& name = {});
  int add_bytes(const Dims& dims, schema::TensorType type, const std::vector<uint8_t>& bytes,
                const std::string& name = {});
  // A float32 constant whose elements are all `value`.
  int add_filled(const Dims& dims, float value, const std::string& name = {});

  // Appends an operator that writes a new tensor of shape `out`, and returns that tensor. -1 is an absent input.
  int add_op(schema::BuiltinOperator code, const std::vector<int32_t>& inputs, const Dims& out,
             const std::string& name = {});
  template <typename OptionsT>
  requires(!std::is_convertible_v<OptionsT, std::string>) int add_op(schema::BuiltinOperator code,
                                                                     const std::vector<int32_t>& inputs,
                                                                     const Dims& out, OptionsT options,
                                                                     const std::string& name = {}) {
    const int tensor = add_op(code, inputs, out, name);
    last_op().builtin_options.Set(std::move(options));
    return tensor;
  }
  int add_custom_op(const std::string& custom_code, const std::vector<int32_t>& inputs, const Dims& out,
                    const std::vector<uint8_t>& options, const std::string& name = {});

  // Appends a subgraph, and returns its index. All functions then refer to it, until select_subgraph() returns.
  int begin_subgraph();
  void select_subgraph(int index) { current_ = static_cast<size_t>(index); }
  // Appends an operator that writes nothing.
  template <typename OptionsT>
  void add_effect(schema::BuiltinOperator code, const std::vector<int32_t>& inputs, OptionsT options) {
    add_op(code, inputs, {}, std::move(options));
    last_op().outputs.clear();
  }

  // For changes that the functions above do not support, especially contradictions.
  schema::ModelT& model() { return model_; }
  schema::SubGraphT& subgraph() { return *model_.subgraphs[current_]; }
  schema::TensorT& tensor(int index) { return *subgraph().tensors[static_cast<size_t>(index)]; }
  schema::OperatorT& last_op() { return *subgraph().operators.back(); }

  std::vector<std::byte> build(const char* identifier = schema::ModelIdentifier()) const;

 private:
  uint32_t opcode(schema::BuiltinOperator code, const std::string& custom_code);
  int append_op(uint32_t code, const std::vector<int32_t>& inputs, const Dims& out, const std::string& name);

  schema::ModelT model_;
  size_t current_ = 0;  // subgraph
};

schema::Conv2DOptionsT conv_options(schema::Padding padding, int32_t stride = 1, int32_t dilation = 1,
                                    schema::ActivationFunctionType activation = schema::ActivationFunctionType::NONE);
schema::DepthwiseConv2DOptionsT depthwise_options(
    schema::Padding padding, int32_t stride = 1, int32_t dilation = 1,
    schema::ActivationFunctionType activation = schema::ActivationFunctionType::NONE);
schema::Pool2DOptionsT pool_options(schema::Padding padding, int32_t filter, int32_t stride);
schema::SoftmaxOptionsT softmax_options(float beta = 1.0f);

// An image [1,size,size,3] and a 1x1 convolution with as many channels as there are biases; `weights` is [channels][3].
// Returns the tensor of logits. The caller adds the rest, including add_output().
int add_pointwise_head(ModelBuilder& builder, int32_t size, const std::vector<float>& weights,
                       const std::vector<float>& bias);

// Writes `bytes` to `path`. Throws std::runtime_error if that fails.
void write_file(const std::string& path, const std::vector<std::byte>& bytes);

// The options of custom operators as a map in a flexbuffer.
std::vector<uint8_t> flex_options(const std::function<void(flexbuffers::Builder&)>& fill);

// The options of custom operators as structs of integers.
std::vector<uint8_t> int32_options(std::initializer_list<int32_t> values);

}  // namespace sightglass::test
