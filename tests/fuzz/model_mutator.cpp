#include "model_mutator.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "tflite/schema_generated.h"

namespace sightglass::test {
namespace {

namespace fb = tflite::schema;

// Edge values of shapes, indices, and sizes.
constexpr int32_t kEdges[] = {-2147483647 - 1, -2,      -1,        0, 1, 2, 3, 4, 5, 8, 16, 255, 256, 4096,
                              65536,           1 << 24, 2147483647};

class Mutator {
 public:
  Mutator(fb::ModelT& model, unsigned seed) : model_(model), random_(seed) {}

  void change() {
    if (model_.subgraphs.empty()) return;
    fb::SubGraphT& graph = *model_.subgraphs[below(model_.subgraphs.size())];
    switch (below(7)) {
      case 0:
        if (auto* tensor = pick(graph.tensors)) change_tensor(*tensor);
        break;
      case 1:
        if (auto* op = pick(graph.operators)) change_numbers(below(4) == 0 ? op->outputs : op->inputs);
        break;
      case 2:
        if (auto* code = pick(model_.operator_codes)) change_code(*code);
        break;
      case 3:
        if (auto* buffer = pick(model_.buffers)) change_buffer(buffer->data);
        break;
      case 4:
        double_operator(graph);
        break;
      case 5:
        change_numbers(below(2) == 0 ? graph.inputs : graph.outputs);
        break;
      default:
        change_options(graph);
        break;
    }
  }

 private:
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }
  int32_t edge() { return kEdges[below(std::size(kEdges))]; }
  template <typename T>
  T* pick(std::vector<std::unique_ptr<T>>& list) {
    return list.empty() ? nullptr : list[below(list.size())].get();
  }

  void change_numbers(std::vector<int32_t>& numbers) {
    const size_t choice = below(8);
    if (choice == 0 || numbers.empty()) {
      numbers.push_back(edge());
    } else if (choice == 1) {
      numbers.pop_back();
    } else if (choice == 2) {
      std::swap(numbers[below(numbers.size())], numbers[below(numbers.size())]);
    } else if (choice < 5) {
      int32_t& number = numbers[below(numbers.size())];
      number = static_cast<int32_t>(static_cast<uint32_t>(number) + static_cast<uint32_t>(below(3)) - 1);
    } else {
      numbers[below(numbers.size())] = edge();
    }
  }

  void change_tensor(fb::TensorT& tensor) {
    switch (below(5)) {
      case 0:
        tensor.type = static_cast<fb::TensorType>(below(20));
        break;
      case 1:
        tensor.buffer = static_cast<uint32_t>(below(model_.buffers.size() + 2));
        break;
      case 2:
        tensor.shape.clear();  // the shape then follows from the operator
        break;
      default:
        change_numbers(tensor.shape);
        break;
    }
  }

  void change_code(fb::OperatorCodeT& code) {
    const auto op = static_cast<fb::BuiltinOperator>(below(130));
    code.builtin_code = op;
    code.deprecated_builtin_code = static_cast<int8_t>(std::min<int32_t>(static_cast<int32_t>(op), 127));
  }

  void change_buffer(std::vector<uint8_t>& data) {
    if (data.size() < sizeof(int32_t)) {
      data.resize(data.size() + sizeof(int32_t));
      return;
    }
    const int32_t number = edge();
    std::memcpy(data.data() + below(data.size() / sizeof(int32_t)) * sizeof(int32_t), &number, sizeof(number));
  }

  // A copy that reads the output of the original.
  void double_operator(fb::SubGraphT& graph) {
    const fb::OperatorT* const op = pick(graph.operators);
    if (op == nullptr || op->inputs.empty() || op->outputs.empty() || graph.operators.size() > 50) return;
    auto copy = std::make_unique<fb::OperatorT>(*op);
    copy->inputs[below(copy->inputs.size())] = op->outputs[0];
    copy->outputs = {static_cast<int32_t>(graph.tensors.size())};
    graph.tensors.push_back(std::make_unique<fb::TensorT>());
    if (below(2) == 0) graph.outputs = copy->outputs;
    graph.operators.push_back(std::move(copy));
  }

  void change_options(fb::SubGraphT& graph) {
    fb::OperatorT* const op = pick(graph.operators);
    if (op == nullptr) return;
    fb::BuiltinOptionsUnion& options = op->builtin_options;
    if (auto* conv = options.AsConv2DOptions()) {
      *pick_number({&conv->stride_h, &conv->stride_w, &conv->dilation_h_factor, &conv->dilation_w_factor}) = edge();
      conv->padding = static_cast<fb::Padding>(below(2));
    } else if (auto* depthwise = options.AsDepthwiseConv2DOptions()) {
      *pick_number({&depthwise->stride_h, &depthwise->stride_w, &depthwise->dilation_h_factor}) = edge();
      depthwise->padding = static_cast<fb::Padding>(below(2));
    } else if (auto* pool = options.AsPool2DOptions()) {
      *pick_number({&pool->stride_h, &pool->stride_w, &pool->filter_height, &pool->filter_width}) = edge();
      pool->padding = static_cast<fb::Padding>(below(2));
    } else if (auto* transposed = options.AsTransposeConvOptions()) {
      *pick_number({&transposed->stride_h, &transposed->stride_w}) = edge();
      transposed->padding = static_cast<fb::Padding>(below(2));
    } else if (auto* slice = options.AsStridedSliceOptions()) {
      *pick_number({&slice->begin_mask, &slice->end_mask, &slice->ellipsis_mask, &slice->new_axis_mask,
                    &slice->shrink_axis_mask}) = static_cast<int32_t>(below(32));
    } else if (auto* reshape = options.AsReshapeOptions()) {
      change_numbers(reshape->new_shape);
    } else if (auto* squeeze = options.AsSqueezeOptions()) {
      change_numbers(squeeze->squeeze_dims);
    } else if (auto* concat = options.AsConcatenationOptions()) {
      concat->axis = edge();
    } else if (auto* depth = options.AsDepthToSpaceOptions()) {
      depth->block_size = edge();
    } else if (auto* loop = options.AsWhileOptions()) {
      *pick_number({&loop->cond_subgraph_index, &loop->body_subgraph_index}) = static_cast<int32_t>(below(4));
    } else if (auto* once = options.AsCallOnceOptions()) {
      once->init_subgraph_index = edge();
    } else if (op->custom_options.size() >= sizeof(int32_t)) {
      change_buffer(op->custom_options);
    }
  }
  int32_t* pick_number(std::initializer_list<int32_t*> numbers) { return *(numbers.begin() + below(numbers.size())); }

  fb::ModelT& model_;
  std::mt19937 random_;
};

}  // namespace

std::vector<uint8_t> mutate_model(std::span<const uint8_t> bytes, unsigned seed) {
  // Only few tables, because unpacking duplicates shared tables.
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), 16, 1000);
  if (bytes.size() < 8 || !fb::VerifyModelBuffer(verifier)) return {};
  fb::ModelT model;
  fb::GetModel(bytes.data())->UnPackTo(&model);
  // A tag without a table, because such structs cannot be copied.
  const auto repair = [](auto& choice) {
    if (choice.value == nullptr) choice.Reset();
  };
  for (const auto& graph : model.subgraphs) {
    for (const auto& op : graph->operators) repair(op->builtin_options);
    for (const auto& tensor : graph->tensors) {
      if (!tensor->sparsity) continue;
      for (const auto& dim : tensor->sparsity->dim_metadata) {
        repair(dim->array_segments);
        repair(dim->array_indices);
      }
    }
  }
  Mutator mutator(model, seed);
  for (unsigned i = 0; i <= seed % 4; ++i) mutator.change();
  flatbuffers::FlatBufferBuilder builder;
  fb::FinishModelBuffer(builder, fb::Model::Pack(builder, &model));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace sightglass::test
