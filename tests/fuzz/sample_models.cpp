#include "sample_models.h"

#include <array>
#include <utility>

#include "model_builder.h"

namespace sightglass::test {
namespace {

namespace fb = tflite::schema;
using Op = fb::BuiltinOperator;
using Act = fb::ActivationFunctionType;

// Small distinct values for all elements of the shape.
int weights(ModelBuilder& m, const Dims& dims) {
  size_t count = 1;
  for (const int32_t dim : dims) count *= static_cast<size_t>(dim);
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = 0.125f * static_cast<float>(i + 1);
  return m.add_floats(dims, values);
}

// Collects models with one operator each, with input 'in' and output 'out'.
class Samples {
 public:
  // `make` adds the operator and its constants for the given input and output shape, and returns the output.
  template <typename Make>
  void add(const std::string& name, const Dims& in, const Dims& out, Make make) {
    ModelBuilder builder;
    const int input = builder.add_input(in, fb::TensorType::FLOAT32, "in");
    builder.add_output(make(builder, input, out));
    list.push_back({name, builder.build()});
  }
  void unary(const std::string& name, Op op) {
    add(name, {1, 4, 4, 3}, {1, 4, 4, 3},
        [op](ModelBuilder& m, int in, const Dims& out) { return m.add_op(op, {in}, out); });
  }
  // With a constant operand of that shape.
  template <typename Options>
  void binary(const std::string& name, Op op, const Dims& operand, Options options) {
    add(name, {1, 4, 4, 3}, {1, 4, 4, 3}, [&](ModelBuilder& m, int in, const Dims& out) {
      return m.add_op(op, {in, weights(m, operand)}, out, options);
    });
  }
  void binary(const std::string& name, Op op, const Dims& operand) {
    add(name, {1, 4, 4, 3}, {1, 4, 4, 3}, [&](ModelBuilder& m, int in, const Dims& out) {
      return m.add_op(op, {in, weights(m, operand)}, out);
    });
  }

  std::vector<SampleModel> list;
};

template <typename Options>
Options activated(Act activation) {
  Options options;
  options.fused_activation_function = activation;
  return options;
}

fb::TransposeConvOptionsT transpose_options(fb::Padding padding, int32_t stride) {
  fb::TransposeConvOptionsT options;
  options.padding = padding;
  options.stride_h = options.stride_w = stride;
  return options;
}

void add_convolutions(Samples& s) {
  s.add("conv_2d_same", {1, 7, 5, 3}, {1, 4, 3, 4}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::CONV_2D, {in, weights(m, {4, 3, 3, 3}), weights(m, {4})}, out,
                    conv_options(fb::Padding::SAME, 2, 1, Act::RELU6));
  });
  s.add("conv_2d_valid_no_bias", {1, 7, 5, 3}, {1, 5, 3, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::CONV_2D, {in, weights(m, {2, 3, 3, 3}), -1}, out, conv_options(fb::Padding::VALID, 1));
  });
  s.add("conv_2d_half_weights", {1, 2, 2, 2}, {1, 2, 2, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    const int half = m.add_halves({2, 1, 1, 2}, {1, -1, 0, 0.5f});
    const int kernel = m.add_op(Op::DEQUANTIZE, {half}, {2, 1, 1, 2});
    return m.add_op(Op::CONV_2D, {in, kernel, weights(m, {2})}, out, conv_options(fb::Padding::SAME));
  });
  s.add("conv_2d_int8_weights", {1, 2, 2, 2}, {1, 2, 2, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    const int narrow = m.add_bytes({2, 1, 1, 2}, fb::TensorType::INT8, {128, 255, 0, 127});
    auto quantization = std::make_unique<fb::QuantizationParametersT>();
    quantization->scale = {0.5f, 2.0f};
    quantization->zero_point = {0, 1};
    m.tensor(narrow).quantization = std::move(quantization);
    const int kernel = m.add_op(Op::DEQUANTIZE, {narrow}, {2, 1, 1, 2});
    return m.add_op(Op::CONV_2D, {in, kernel, weights(m, {2})}, out, conv_options(fb::Padding::SAME));
  });
  s.add("depthwise_multiplier", {1, 6, 6, 2}, {1, 3, 3, 4}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::DEPTHWISE_CONV_2D, {in, weights(m, {1, 3, 3, 4}), weights(m, {4})}, out,
                    depthwise_options(fb::Padding::SAME, 2, 2, Act::RELU6));
  });
  s.add("depthwise_dilated", {1, 6, 6, 2}, {1, 6, 6, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::DepthwiseConv2DOptionsT options = depthwise_options(fb::Padding::SAME);
    options.dilation_h_factor = options.dilation_w_factor = 2;
    return m.add_op(Op::DEPTHWISE_CONV_2D, {in, weights(m, {1, 3, 3, 2}), weights(m, {2})}, out, options);
  });
  s.add("transpose_conv_same", {1, 3, 4, 2}, {1, 6, 8, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    const int shape = m.add_ints({4}, {1, 6, 8, 3});
    return m.add_op(Op::TRANSPOSE_CONV, {shape, weights(m, {3, 3, 3, 2}), in}, out,
                    transpose_options(fb::Padding::SAME, 2));
  });
  s.add("transpose_conv_valid_bias", {1, 3, 4, 2}, {1, 7, 9, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    const int shape = m.add_ints({4}, {1, 7, 9, 3});
    fb::TransposeConvOptionsT options = transpose_options(fb::Padding::VALID, 2);
    options.fused_activation_function = Act::RELU;
    return m.add_op(Op::TRANSPOSE_CONV, {shape, weights(m, {3, 3, 3, 2}), in, weights(m, {3})}, out, options);
  });
  s.add("convolution_2d_transpose_bias", {1, 4, 6, 2}, {1, 8, 12, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_custom_op("Convolution2DTransposeBias", {in, weights(m, {3, 2, 2, 2}), weights(m, {3})}, out,
                           {1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0});
  });
  s.add("max_unpooling_2d", {1, 4, 6, 2}, {1, 4, 6, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    const std::vector<uint8_t> options = int32_options({1, 2, 2, 2, 2, 0});
    const int pooled = m.add_custom_op("MaxPoolingWithArgmax2D", {in}, {1, 2, 3, 2}, options);
    const int places = m.add_tensor({1, 2, 3, 2});
    m.last_op().outputs.push_back(places);
    return m.add_custom_op("MaxUnpooling2D", {pooled, places}, out, options);
  });
  s.add("crop_around_landmarks", {1, 4, 6, 3}, {1, 5, 7, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    const int landmarks = m.add_op(Op::RESHAPE, {in, m.add_ints({3}, {1, 24, 3})}, {1, 24, 3});
    constexpr std::array<int32_t, 3> subset{0, 5, 7};
    const auto with_version_2 = [&m](int tensor) {
      m.model().operator_codes.back()->version = 2;
      return tensor;
    };
    const int matrix = with_version_2(
        m.add_custom_op("Landmarks2TransformMatrix", {landmarks}, {1, 4, 4}, flex_options([&](flexbuffers::Builder& b) {
                          b.Vector("subset_idxs", subset.data(), subset.size());
                          b.Int("left_rotation_idx", 1);
                          b.Int("right_rotation_idx", 2);
                          b.Float("target_rotation_radians", 0);
                          b.Int("output_height", 5);
                          b.Int("output_width", 7);
                          b.Float("scale_x", 1.5f);
                          b.Float("scale_y", 1.5f);
                        })));
    const int moved = with_version_2(m.add_custom_op("TransformLandmarks", {landmarks, matrix}, {1, 24, 3}, {}));
    const int picture = m.add_op(Op::RESHAPE, {moved, m.add_ints({4}, {1, 4, 6, 3})}, {1, 4, 6, 3});
    return with_version_2(
        m.add_custom_op("TransformTensorBilinear", {picture, matrix}, out, flex_options([](flexbuffers::Builder& b) {
                          b.Int("output_height", 5);
                          b.Int("output_width", 7);
                        })));
  });
  s.add("fully_connected", {2, 2, 2, 3}, {2, 5}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::FULLY_CONNECTED, {in, weights(m, {5, 12}), weights(m, {5})}, out,
                    activated<fb::FullyConnectedOptionsT>(Act::TANH));
  });
  s.add("fully_connected_keep_dims", {2, 2, 3}, {2, 2, 5}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::FullyConnectedOptionsT options;
    options.keep_num_dims = true;
    return m.add_op(Op::FULLY_CONNECTED, {in, weights(m, {5, 3})}, out, options);
  });
}

void add_products(Samples& s) {
  s.add("batch_matmul", {2, 3, 4}, {2, 2, 3, 5}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::BatchMatMulOptionsT options;
    options.adj_y = true;
    return m.add_op(Op::BATCH_MATMUL, {in, weights(m, {2, 1, 5, 4})}, out, options);
  });
  s.add("fully_connected_computed", {3, 4}, {3, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::FULLY_CONNECTED, {in, m.add_op(Op::EXP, {in}, {3, 4}), weights(m, {3})}, out);
  });
}

void add_pools_and_reductions(Samples& s) {
  s.add("average_pool_whole", {1, 4, 6, 3}, {1, 1, 1, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::Pool2DOptionsT options = pool_options(fb::Padding::VALID, 4, 4);
    options.filter_width = 6;
    return m.add_op(Op::AVERAGE_POOL_2D, {in}, out, options);
  });
  s.add("max_pool_same", {1, 5, 5, 3}, {1, 3, 3, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::MAX_POOL_2D, {in}, out, pool_options(fb::Padding::SAME, 2, 2));
  });
  s.add("mean_negative_axes", {2, 4, 4, 3}, {2, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::MEAN, {in, m.add_ints({3}, {-2, 1, 2})}, out, fb::ReducerOptionsT());
  });
  s.add("mean_scalar_axis_kept", {2, 4, 4, 3}, {2, 4, 4, 1}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::ReducerOptionsT options;
    options.keep_dims = true;
    return m.add_op(Op::MEAN, {in, m.add_ints({}, {-1})}, out, options);
  });
  for (const Op op : {Op::SUM, Op::REDUCE_MAX, Op::REDUCE_PROD}) {
    s.add("reduce_" + std::to_string(static_cast<int>(op)), {2, 4, 4, 3}, {4, 4},
          [op](ModelBuilder& m, int in, const Dims& out) {
            return m.add_op(op, {in, m.add_ints({2}, {0, -1})}, out, fb::ReducerOptionsT());
          });
  }
  s.add("arg_max_cast", {2, 4, 5}, {2, 5}, [](ModelBuilder& m, int in, const Dims& out) {
    const int places = m.add_op(Op::ARG_MAX, {in, m.add_ints({}, {1})}, out);
    m.tensor(places).type = fb::TensorType::INT64;
    return m.add_op(Op::CAST, {places}, out);
  });
  s.add("top_k", {2, 4, 5}, {2, 4, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    const int elements = m.add_op(Op::TOPK_V2, {in, m.add_ints({}, {3})}, out);
    m.last_op().outputs.push_back(m.add_tensor(out, fb::TensorType::INT32));
    return elements;
  });
  s.add("log_softmax_l2", {2, 4, 5}, {2, 4, 5}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::L2_NORMALIZATION, {m.add_op(Op::LOG_SOFTMAX, {in}, out)}, out, fb::L2NormOptionsT());
  });
  s.add("softmax", {1, 2, 2, 5}, {1, 2, 2, 5}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::SoftmaxOptionsT options;
    options.beta = 2.0f;
    return m.add_op(Op::SOFTMAX, {in}, out, options);
  });
}

void add_elementwise(Samples& s) {
  s.binary("add_per_channel", Op::ADD, {3}, activated<fb::AddOptionsT>(Act::RELU));
  s.binary("sub_scalar", Op::SUB, {}, activated<fb::SubOptionsT>(Act::RELU_N1_TO_1));
  s.binary("mul_full", Op::MUL, {1, 4, 4, 3}, activated<fb::MulOptionsT>(Act::NONE));
  s.binary("maximum", Op::MAXIMUM, {1, 1, 1, 3});
  s.binary("minimum", Op::MINIMUM, {4, 1});
  s.binary("prelu", Op::PRELU, {1, 1, 3});
  s.unary("relu", Op::RELU);
  s.unary("relu6", Op::RELU6);
  s.unary("relu_n1_to_1", Op::RELU_N1_TO_1);
  s.unary("logistic", Op::LOGISTIC);
  s.unary("tanh", Op::TANH);
  s.unary("hard_swish", Op::HARD_SWISH);
  s.unary("exp", Op::EXP);
  for (const Op op : {Op::RSQRT, Op::NEG, Op::ROUND, Op::SIN, Op::ELU, Op::ZEROS_LIKE}) {
    s.unary(std::string("unary_") + std::to_string(static_cast<int>(op)), op);
  }
  s.binary("div", Op::DIV, {3}, activated<fb::DivOptionsT>(Act::RELU6));
  for (const Op op : {Op::POW, Op::FLOOR_MOD, Op::ATAN2}) {
    s.binary(std::string("binary_") + std::to_string(static_cast<int>(op)), op, {4, 1, 3});
  }
  s.add("leaky_relu", {4}, {4}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::LeakyReluOptionsT options;
    options.alpha = 0.1f;
    return m.add_op(Op::LEAKY_RELU, {in}, out, options);
  });
  s.add("select_where_less", {2, 3}, {2, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    const int less = m.add_op(Op::LESS, {in, weights(m, {3})}, out);
    m.tensor(less).type = fb::TensorType::BOOL;
    const int number = m.add_op(Op::CAST, {less}, out);
    return m.add_op(Op::SELECT_V2, {less, in, number}, out);
  });
  s.add("fill_range_shape", {4}, {4}, [](ModelBuilder& m, int in, const Dims& out) {
    const int shape = m.add_op(Op::SHAPE, {in}, {1});
    m.tensor(shape).type = fb::TensorType::INT32;
    const int filled = m.add_op(Op::FILL, {shape, weights(m, {})}, out);
    const int range = m.add_op(Op::RANGE, {weights(m, {}), m.add_filled({}, 4), m.add_filled({}, 1)}, out);
    return m.add_op(Op::ADD_N, {in, filled, range}, out);
  });
  s.add("broadcast_to", {4, 1}, {2, 4, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::BROADCAST_TO, {in, m.add_ints({3}, {2, 4, 3})}, out);
  });
  s.add("add_folded", {1, 4}, {1, 4}, [](ModelBuilder& m, int in, const Dims& out) {
    const int sum = m.add_op(Op::ADD, {m.add_floats({4}, {1, 2, 3, 4}), m.add_floats({1}, {10})}, {4},
                             activated<fb::AddOptionsT>(Act::NONE));
    return m.add_op(Op::MUL, {in, sum}, out, activated<fb::MulOptionsT>(Act::NONE));
  });
}

void add_layout(Samples& s) {
  s.add("concatenation", {1, 2, 3, 4}, {1, 2, 3, 7}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::ConcatenationOptionsT options;
    options.axis = -1;
    return m.add_op(Op::CONCATENATION, {in, weights(m, {1, 2, 3, 3})}, out, options);
  });
  s.add("pad", {1, 2, 3, 4}, {1, 4, 6, 4}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::PAD, {in, m.add_ints({4, 2}, {0, 0, 1, 1, 1, 2, 0, 0})}, out);
  });
  s.add("pad_v2_int64", {2, 3}, {2, 5}, [](ModelBuilder& m, int in, const Dims& out) {
    const int numbers = m.add_longs({2, 2}, {0, 0, 2, 0});
    return m.add_op(Op::PADV2, {in, numbers, m.add_floats({1}, {-1.5f})}, out);
  });
  s.add("reshape_tensor", {1, 4, 6}, {2, 3, 4}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::RESHAPE, {in, m.add_ints({3}, {2, -1, 4})}, out);
  });
  s.add("reshape_folded_shape", {1, 4, 6}, {4, 6}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::StridedSliceOptionsT options;
    options.begin_mask = options.end_mask = 1;
    const int numbers = m.add_ints({4}, {4, 99, 6, 99});
    const int shape = m.add_op(
        Op::STRIDED_SLICE, {numbers, m.add_ints({1}, {0}), m.add_ints({1}, {0}), m.add_ints({1}, {2})}, {2}, options);
    m.tensor(shape).type = fb::TensorType::INT32;
    return m.add_op(Op::RESHAPE, {in, shape}, out);
  });
  s.add("reshape_option", {1, 4, 6}, {24, 1}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::ReshapeOptionsT options;
    options.new_shape = {-1, 1};
    return m.add_op(Op::RESHAPE, {in}, out, options);
  });
  s.add("squeeze", {1, 1, 6, 1}, {1, 6}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::SqueezeOptionsT options;
    options.squeeze_dims = {1, -1};
    return m.add_op(Op::SQUEEZE, {in}, out, options);
  });
  s.add("squeeze_all", {1, 1, 6, 1}, {6}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::SQUEEZE, {in}, out, fb::SqueezeOptionsT());
  });
  s.add("expand_dims", {4, 6}, {4, 6, 1}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::EXPAND_DIMS, {in, m.add_ints({}, {-1})}, out);
  });
  s.add("strided_slice", {1, 8, 8, 3}, {4, 3, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::StridedSliceOptionsT options;
    options.shrink_axis_mask = 1;
    options.begin_mask = 1 << 2;
    options.end_mask = 1 << 3;
    const int begin = m.add_ints({4}, {0, 7, 99, 0}), end = m.add_ints({4}, {9, -9, 6, 0}),
              strides = m.add_ints({4}, {1, -2, 2, 1});
    return m.add_op(Op::STRIDED_SLICE, {in, begin, end, strides}, out, options);
  });
  s.add("resize_bilinear_half_pixel", {1, 4, 4, 3}, {1, 7, 9, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::ResizeBilinearOptionsT options;
    options.half_pixel_centers = true;
    return m.add_op(Op::RESIZE_BILINEAR, {in, m.add_ints({2}, {7, 9})}, out, options);
  });
  s.add("resize_bilinear_aligned", {1, 4, 4, 3}, {1, 7, 9, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::ResizeBilinearOptionsT options;
    options.align_corners = true;
    return m.add_op(Op::RESIZE_BILINEAR, {in, m.add_ints({2}, {7, 9})}, out, options);
  });
  s.add("depth_to_space", {1, 2, 3, 8}, {1, 4, 6, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::DepthToSpaceOptionsT options;
    options.block_size = 2;
    return m.add_op(Op::DEPTH_TO_SPACE, {in}, out, options);
  });
}

void add_movements(Samples& s) {
  s.add("transpose", {1, 2, 3, 4}, {1, 4, 2, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::TRANSPOSE, {in, m.add_ints({4}, {0, -1, 1, 2})}, out);
  });
  s.add("slice", {4, 5}, {2, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::SLICE, {in, m.add_ints({2}, {1, 2}), m.add_ints({2}, {2, -1})}, out);
  });
  s.add("split", {1, 6}, {1, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::SplitOptionsT options;
    options.num_splits = 2;
    const int first = m.add_op(Op::SPLIT, {m.add_ints({}, {1}), in}, out, options);
    m.last_op().outputs.push_back(m.add_tensor(out));
    return first;
  });
  s.add("split_v", {1, 6}, {1, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    const int first = m.add_op(Op::SPLIT_V, {in, m.add_ints({2}, {2, -1}), m.add_ints({}, {1})}, out);
    m.last_op().outputs.push_back(m.add_tensor({1, 4}));
    return first;
  });
  s.add("unpack_and_pack", {2, 3}, {3, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::UnpackOptionsT apart;
    apart.num = 2;
    const int first = m.add_op(Op::UNPACK, {in}, {3}, apart), second = m.add_tensor({3});
    m.last_op().outputs.push_back(second);
    fb::PackOptionsT together;
    together.values_count = 2;
    together.axis = -1;
    return m.add_op(Op::PACK, {first, second}, out, together);
  });
  s.add("tile", {1, 2, 3}, {1, 4, 9}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::TILE, {in, m.add_ints({3}, {1, 2, 3})}, out);
  });
  s.add("reverse", {2, 3}, {2, 3}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::REVERSE_V2, {in, m.add_ints({1}, {1})}, out);
  });
  s.add("mirror_pad", {1, 3, 3, 2}, {1, 5, 4, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::MIRROR_PAD, {in, m.add_ints({4, 2}, {0, 0, 1, 1, 0, 1, 0, 0})}, out, fb::MirrorPadOptionsT());
  });
  s.add("batches_and_back", {1, 3, 4, 2}, {1, 3, 4, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    const int blocks = m.add_ints({2}, {2, 2}), borders = m.add_ints({2, 2}, {1, 0, 0, 0});
    const int batches = m.add_op(Op::SPACE_TO_BATCH_ND, {in, blocks, borders}, {4, 2, 2, 2});
    return m.add_op(Op::BATCH_TO_SPACE_ND, {batches, blocks, borders}, out);
  });
  s.add("space_to_depth", {1, 4, 4, 2}, {1, 2, 2, 8}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::SpaceToDepthOptionsT options;
    options.block_size = 2;
    return m.add_op(Op::SPACE_TO_DEPTH, {in}, out, options);
  });
  s.add("resize_nearest", {1, 2, 3, 2}, {1, 5, 4, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::RESIZE_NEAREST_NEIGHBOR, {in, m.add_ints({2}, {5, 4})}, out);
  });
  s.add("gather", {2, 3, 4}, {2, 2, 4}, [](ModelBuilder& m, int in, const Dims& out) {
    fb::GatherOptionsT options;
    options.axis = 1;
    return m.add_op(Op::GATHER, {in, m.add_ints({2}, {2, 0})}, out, options);
  });
  s.add("gather_nd", {2, 3, 4}, {2, 4}, [](ModelBuilder& m, int in, const Dims& out) {
    return m.add_op(Op::GATHER_ND, {in, m.add_ints({2, 2}, {1, 2, 0, 1})}, out);
  });
}

void add_subgraphs(Samples& s) {
  s.add("variables", {1, 2}, {1, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    const auto add_handle = [&m] {
      fb::VarHandleOptionsT options;
      options.shared_name = "sum";
      const int handle = m.add_op(Op::VAR_HANDLE, {}, {}, options);
      m.tensor(handle).type = fb::TensorType::RESOURCE;
      return handle;
    };
    m.begin_subgraph();
    const int zeros = weights(m, out);
    const auto assign = [&m](int handle, int value) {
      m.add_effect(Op::ASSIGN_VARIABLE, {handle, value}, fb::CallOnceOptionsT());
      m.last_op().builtin_options.Reset();
    };
    assign(add_handle(), zeros);
    m.select_subgraph(0);
    fb::CallOnceOptionsT once;
    once.init_subgraph_index = 1;
    m.add_effect(Op::CALL_ONCE, {}, once);
    const int handle = add_handle();
    const int sum = m.add_op(Op::ADD, {m.add_op(Op::READ_VARIABLE, {handle}, out), in}, out, fb::AddOptionsT());
    assign(handle, sum);
    return sum;
  });
  s.add("loops", {1, 2}, {1, 2}, [](ModelBuilder& m, int in, const Dims& out) {
    const auto kInt = fb::TensorType::INT32;
    m.begin_subgraph();
    const int count = m.add_input({}, kInt);
    m.add_input(out);
    m.add_output(m.add_op(Op::LESS, {count, m.add_ints({}, {3})}, {}));
    m.tensor(m.subgraph().outputs[0]).type = fb::TensorType::BOOL;
    m.begin_subgraph();
    const int counter = m.add_input({}, kInt), x = m.add_input(out);
    m.add_output(m.add_op(Op::ADD, {counter, m.add_ints({}, {1})}, {}, fb::AddOptionsT()));
    m.tensor(m.subgraph().outputs[0]).type = kInt;
    m.add_output(m.add_op(Op::TANH, {x}, out));
    m.select_subgraph(0);
    fb::WhileOptionsT loop;
    loop.cond_subgraph_index = 1;
    loop.body_subgraph_index = 2;
    const int counted = m.add_op(Op::WHILE, {m.add_ints({}, {0}), in}, {}, loop);
    m.tensor(counted).type = kInt;
    const int made = m.add_tensor(out);
    m.last_op().outputs.push_back(made);
    return made;
  });
}

}  // namespace

std::vector<SampleModel> sample_models() {
  Samples samples;
  add_convolutions(samples);
  add_products(samples);
  add_pools_and_reductions(samples);
  add_elementwise(samples);
  add_layout(samples);
  add_movements(samples);
  add_subgraphs(samples);
  return std::move(samples.list);
}

}  // namespace sightglass::test
