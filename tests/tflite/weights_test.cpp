// The scales of 8-bit weights: kernels pack them without further checks, so an undetected wrong layout would read past
// the end of the list. Sparse constants: values computed by hand, and contradictory descriptions.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "graph/lstm.h"
#include "harness/value_of.h"
#include "import_test.h"
#include "sightglass/plan.h"
#include "tflite/tensor_table.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;
using Pad = schema::Padding;
using Type = schema::TensorType;

struct Layout {
  std::string name;
  std::vector<float> scales;
  int32_t axis = 0;
  bool fits = false;
};

// For weights of that shape, with output channels along `axis`.
std::vector<Layout> layouts(const Dims& shape, int32_t axis) {
  std::vector<Layout> list{{"none", {}, 0, false},
                           {"one", {0.5f}, 0, true},
                           {"one of zero", {0.0f}, 0, false},
                           {"one below zero", {-0.5f}, 0, false}};
  for (int32_t d = 0; d < static_cast<int32_t>(shape.size()); ++d) {
    const auto count = static_cast<size_t>(shape[static_cast<size_t>(d)]);
    if (count < 2) continue;
    list.push_back({"along " + std::to_string(d), std::vector<float>(count, 0.25f), d, d == axis});
    if (d != axis) continue;
    list.push_back({"with a zero", std::vector<float>(count, 0.25f), d, false});
    list.back().scales.back() = 0;
    list.push_back({"with one below zero", std::vector<float>(count, 0.25f), d, false});
    list.back().scales.front() = -1;
  }
  return list;
}

void set_scales(ModelBuilder& m, int tensor, const Layout& layout) {
  m.tensor(tensor).quantization = std::make_unique<schema::QuantizationParametersT>();
  m.tensor(tensor).quantization->scale = layout.scales;
  m.tensor(tensor).quantization->zero_point.assign(layout.scales.size(), 0);
  m.tensor(tensor).quantization->quantized_dimension = layout.axis;
}

struct WeightedOp {
  std::string name;
  Dims shape;    // of the weights
  int32_t axis;  // of output channels
  Dims data, made;
  // Adds the operator to `data` and `weights`, and returns its output.
  std::function<int(ModelBuilder&, int data, int weights)> add;
};

std::vector<WeightedOp> weighted_ops() {
  schema::TransposeConvOptionsT transpose;
  transpose.padding = Pad::SAME;
  transpose.stride_h = transpose.stride_w = 1;
  return {
      {"CONV_2D",
       {6, 3, 2, 5},
       0,
       {1, 4, 4, 5},
       {1, 4, 4, 6},
       [](ModelBuilder& m, int data, int weights) {
         return m.add_op(Op::CONV_2D, {data, weights, -1}, {1, 4, 4, 6}, conv_options(Pad::SAME), "made");
       }},
      {"DEPTHWISE_CONV_2D",
       {1, 3, 2, 5},
       3,
       {1, 4, 4, 5},
       {1, 4, 4, 5},
       [](ModelBuilder& m, int data, int weights) {
         return m.add_op(Op::DEPTHWISE_CONV_2D, {data, weights, -1}, {1, 4, 4, 5}, depthwise_options(Pad::SAME),
                         "made");
       }},
      {"TRANSPOSE_CONV",
       {6, 3, 2, 5},
       0,
       {1, 4, 4, 5},
       {1, 4, 4, 6},
       [transpose](ModelBuilder& m, int data, int weights) {
         return m.add_op(Op::TRANSPOSE_CONV, {m.add_ints({4}, {1, 4, 4, 6}), weights, data}, {1, 4, 4, 6}, transpose,
                         "made");
       }},
      {"FULLY_CONNECTED",
       {6, 5},
       0,
       {3, 5},
       {3, 6},
       [](ModelBuilder& m, int data, int weights) {
         return m.add_op(Op::FULLY_CONNECTED, {data, weights, -1}, {3, 6}, schema::FullyConnectedOptionsT(), "made");
       }},
      {"CUSTOM 'Convolution2DTransposeBias'",
       {6, 2, 2, 5},
       0,
       {1, 4, 4, 5},
       {1, 8, 8, 6},
       [](ModelBuilder& m, int data, int weights) {
         return m.add_custom_op("Convolution2DTransposeBias", {data, weights, m.add_filled({6}, 0.5f)}, {1, 8, 8, 6},
                                int32_options({1, 2, 2}), "made");
       }},
  };
}

// A model with one operator. If it is imported, it must be possible to plan it.
void expect_layout(const ModelBuilder& m, const std::string& op, const Layout& layout) {
  const std::vector<std::byte> bytes = m.build();
  const auto model = Model::load(bytes, "m.tflite");
  if (!layout.fits) {
    ASSERT_FALSE(model.ok()) << "it was imported";
    EXPECT_EQ(model.status().code(), ErrorCode::kUnsupported) << model.status().message();
    expect_words(model.status().message(), {op + " #0", std::string("'weights'")});
    return;
  }
  ASSERT_TRUE(model.ok()) << model.status().message();
  const auto plan = value_of(Plan::build(*model, DeviceLimits()));
}

class WeightScales : public testing::TestWithParam<Type> {};

TEST_P(WeightScales, OneOrOnePerOutputChannel) {
  for (const bool quantized_data : {false, true}) {
    for (const WeightedOp& op : weighted_ops()) {
      for (const Layout& layout : layouts(op.shape, op.axis)) {
        SCOPED_TRACE(op.name + (quantized_data ? " of integers, " : " of floats, ") + layout.name);
        ModelBuilder m;
        const int data = m.add_input(op.data, quantized_data ? GetParam() : Type::FLOAT32, "data");
        size_t elements = 1;
        for (const int32_t dim : op.shape) elements *= static_cast<size_t>(dim);
        const int weights = m.add_bytes(op.shape, GetParam(), std::vector<uint8_t>(elements, 3), "weights");
        set_scales(m, weights, layout);
        const int made = op.add(m, data, weights);
        if (quantized_data) {
          set_scales(m, data, {"", {0.5f}});
          m.tensor(made).type = GetParam();
          set_scales(m, made, {"", {0.5f}});
        }
        m.add_output(made);
        expect_layout(m, op.name, layout);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, WeightScales, testing::Values(Type::INT8, Type::UINT8),
                         [](const auto& info) { return schema::EnumNameTensorType(info.param); });

TEST(ScalesOfWeights, OfAnLstm) {
  const Dims shape{2, 3};
  for (const Layout& layout : layouts(shape, 0)) {
    SCOPED_TRACE(layout.name);
    ModelBuilder m;
    std::vector<int32_t> inputs(24, -1);
    inputs[lstm::kData] = m.add_input({1, 5, 3});
    for (size_t gate = 0; gate < lstm::kGates; ++gate) {
      inputs[lstm::kInputWeights + gate] = m.add_bytes(shape, Type::INT8, std::vector<uint8_t>(6, 3), "weights");
      set_scales(m, inputs[lstm::kInputWeights + gate], layout);
      inputs[lstm::kRecurrentWeights + gate] = m.add_filled({2, 2}, 0.25f);
      inputs[lstm::kBias + gate] = m.add_filled({2}, 0.125f);
    }
    for (const size_t state : {lstm::kHidden, lstm::kCell}) {
      inputs[state] = m.add_tensor({1, 2});
      m.tensor(inputs[state]).is_variable = true;
    }
    schema::UnidirectionalSequenceLSTMOptionsT options;
    options.fused_activation_function = schema::ActivationFunctionType::TANH;
    m.add_output(m.add_op(Op::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {1, 5, 2}, options, "made"));
    expect_layout(m, "UNIDIRECTIONAL_SEQUENCE_LSTM", layout);
  }
}

// A CONV_2D model with int8 weights, for invalid values.
void expect_numbers_refused(const std::vector<float>& scales, const std::vector<int64_t>& zero_points, ErrorCode code,
                            const std::string& part) {
  ModelBuilder m;
  const int data = m.add_input({1, 4, 4, 1});
  const int weights = m.add_bytes({2, 1, 1, 1}, Type::INT8, {3, 4}, "weights");
  set_scales(m, weights, {"", scales});
  m.tensor(weights).quantization->zero_point = zero_points;
  m.add_output(m.add_op(Op::CONV_2D, {data, weights, -1}, {1, 4, 4, 2}, conv_options(Pad::SAME)));
  expect_refused(m, code, {"'weights'", part});
}

TEST(ScalesOfWeights, InvalidNumbersAreRejected) {
  expect_numbers_refused({INFINITY}, {0}, ErrorCode::kInvalidModel, "not finite");
  expect_numbers_refused({NAN, 1}, {0, 0}, ErrorCode::kInvalidModel, "not finite");
  expect_numbers_refused({1, 1}, {0, 1}, ErrorCode::kUnsupported, "different zero point");
  expect_numbers_refused({1}, {128}, ErrorCode::kInvalidModel, "zero point 128, which is not in the range of int8");
  expect_numbers_refused({1}, {INT64_MIN}, ErrorCode::kInvalidModel, "zero point -9223372036854775808");
}

namespace schema = tflite::schema;

std::unique_ptr<schema::DimensionMetadataT> dense(int32_t size) {
  auto metadata = std::make_unique<schema::DimensionMetadataT>();
  metadata->dense_size = size;
  return metadata;
}

std::unique_ptr<schema::DimensionMetadataT> rows(std::vector<uint8_t> segments, std::vector<int32_t> indices) {
  auto metadata = std::make_unique<schema::DimensionMetadataT>();
  metadata->format = schema::DimensionType::SPARSE_CSR;
  schema::Uint8VectorT narrow;
  narrow.values = std::move(segments);
  metadata->array_segments.Set(std::move(narrow));
  schema::Int32VectorT wide;
  wide.values = std::move(indices);
  metadata->array_indices.Set(std::move(wide));
  return metadata;
}

Result<std::vector<std::byte>> expand(const schema::SparsityParametersT& description, const Shape& shape,
                                      std::vector<uint8_t> values) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::SparsityParameters::Pack(builder, &description));
  const auto* packed = flatbuffers::GetRoot<schema::SparsityParameters>(builder.GetBufferPointer());
  return tflite::expand_sparse(*packed, shape, 1, std::as_bytes(std::span(values)));
}

std::vector<int> numbers(const Result<std::vector<std::byte>>& bytes) {
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  std::vector<int> result;
  for (size_t i = 0; bytes.ok() && i < bytes->size(); ++i) result.push_back(static_cast<int>((*bytes)[i]));
  return result;
}

// 1 0 2 / 0 0 3
schema::SparsityParametersT compressed_rows() {
  schema::SparsityParametersT description;
  description.traversal_order = {0, 1};
  description.dim_metadata.push_back(dense(2));
  description.dim_metadata.push_back(rows({0, 2, 3}, {0, 2, 2}));
  return description;
}

TEST(SparseTensor, CompressedRows) {
  EXPECT_EQ(numbers(expand(compressed_rows(), {2, 3}, {1, 2, 3})), (std::vector<int>{1, 0, 2, 0, 0, 3}));
}

TEST(SparseTensor, ColumnsFirst) {
  schema::SparsityParametersT description;
  description.traversal_order = {1, 0};
  description.dim_metadata.push_back(dense(3));
  description.dim_metadata.push_back(rows({0, 1, 1, 3}, {0, 0, 1}));
  EXPECT_EQ(numbers(expand(description, {2, 3}, {1, 2, 3})), (std::vector<int>{1, 0, 2, 0, 0, 3}));
}

// Blocks of 1x2: the second of the first row, the first of the second.
TEST(SparseTensor, Blocks) {
  schema::SparsityParametersT description;
  description.traversal_order = {0, 1, 2};
  description.block_map = {1};
  description.dim_metadata.push_back(dense(2));
  description.dim_metadata.push_back(rows({0, 1, 2}, {1, 0}));
  description.dim_metadata.push_back(dense(2));
  EXPECT_EQ(numbers(expand(description, {2, 4}, {1, 2, 3, 4})), (std::vector<int>{0, 0, 1, 2, 3, 4, 0, 0}));
}

TEST(SparseTensor, ContradictionsAreErrors) {
  using Change = std::function<void(schema::SparsityParametersT&)>;
  const Change changes[] = {
      [](auto& d) { d.traversal_order = {0}; },
      [](auto& d) {
        d.traversal_order = {0, 0};
      },
      [](auto& d) {
        d.traversal_order = {0, 7};
      },
      [](auto& d) {
        d.traversal_order = {-1, 1};
      },
      [](auto& d) { d.dim_metadata.pop_back(); },
      [](auto& d) { d.dim_metadata[0]->dense_size = 3; },
      [](auto& d) { d.dim_metadata[0]->dense_size = 0; },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2}, {0, 2, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2, 9}, {0, 2, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({2, 0, 3}, {0, 2, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2, 3}, {0, 3, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2, 3}, {2, 0, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2, 3}, {-1, 2, 2});
      },
      [](auto& d) { d.block_map = {5}; },
  };
  for (const Change& change : changes) {
    schema::SparsityParametersT description = compressed_rows();
    change(description);
    const auto result = expand(description, {2, 3}, {1, 2, 3});
    EXPECT_EQ(result.status().code(), ErrorCode::kInvalidModel) << &change - changes;
  }
  EXPECT_EQ(expand(compressed_rows(), {2, 3}, {1, 2}).status().code(), ErrorCode::kInvalidModel) << "too few values";
}

}  // namespace
}  // namespace sightglass::test
