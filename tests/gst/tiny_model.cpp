#include "tiny_model.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/scratch_folder.h"
#include "tflite/schema_generated.h"

namespace sightglass::test {

namespace {

namespace schema = tflite::schema;

// Adds operators one after the other, each on the output of the previous one.
class Chain {
 public:
  explicit Chain(std::vector<int32_t> input_shape) {
    model_.version = 3;
    model_.buffers.push_back(std::make_unique<schema::BufferT>());  // 0 is the empty one
    model_.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
    last_ = add_tensor("input", std::move(input_shape));
    graph().inputs = {last_};
  }

  template <typename T>
  int32_t add_constant(const char* name, schema::TensorType type, std::vector<int32_t> shape,
                       const std::vector<T>& values) {
    const int32_t index = add_tensor(name, std::move(shape));
    schema::TensorT& tensor = *graph().tensors[static_cast<size_t>(index)];
    tensor.type = type;
    tensor.buffer = static_cast<uint32_t>(model_.buffers.size());
    model_.buffers.push_back(std::make_unique<schema::BufferT>());
    model_.buffers.back()->data.resize(values.size() * sizeof(T));
    std::memcpy(model_.buffers.back()->data.data(), values.data(), values.size() * sizeof(T));
    return index;
  }

  schema::OperatorT& add(schema::BuiltinOperator code, std::vector<int32_t> output_shape,
                         const std::vector<int32_t>& constants = {}, const char* custom = "") {
    auto operator_code = std::make_unique<schema::OperatorCodeT>();
    operator_code->builtin_code = code;
    operator_code->deprecated_builtin_code = static_cast<int8_t>(code);
    operator_code->custom_code = custom;
    auto node = std::make_unique<schema::OperatorT>();
    node->opcode_index = static_cast<uint32_t>(model_.operator_codes.size());
    node->inputs = {last_};
    node->inputs.insert(node->inputs.end(), constants.begin(), constants.end());
    last_ = add_tensor("output", std::move(output_shape));
    node->outputs = {last_};
    model_.operator_codes.push_back(std::move(operator_code));
    graph().operators.push_back(std::move(node));
    return *graph().operators.back();
  }

  int32_t last() const { return last_; }
  void go_on_from(int32_t tensor) { last_ = tensor; }
  // In addition to the last one, and before it.
  void add_output(int32_t tensor) { graph().outputs.push_back(tensor); }
  // Before the others.
  int32_t add_input(const char* name, std::vector<int32_t> shape) {
    const int32_t input = add_tensor(name, std::move(shape));
    graph().inputs.insert(graph().inputs.begin(), input);
    return input;
  }
  void set_output_type(schema::TensorType type) { graph().tensors[static_cast<size_t>(last_)]->type = type; }
  void set_quantization(float scale, int64_t zero_point) {
    auto& quantization = graph().tensors[static_cast<size_t>(last_)]->quantization;
    quantization = std::make_unique<schema::QuantizationParametersT>();
    quantization->scale = {scale};
    quantization->zero_point = {zero_point};
  }
  void leave_batch_open() {
    for (const auto& tensor : graph().tensors) {
      if (tensor->shape.size() < 4) continue;
      tensor->shape_signature = tensor->shape;
      tensor->shape_signature[0] = -1;
    }
  }
  void set_output_name(const char* name) { graph().tensors[static_cast<size_t>(last_)]->name = name; }

  void write(const std::string& path) {
    graph().outputs.push_back(last_);
    flatbuffers::FlatBufferBuilder builder;
    schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model_));
    // A concurrent reader of the file maps either the complete old file or the complete new one.
    const std::string draft = path + ".draft" + std::to_string(reinterpret_cast<uintptr_t>(this));
    std::ofstream(draft, std::ios::binary)
        .write(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    std::filesystem::rename(draft, path);
  }

 private:
  schema::SubGraphT& graph() { return *model_.subgraphs[0]; }
  int32_t add_tensor(const char* name, std::vector<int32_t> shape) {
    auto tensor = std::make_unique<schema::TensorT>();
    tensor->name = name;
    tensor->shape = std::move(shape);
    graph().tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph().tensors.size()) - 1;
  }

  schema::ModelT model_;
  int32_t last_ = 0;
};

void add_convolution(Chain& chain, int32_t in, const std::vector<float>& weights, const std::vector<float>& bias,
                     int32_t height = 16, int32_t width = 16) {
  const auto out = static_cast<int32_t>(bias.size());
  const int32_t w = chain.add_constant("weights", schema::TensorType::FLOAT32, {out, 1, 1, in}, weights);
  const int32_t b = chain.add_constant("bias", schema::TensorType::FLOAT32, {out}, bias);
  schema::Conv2DOptionsT options;
  options.padding = schema::Padding::VALID;
  options.stride_h = options.stride_w = 1;
  chain.add(schema::BuiltinOperator::CONV_2D, {1, height, width, out}, {w, b}).builtin_options.Set(options);
}

}  // namespace

std::string red_model(Head head, int32_t batch) {
  using Op = schema::BuiltinOperator;
  const std::string of_batch = batch == 1 ? "" : "_batch" + std::to_string(batch);
  std::string path = scratch_folder() / ("red_" + std::to_string(static_cast<int>(head)) + of_batch + ".tflite");
  const int32_t channels = head == Head::kGrayInput ? 1 : head == Head::kRemembers ? 4 : 3;
  const int32_t images = std::max(batch, 1);
  Chain chain({images, 16, 16, channels});
  switch (head) {
    case Head::kSigmoid:
      add_convolution(chain, 3, {40, 0, 0}, {-18});
      chain.add(Op::LOGISTIC, {1, 16, 16, 1});
      break;
    case Head::kLogit:
      add_convolution(chain, 3, {40, 0, 0}, {-18});
      break;
    case Head::kTwoSoftmax: {
      add_convolution(chain, 3, {-20, 0, 0, 20, 0, 0}, {9, -9});
      schema::SoftmaxOptionsT options;
      options.beta = 1;
      chain.add(Op::SOFTMAX, {1, 16, 16, 2}).builtin_options.Set(options);
      break;
    }
    case Head::kThreeLogits:
      add_convolution(chain, 3, {-20, 0, 0, 20, 0, 0, 0, 0, 0}, {9, -9, -100});
      break;
    case Head::kFourClasses:
    case Head::kClassNumbers:
      add_convolution(chain, 3, {0, 0, 0, 40, 0, 0, 0, 40, 0, 0, 0, 40}, {20, 0, 0, 0});
      if (head == Head::kClassNumbers) {
        const int32_t axis = chain.add_constant<int32_t>("axis", schema::TensorType::INT32, {}, {3});
        chain.add(Op::ARG_MAX, {1, 16, 16}, {axis});
        chain.set_output_type(schema::TensorType::INT64);
      }
      break;
    case Head::kSamples: {
      add_convolution(chain, 3, {40, 0, 0}, {-18});
      chain.add(Op::LOGISTIC, {1, 16, 16, 1});
      const int32_t white = chain.add_constant<float>("white", schema::TensorType::FLOAT32, {}, {255});
      chain.add(Op::MUL, {1, 16, 16, 1}, {white}).builtin_options.Set(schema::MulOptionsT());
      break;
    }
    case Head::kHardSigmoid: {
      add_convolution(chain, 3, {40, 0, 0}, {-18});
      chain.add(Op::RELU6, {1, 16, 16, 1});
      const int32_t sixth = chain.add_constant<float>("sixth", schema::TensorType::FLOAT32, {}, {1.0F / 6});
      chain.add(Op::MUL, {1, 16, 16, 1}, {sixth}).builtin_options.Set(schema::MulOptionsT());
      break;
    }
    case Head::kFlipped: {
      add_convolution(chain, 3, {40, 0, 0}, {-18});
      chain.add(Op::LOGISTIC, {1, 16, 16, 1});
      const int32_t one = chain.add_constant<float>("one", schema::TensorType::FLOAT32, {}, {1});
      for (int i = 0; i < 2; ++i) {
        schema::OperatorT& flip = chain.add(Op::SUB, {1, 16, 16, 1}, {one});
        std::swap(flip.inputs[0], flip.inputs[1]);
        flip.builtin_options.Set(schema::SubOptionsT());
      }
      break;
    }
    case Head::kChannelsFirst: {
      add_convolution(chain, 3, {-20, 0, 0, 20, 0, 0}, {9, -9});
      schema::SoftmaxOptionsT options;
      options.beta = 1;
      chain.add(Op::SOFTMAX, {1, 16, 16, 2}).builtin_options.Set(options);
      const int32_t order = chain.add_constant<int32_t>("order", schema::TensorType::INT32, {4}, {0, 3, 1, 2});
      chain.add(Op::TRANSPOSE, {1, 2, 16, 16}, {order});
      break;
    }
    case Head::kFlat: {
      add_convolution(chain, 3, {40, 0, 0}, {-18});
      chain.add(Op::LOGISTIC, {1, 16, 16, 1});
      const int32_t shape = chain.add_constant<int32_t>("shape", schema::TensorType::INT32, {2}, {1, 256});
      chain.add(Op::RESHAPE, {1, 256}, {shape}).builtin_options.Set(schema::ReshapeOptionsT());
      break;
    }
    case Head::kFloatNumbers:
    case Head::kByteNumbers: {
      add_convolution(chain, 3, {0, 0, 0, 40, 0, 0, 0, 40, 0, 0, 0, 40}, {20, 0, 0, 0});
      const int32_t axis = chain.add_constant<int32_t>("axis", schema::TensorType::INT32, {}, {3});
      chain.add(Op::ARG_MAX, {1, 16, 16}, {axis});
      chain.set_output_type(schema::TensorType::INT64);
      chain.add(Op::CAST, {1, 16, 16});
      if (head == Head::kByteNumbers) {
        chain.set_output_type(schema::TensorType::UINT8);
        break;
      }
      const int32_t shape = chain.add_constant<int32_t>("shape", schema::TensorType::INT32, {4}, {1, 16, 16, 1});
      chain.add(Op::RESHAPE, {1, 16, 16, 1}, {shape}).builtin_options.Set(schema::ReshapeOptionsT());
      break;
    }
    case Head::kRemembers:
      add_convolution(chain, 4, {0, 0, 0, 0, 40, 0, 0, 40}, {18, 0});
      break;
    case Head::kGrayInput:
      add_convolution(chain, 1, {40}, {-18});
      chain.add(Op::LOGISTIC, {1, 16, 16, 1});
      break;
    case Head::kVector: {
      const int32_t axes = chain.add_constant<int32_t>("axes", schema::TensorType::INT32, {2}, {1, 2});
      schema::ReducerOptionsT options;
      options.keep_dims = true;
      chain.add(Op::MEAN, {images, 1, 1, 3}, {axes}).builtin_options.Set(options);
      if (batch == 0) chain.leave_batch_open();
      break;
    }
    case Head::kList: {
      add_convolution(chain, 3, {40, 0, 0}, {-18});
      const int32_t shape = chain.add_constant<int32_t>("shape", schema::TensorType::INT32, {3}, {1, 32, 8});
      chain.add(Op::RESHAPE, {1, 32, 8}, {shape}).builtin_options.Set(schema::ReshapeOptionsT());
      break;
    }
    case Head::kCpuOnly: {
      add_convolution(chain, 3, {40, 0, 0}, {-18});
      const int32_t logits = chain.last();
      const int32_t axes = chain.add_constant<int32_t>("axes", schema::TensorType::INT32, {3}, {1, 2, 3});
      schema::ReducerOptionsT keep;
      keep.keep_dims = true;
      chain.add(Op::MEAN, {1, 1, 1, 1}, {axes}).builtin_options.Set(keep);
      const auto one_number = [&](const char* name, float value) {
        return chain.add_constant<float>(name, schema::TensorType::FLOAT32, {1}, {value});
      };
      chain.add(Op::MUL, {1, 1, 1, 1}, {one_number("zero", 0)}).builtin_options.Set(schema::MulOptionsT());
      chain.add(Op::ADD, {1, 1, 1, 1}, {one_number("one", 1)}).builtin_options.Set(schema::AddOptionsT());
      const int32_t weights = chain.last();
      const int32_t shape = chain.add_constant<int32_t>("shape", schema::TensorType::INT32, {4}, {1, 16, 16, 1});
      schema::TransposeConvOptionsT options;
      options.padding = schema::Padding::VALID;
      options.stride_h = options.stride_w = 1;
      schema::OperatorT& transposed = chain.add(Op::TRANSPOSE_CONV, {1, 16, 16, 1});
      transposed.inputs = {shape, weights, logits};
      transposed.builtin_options.Set(options);
      chain.add(Op::LOGISTIC, {1, 16, 16, 1});
      break;
    }
    case Head::kUnknownOp:
      chain.add(Op::CUSTOM, {1, 16, 16, 1}, {}, "SightglassTestOp");
      break;
  }
  chain.write(path);
  return path;
}

std::string matting_model() {
  using Op = schema::BuiltinOperator;
  std::string path = scratch_folder() / "matting.tflite";
  Chain chain({1, 16, 16, 3});
  const int32_t frame = chain.last();
  chain.add_input("downsample_ratio", {1});
  const int32_t before = chain.add_input("r2i", {1, 16, 16, 2}), last = chain.add_input("r1i", {1, 16, 16, 2});
  add_convolution(chain, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0});
  const int32_t colors = chain.last();
  chain.go_on_from(last);
  add_convolution(chain, 2, {1, 0, 0, 1}, {0, 0});
  const int32_t second = chain.last();
  chain.go_on_from(before);
  add_convolution(chain, 2, {1, 0}, {0});
  const int32_t older = chain.last();
  chain.go_on_from(frame);
  add_convolution(chain, 3, {40, 0, 0, 40, 0, 0}, {-18, -18});
  chain.add(Op::LOGISTIC, {1, 16, 16, 2});
  const int32_t first = chain.last();
  add_convolution(chain, 2, {1, 0}, {0});
  chain.add(Op::MAXIMUM, {1, 16, 16, 1}, {older});
  chain.add(Op::RELU, {1, 16, 16, 1});
  chain.add(Op::MINIMUM, {1, 16, 16, 1}, {chain.add_constant<float>("one", schema::TensorType::FLOAT32, {}, {1})});
  for (const int32_t output : {colors, first, second}) chain.add_output(output);
  chain.write(path);
  return path;
}

std::string two_input_model(int32_t channels) {
  using Op = schema::BuiltinOperator;
  std::string path = scratch_folder() / ("two_inputs_" + std::to_string(channels) + ".tflite");
  Chain chain({1, 16, 16, 3});
  const int32_t other = chain.add_input("other", {1, 16, 16, channels});
  if (channels == 3) {
    chain.add(Op::ADD, {1, 16, 16, 3}, {other}).builtin_options.Set(schema::AddOptionsT());
    chain.add_output(chain.last());
  }
  add_convolution(chain, 3, {40, 0, 0}, {-18});
  chain.add(Op::LOGISTIC, {1, 16, 16, 1});
  if (channels == 1) {
    chain.add(Op::MAXIMUM, {1, 16, 16, 1}, {other});
    chain.add(Op::MINIMUM, {1, 16, 16, 1}, {chain.add_constant<float>("one", schema::TensorType::FLOAT32, {}, {1})});
    chain.add(Op::RELU, {1, 16, 16, 1});
  }
  chain.write(path);
  return path;
}

std::string unsure_model(int32_t side) {
  std::string path = scratch_folder() / ("unsure_" + std::to_string(side) + ".tflite");
  Chain chain({1, side, side, 3});
  add_convolution(chain, 3, {16, 0, 0}, {-8}, side, side);
  chain.add(schema::BuiltinOperator::LOGISTIC, {1, side, side, 1});
  chain.write(path);
  return path;
}

std::string shaped_model(const ModelShape& shape) {
  std::string path = scratch_folder() / ("shaped_" + std::to_string(shape.height) + "x" + std::to_string(shape.width) +
                                         "x" + std::to_string(shape.channels) + "_" + std::to_string(shape.classes) +
                                         "_" + shape.output + ".tflite");
  Chain chain({1, shape.height, shape.width, shape.channels});
  add_convolution(chain, shape.channels, std::vector<float>(static_cast<size_t>(shape.channels * shape.classes)),
                  std::vector<float>(static_cast<size_t>(shape.classes)), shape.height, shape.width);
  chain.set_output_name(shape.output);
  chain.write(path);
  return path;
}

std::string yolo_model(const YoloFile& file) {
  using Op = schema::BuiltinOperator;
  using Rows = YoloFile::Rows;
  constexpr int32_t kSide = 32, kCells = 21, kRanked = 300, kMeans = 3;
  const bool rotated = file.rows >= Rows::kRotatedLast, objectness = file.rows == Rows::kObjectness;
  const bool ranked = file.rows == Rows::kRanked || file.rows == Rows::kRankedRotated;
  const bool last = file.rows == Rows::kBoxesLast || file.rows == Rows::kRotatedLast;
  const int32_t classes = file.points > 0 ? 1 : 2;
  const int32_t first = objectness ? 5 : 4, before = ranked ? 6 : first + classes;
  const int32_t values = before + 3 * file.points + file.coefficients + (rotated ? 1 : 0);
  const int32_t rows = (ranked ? kRanked : objectness ? 3 * kCells : kCells) + (file.odd ? 2 : 0);
  std::string path =
      scratch_folder() / ("yolo_" + std::to_string(static_cast<int>(file.rows)) + (file.in_pixels ? "p" : "") +
                          std::to_string(file.points) + "_" + std::to_string(file.coefficients) +
                          (file.odd ? "o" : "") + (file.bytes ? "b" : "") + ".tflite");
  std::vector<float> weights(static_cast<size_t>(rows * values * kMeans)), bias(static_cast<size_t>(rows * values));
  const auto at = [&](int32_t row, int32_t value) {
    return static_cast<size_t>(last ? value * rows + row : row * values + value);
  };
  const float unit = file.in_pixels ? kSide : 1;
  const auto set_box = [&](int32_t row, float x, float y, float w, float h) {
    const std::array<float, 4> plain{x, y, w, h}, corners{x - w / 2, y - h / 2, x + w / 2, y + h / 2};
    for (int32_t i = 0; i < 4; ++i)
      bias[at(row, i)] = unit * (ranked && !rotated ? corners : plain)[static_cast<size_t>(i)];
    for (int32_t i = 0; i < file.points; ++i) {
      const float along = (static_cast<float>(i) + 0.5F) / static_cast<float>(file.points) - 0.5F;
      bias[at(row, before + 3 * i)] = unit * (x + along * w);
      bias[at(row, before + 3 * i + 1)] = unit * (y + along * h);
      bias[at(row, before + 3 * i + 2)] = 0.9F;
    }
  };
  for (int32_t row = 0; row < rows; ++row) {
    set_box(row, static_cast<float>(row % 5) / 5 + 0.1F, static_cast<float>(row % 4) / 4 + 0.1F, 0.1F, 0.1F);
    if (objectness) bias[at(row, 4)] = 0.5F;
  }
  // Two boxes of the same object, the second one of a lower score, and one of the other class.
  for (const auto& [row, class_id, share] : {std::tuple{5, 0, 0.9F}, {6, 0, 1.0F}, {9, 1, 1.0F}}) {
    if (class_id >= classes) continue;
    const float* box = kYoloBoxes[class_id];
    set_box(row, box[0] + (share < 1 ? 0.01F : 0), box[1], box[2], box[3]);
    if (objectness) bias[at(row, 4)] = 1;
    const size_t score = at(row, ranked ? 4 : first + class_id);
    weights[score * kMeans + static_cast<size_t>(class_id)] = share * kYoloScores[class_id];
    if (ranked) bias[at(row, 5)] = static_cast<float>(class_id);
    if (file.coefficients > 0) bias[at(row, before + class_id)] = 1;
    if (rotated) bias[at(row, before)] = kYoloAngles[class_id];
  }
  Chain chain({1, kSide, kSide, 3});
  const int32_t input = chain.last();
  const int32_t axes = chain.add_constant<int32_t>("axes", schema::TensorType::INT32, {2}, {1, 2});
  chain.add(Op::MEAN, {1, kMeans}, {axes}).builtin_options.Set(schema::ReducerOptionsT());
  const int32_t w = chain.add_constant("weights", schema::TensorType::FLOAT32, {rows * values, kMeans}, weights);
  const int32_t b = chain.add_constant("bias", schema::TensorType::FLOAT32, {rows * values}, bias);
  chain.add(Op::FULLY_CONNECTED, {1, rows * values}, {w, b}).builtin_options.Set(schema::FullyConnectedOptionsT());
  const std::vector<int32_t> dims{1, last ? values : rows, last ? rows : values};
  const int32_t shape = chain.add_constant("shape", schema::TensorType::INT32, {3}, dims);
  chain.add(Op::RESHAPE, dims, {shape}).builtin_options.Set(schema::ReshapeOptionsT());
  if (file.bytes) {
    chain.add(Op::QUANTIZE, dims);
    chain.set_output_type(schema::TensorType::INT8);
    chain.set_quantization(file.in_pixels ? 0.2F : 1.0F / (rotated ? 100 : 200), -100);
  }
  if (file.coefficients > 0) {
    const int32_t boxes = chain.last();
    chain.go_on_from(input);
    schema::Pool2DOptionsT pool;
    pool.padding = schema::Padding::VALID;
    pool.stride_h = pool.stride_w = pool.filter_height = pool.filter_width = 4;
    chain.add(Op::AVERAGE_POOL_2D, {1, kSide / 4, kSide / 4, 3}).builtin_options.Set(pool);
    std::vector<float> prototypes(static_cast<size_t>(3 * file.coefficients));
    for (size_t i = 0; i < 2; ++i) prototypes[3 * i + i] = 20;
    add_convolution(chain, 3, prototypes, std::vector<float>(static_cast<size_t>(file.coefficients), -10), kSide / 4,
                    kSide / 4);
    chain.add_output(boxes);
  }
  chain.write(path);
  return path;
}

std::string enlarging_model(int32_t height, int32_t width) {
  std::string path =
      scratch_folder() / ("enlarging_" + std::to_string(height) + "x" + std::to_string(width) + ".tflite");
  Chain chain({1, height, width, 3});
  std::vector<float> weights;
  for (const float factor : kEnlarged) {
    for (const auto& row : {std::array{factor, 0.0F, 0.0F}, {0.0F, factor, 0.0F}, {0.0F, 0.0F, factor}}) {
      weights.insert(weights.end(), row.begin(), row.end());
    }
  }
  add_convolution(chain, 3, weights, std::vector<float>(12), height, width);
  schema::DepthToSpaceOptionsT options;
  options.block_size = 2;
  chain.add(schema::BuiltinOperator::DEPTH_TO_SPACE, {1, 2 * height, 2 * width, 3}).builtin_options.Set(options);
  chain.write(path);
  return path;
}

}  // namespace sightglass::test
