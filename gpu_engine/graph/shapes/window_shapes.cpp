// Sliding windows and matrix products.
#include "graph/shapes/node_shapes.h"

namespace sightglass {

namespace {

// Output shape of `kernel` sliding over the data with `filters` sums per position; an added tensor must match it.
template <typename Attr>
Result<Shape> convolved(const NodeShapes& n, Attr& a, const Shape& kernel, int32_t filters) {
  const Shape& in = n.shape(0);
  const NodeShapes::Window window{
      {kernel.dim(1), kernel.dim(2)}, {a.stride_h, a.stride_w}, {a.dilation_h, a.dilation_w}};
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto size, n.slide(window, {in.dim(1), in.dim(2)}, a.padding));
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape out, n.make(std::array<int64_t, 4>{in.dim(0), size[0], size[1], filters}));
  if (!n.has(kResidualInput)) return out;
  const Shape& residual = n.shape(kResidualInput);
  const ResidualSampling sampling = n.node().residual_sampling;
  const bool fits = sampling == ResidualSampling::kNone
                        ? residual == one_pixel(out) || is_of_first_channels(residual, out)
                        : is_sampled_for(sampling, residual, out);
  if (!fits) {
    return n.wrong_input(kResidualInput, "is added to an output of shape " + out.to_string());
  }
  return out;
}

// The addend must have the shape of the data.
Status check_addend(const NodeShapes& n, const Shape& data) {
  if (!n.has(kAddendInput) || n.shape(kAddendInput) == data) return {};
  return n.wrong_input(kAddendInput, "is added to data of shape " + data.to_string());
}

}  // namespace

Result<Shape> infer_conv2d(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, kAddendInput + 1));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(1, 4));
  auto& a = n.attributes<Conv2dAttr>();
  const Shape& in = n.shape(0);
  const Shape& weights = n.shape(1);
  if (weights.dim(3) < 1 || in.dim(3) % weights.dim(3) != 0) {
    return n.wrong_input(1, "does not fit the " + std::to_string(in.dim(3)) + " channels of its data");
  }
  const int32_t groups = in.dim(3) / weights.dim(3);
  if (groups < 1 || weights.dim(0) % groups != 0) {
    return n.wrong_input(1, "has " + std::to_string(weights.dim(0)) +
                                " filters, which cannot be divided equally among " + std::to_string(groups) +
                                " groups of channels");
  }
  SIGHTGLASS_RETURN_IF_ERROR(n.need_bias_and_slope(weights.dim(0)));
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape out, convolved(n, a, weights, weights.dim(0)));
  if (n.has(kGateInput) && n.shape(kGateInput) != one_pixel(in)) {
    return n.wrong_input(kGateInput, "has no factor for each channel of data of shape " + in.to_string());
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_addend(n, in));
  return out;
}

Result<Shape> infer_depthwise_conv2d(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, kResidualInput + 1));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(1, 4));
  auto& a = n.attributes<DepthwiseConv2dAttr>();
  const Shape& in = n.shape(0);
  const Shape& weights = n.shape(1);
  if (weights.dim(0) != 1 || a.multiplier < 1 || int64_t{in.dim(3)} * a.multiplier != weights.dim(3)) {
    return n.wrong_input(1, "does not fit " + std::to_string(in.dim(3)) + " input channels with a multiplier of " +
                                std::to_string(a.multiplier));
  }
  SIGHTGLASS_RETURN_IF_ERROR(n.need_bias_and_slope(weights.dim(3)));
  return convolved(n, a, weights, weights.dim(3));
}

Result<Shape> infer_depthwise_pointwise(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, kDepthwiseBias + 1));
  if (!n.has(kDepthwiseWeights)) return n.wrong("its depthwise weights are missing");
  for (const size_t input : {size_t{0}, size_t{1}, kDepthwiseWeights})
    SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(input, 4));
  DepthwiseConv2dAttr& a = n.attributes<DepthwisePointwiseAttr>().depthwise;
  const Shape& in = n.shape(0);
  const Shape& weights = n.shape(1);
  const Shape& depthwise = n.shape(kDepthwiseWeights);
  if (depthwise.dim(0) != 1 || depthwise.dim(3) != in.dim(3) || a.multiplier != 1) {
    return n.wrong_input(kDepthwiseWeights, "does not fit the " + std::to_string(in.dim(3)) + " channels of its data");
  }
  if (n.has(kDepthwiseBias) && n.shape(kDepthwiseBias).elements() != in.dim(3)) {
    return n.wrong_input(kDepthwiseBias, "is not a bias of " + std::to_string(in.dim(3)) + " channels");
  }
  if (weights.dim(1) != 1 || weights.dim(2) != 1 || weights.dim(3) != in.dim(3)) {
    return n.wrong_input(1, "is not a 1x1 kernel over " + std::to_string(in.dim(3)) + " channels");
  }
  SIGHTGLASS_RETURN_IF_ERROR(n.need_bias_and_slope(weights.dim(0)));
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape out, convolved(n, a, depthwise, weights.dim(0)));
  SIGHTGLASS_RETURN_IF_ERROR(check_addend(n, {out.dim(0), out.dim(1), out.dim(2), in.dim(3)}));
  if (!n.attributes<DepthwisePointwiseAttr>().spread) return out;
  if (out.dim(3) != 4 || n.has(kResidualInput)) return n.wrong("it spreads other than four sums without a residual");
  return n.make(std::array<int64_t, 4>{out.dim(0), 2 * int64_t{out.dim(1)}, 2 * int64_t{out.dim(2)}, 1});
}

Result<Shape> infer_squeeze_excite(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, kSqueezeBias + 1));
  for (const size_t input : {size_t{0}, size_t{1}}) SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(input, 4));
  const bool two = n.has(kSqueezeWeights);
  if (two) SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(kSqueezeWeights, 4));
  if (!two && n.has(kSqueezeBias)) return n.wrong_input(kSqueezeBias, "is a bias without weights");
  SIGHTGLASS_RETURN_IF_ERROR(check_addend(n, n.shape(0)));
  const int32_t channels = n.shape(0).dim(3), out = n.shape(1).dim(0);
  const int32_t between = two ? n.shape(kSqueezeWeights).dim(0) : channels;
  if (two && n.shape(kSqueezeWeights) != Shape{between, 1, 1, channels}) {
    return n.wrong_input(kSqueezeWeights, "is not a 1x1 kernel over " + std::to_string(channels) + " channels");
  }
  if (n.has(kSqueezeBias) && n.shape(kSqueezeBias).elements() != between) {
    return n.wrong_input(kSqueezeBias, "is not a bias of " + std::to_string(between) + " channels");
  }
  if (n.shape(1) != Shape{out, 1, 1, between}) {
    return n.wrong_input(1, "is not a 1x1 kernel over " + std::to_string(between) + " channels");
  }
  SIGHTGLASS_RETURN_IF_ERROR(n.need_bias_and_slope(out));
  return Shape{n.shape(0).dim(0), 1, 1, out};
}

// The padding is that of the convolution from the output back to the input.
Result<Shape> infer_transpose_conv(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 4));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(1, 4));
  auto& a = n.attributes<TransposeConvAttr>();
  const Shape& in = n.shape(0);
  const Shape& weights = n.shape(1);
  if (weights.dim(3) != in.dim(3)) {
    return n.wrong_input(1, "does not fit the " + std::to_string(in.dim(3)) + " channels of its data");
  }
  SIGHTGLASS_RETURN_IF_ERROR(n.need_bias_and_slope(weights.dim(0)));
  if (a.out_h < 1 || a.out_w < 1) {
    return n.wrong("its output of " + std::to_string(a.out_h) + " x " + std::to_string(a.out_w) + " is empty");
  }
  const NodeShapes::Window window{{weights.dim(1), weights.dim(2)}, {a.stride_h, a.stride_w}};
  SIGHTGLASS_RETURN_IF_ERROR(n.slide(window, {a.out_h, a.out_w}, a.padding).status());
  return n.make(std::array<int64_t, 4>{in.dim(0), a.out_h, a.out_w, weights.dim(0)});
}

Result<Shape> infer_fully_connected(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 4));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(1, 2));
  const auto& a = n.attributes<FullyConnectedAttr>();
  const Shape& in = n.shape(0);
  const int32_t outputs = n.shape(1).dim(0);
  const int32_t depth = n.shape(1).dim(1);
  if (depth < 1 || in.elements() % depth != 0) {
    return n.wrong_input(1, "does not fit its data of shape " + in.to_string());
  }
  SIGHTGLASS_RETURN_IF_ERROR(n.need_bias_and_slope(outputs));
  if (!a.keep_num_dims) return n.make(std::array<int64_t, 2>{in.elements() / depth, outputs});
  if (in.rank() < 1 || in.dim(in.rank() - 1) != depth) {
    return n.wrong_input(1, "does not fit the last dimension of its data of shape " + in.to_string());
  }
  std::vector<int64_t> dims(in.dims().begin(), in.dims().end());
  dims.back() = outputs;
  return n.make(dims);
}

Result<Shape> infer_batch_matmul(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 2));
  const auto& attr = n.attributes<BatchMatmulAttr>();
  for (const size_t input : {0, 1}) {
    if (n.shape(input).rank() < 2) return n.wrong_input(input, "is not a matrix: it needs at least 2 dimensions");
  }
  // The dimensions of the matrix, as multiplied; those before are batches.
  const auto matrix = [&](size_t input, bool transposed) {
    const Shape& shape = n.shape(input);
    const int32_t rows = shape.dim(shape.rank() - 2), columns = shape.dim(shape.rank() - 1);
    return transposed ? std::pair(columns, rows) : std::pair(rows, columns);
  };
  const auto batch = [&](size_t input) {
    const Shape& shape = n.shape(input);
    return Shape(shape.dims().first(static_cast<size_t>(shape.rank()) - 2));
  };
  const auto [rows, depth] = matrix(0, attr.adj_x);
  const auto [depth_y, columns] = matrix(1, attr.adj_y);
  if (depth != depth_y) {
    return n.wrong("its matrices, " + std::to_string(rows) + "x" + std::to_string(depth) + " and " +
                   std::to_string(depth_y) + "x" + std::to_string(columns) + ", cannot be multiplied");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape batches, n.broadcast(batch(0), batch(1), "the batches of its matrices"));
  std::vector<int64_t> dims(batches.dims().begin(), batches.dims().end());
  dims.push_back(rows);
  dims.push_back(columns);
  return n.make(dims);
}

Result<Shape> infer_pool2d(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  auto& a = n.attributes<Pool2dAttr>();
  const Shape& in = n.shape(0);
  const NodeShapes::Window window{{a.filter_h, a.filter_w}, {a.stride_h, a.stride_w}};
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto size, n.slide(window, {in.dim(1), in.dim(2)}, a.padding));
  return n.make(std::array<int64_t, 4>{in.dim(0), size[0], size[1], in.dim(3)});
}

Result<std::vector<Shape>> infer_max_pool_with_argmax(const NodeShapes& n) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape shape, infer_pool2d(n));
  return std::vector<Shape>{shape, shape};
}

// The output is as large as all windows side by side. Longer strides extend it equally on both sides.
Result<Shape> infer_max_unpool(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 2));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  const Shape& in = n.shape(0);
  if (n.shape(1) != in) return n.wrong_input(1, "does not have the shape of its data, " + in.to_string());
  auto& a = n.attributes<Pool2dAttr>();
  if (a.filter_h < 1 || a.filter_w < 1 || a.stride_h < 1 || a.stride_w < 1) {
    return n.wrong("window and strides must be at least 1");
  }
  const auto reach = [](int64_t size, int64_t filter, int64_t stride) {
    return std::max<int64_t>((size - 1) * stride + filter - size * filter, 0);
  };
  const int64_t rows = reach(in.dim(1), a.filter_h, a.stride_h), columns = reach(in.dim(2), a.filter_w, a.stride_w);
  if (rows > INT32_MAX || columns > INT32_MAX) return n.wrong("its strides are too long");
  a.padding = {PaddingMode::kExplicit, static_cast<int32_t>(rows / 2), static_cast<int32_t>(rows - rows / 2),
               static_cast<int32_t>(columns / 2), static_cast<int32_t>(columns - columns / 2)};
  return n.make(
      std::array<int64_t, 4>{in.dim(0), int64_t{in.dim(1)} * a.filter_h, int64_t{in.dim(2)} * a.filter_w, in.dim(3)});
}

}  // namespace sightglass
