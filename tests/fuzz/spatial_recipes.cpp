// Convolutions, pools, and other sliding windows; fully connected and recurrent layers.
#include <cmath>

#include "fuzz/graph_generator.h"
#include "graph/lstm.h"
#include "graph/quantized.h"

namespace sightglass::test {

namespace {

// Windows must fit: VALID only if the filter is not larger than the image.
PaddingMode padding_mode(GraphGenerator& g, int32_t extent_h, int32_t extent_w, const Shape& in) {
  const bool fits = extent_h <= in.dim(1) && extent_w <= in.dim(2);
  return fits && g.chance(40) ? PaddingMode::kValid : PaddingMode::kSame;
}

template <typename Attr>
Attr window(GraphGenerator& g, int32_t filter_h, int32_t filter_w, const Shape& in, bool dilates) {
  Attr attr;
  attr.stride_h = g.random.of({1, 1, 2, 3});
  attr.stride_w = g.chance(80) ? attr.stride_h : g.random.of({1, 2, 3});
  if constexpr (requires { attr.dilation_h; }) {
    if (dilates) {
      attr.stride_h = attr.stride_w = 1;
      attr.dilation_h = g.random.pick(1, 3);
      attr.dilation_w = g.random.pick(1, 3);
    }
    attr.padding.mode = padding_mode(g, (filter_h - 1) * attr.dilation_h + 1, (filter_w - 1) * attr.dilation_w + 1, in);
  } else {
    attr.padding.mode = padding_mode(g, filter_h, filter_w, in);
  }
  return attr;
}

struct Weighted {
  std::vector<ValueId> inputs;
  std::optional<Quantized> result;
  Activation activation = Activation::kNone;
  bool exact = false;
};

// Weights of the same kind as the data, possibly a bias and slopes. `taps` is the number of products per sum.
Weighted weigh(GraphGenerator& g, ValueId data, const Shape& weights, int32_t axis, bool by_channel, int32_t taps) {
  CaseBuilder& builder = g.builder();
  Weighted w;
  const int32_t channels = weights.dim(axis);
  w.activation = g.activation(data, true);
  if (g.is_float(data)) {
    const ValueId bias = g.chance(70) ? builder.constant({channels}) : kNone;
    w.inputs = {data, builder.constant(weights), bias};
    if (w.activation == Activation::kPrelu) w.inputs.push_back(builder.constant({channels}));
    if (bias == kNone && w.inputs.size() == 3) w.inputs.pop_back();
    return w;
  }
  const Quantized of_data = g.quantization_of(data);
  Quantized of_weights{DataType::kInt8, {}, 0, axis};
  const int32_t scales = by_channel && of_data.type != DataType::kUInt8 && g.chance(80) ? channels : 1;
  for (int32_t i = 0; i < scales; ++i) of_weights.scale.push_back(g.random.uniform(0.002f, 0.02f));
  if (of_data.type == DataType::kUInt8) {
    of_weights.type = DataType::kUInt8;
    of_weights.zero_point = g.random.pick(100, 150);
  }
  w.inputs = {data, builder.constant(weights, of_weights)};
  if (g.chance(70)) w.inputs.push_back(builder.bias(channels));
  const float spread = of_data.scale[0] * 0.011f * std::sqrt(static_cast<float>(taps)) * 70;
  w.result = g.random_quantization(of_data.type);
  w.result->scale = {spread * g.random.uniform(0.3f, 3.0f)};
  w.exact = sightglass::is_clamp(w.activation);
  return w;
}

void add_weighted(GraphGenerator& g, OpType op, const Attributes& attr, const Weighted& w) {
  g.add(op, attr, w.inputs, w.exact, w.activation, w.result ? &*w.result : nullptr);
}

// Float data with 8-bit weights: the data is rounded first, as by the importer.
void add_hybrid(GraphGenerator& g, OpType op, const Attributes& attr, const Shape& weights, int32_t axis, int32_t group,
                bool asymmetric, ValueId data) {
  const int32_t channels = weights.dim(axis);
  const ValueId steps = g.add(OpType::kDynamicQuantize, DynamicQuantizeAttr{group, asymmetric}, {data}, false);
  g.withdraw(steps);
  Quantized quantized{DataType::kInt8, {}, 0, axis};
  const bool by_channel = op != OpType::kFullyConnected;
  for (int32_t i = 0; i < (by_channel ? channels : 1); ++i) quantized.scale.push_back(g.random.uniform(0.002f, 0.02f));
  g.add(op, attr, {steps, g.builder().constant(weights, quantized), g.builder().constant({channels})}, false,
        g.clamp());
}

int32_t picture(const Shape& shape) { return static_cast<int32_t>(shape.elements() / shape.dim(0)); }

void conv2d(GraphGenerator& g, OpType op, bool hybrid) {
  const ValueId data = hybrid ? g.exact_floats(4) : g.real(4);
  const Shape in = g.shape(data);
  const int32_t kernel_h = g.random.of({1, 1, 2, 3, 3, 5}), kernel_w = g.chance(85) ? kernel_h : g.random.pick(1, 4);
  const auto attr = window<Conv2dAttr>(g, kernel_h, kernel_w, in, g.chance(20));
  const Shape weights{g.random.of({1, 2, 3, 4, 5, 8, 12, 17}), kernel_h, kernel_w, in.dim(3)};
  if (hybrid) return add_hybrid(g, op, attr, weights, 0, picture(in), g.chance(50), data);
  add_weighted(g, op, attr, weigh(g, data, weights, 0, true, kernel_h * kernel_w * in.dim(3)));
}

void depthwise(GraphGenerator& g, OpType op, bool hybrid) {
  const ValueId data = hybrid ? g.exact_floats(4) : g.real(4);
  const Shape in = g.shape(data);
  const int32_t kernel_h = g.random.of({1, 2, 3, 3, 5}), kernel_w = g.chance(85) ? kernel_h : g.random.pick(1, 4);
  auto attr = window<DepthwiseConv2dAttr>(g, kernel_h, kernel_w, in, g.chance(20));
  attr.multiplier = g.chance(70) ? 1 : g.random.pick(2, 4);
  const Shape weights{1, kernel_h, kernel_w, in.dim(3) * attr.multiplier};
  if (hybrid) return add_hybrid(g, op, attr, weights, 3, picture(in), g.chance(50), data);
  add_weighted(g, op, attr, weigh(g, data, weights, 3, true, kernel_h * kernel_w));
}

void transpose_conv(GraphGenerator& g, OpType op) {
  const ValueId data = g.real(4);
  const Shape in = g.shape(data);
  const int32_t kernel = g.random.of({1, 2, 3, 4});
  TransposeConvAttr attr;
  attr.stride_h = attr.stride_w = g.random.of({1, 2, 2, 3});
  const bool valid = g.chance(40);
  attr.padding.mode = valid ? PaddingMode::kValid : PaddingMode::kSame;
  const auto size = [&](int32_t n) { return valid ? (n - 1) * attr.stride_h + kernel : n * attr.stride_h; };
  attr.out_h = size(in.dim(1));
  attr.out_w = size(in.dim(2));
  const Shape weights{g.random.of({1, 3, 4, 5, 8}), kernel, kernel, in.dim(3)};
  add_weighted(g, op, attr, weigh(g, data, weights, 0, true, kernel * kernel * in.dim(3)));
}

void fully_connected(GraphGenerator& g, OpType op, bool hybrid) {
  const int rank = g.chance(60) ? 2 : g.random.pick(1, 4);
  const ValueId data = hybrid ? g.exact_floats(rank) : g.real(rank);
  const Shape in = g.shape(data);
  FullyConnectedAttr attr;
  attr.keep_num_dims = g.chance(40);
  const auto whole = static_cast<int32_t>(in.elements() / in.dim(0));
  const int32_t depth = attr.keep_num_dims || rank == 1 || g.chance(60) ? in.dim(rank - 1) : whole;
  const Shape weights{g.random.of({1, 2, 3, 4, 5, 13, 20}), depth};
  if (hybrid) return add_hybrid(g, op, attr, weights, 0, depth, g.chance(50), data);
  add_weighted(g, op, attr, weigh(g, data, weights, 0, false, depth));
}

void pool(GraphGenerator& g, OpType op) {
  const ValueId data = g.real(4);
  const Shape in = g.shape(data);
  const int32_t filter_h = g.random.pick(1, 4), filter_w = g.chance(70) ? filter_h : g.random.pick(1, 4);
  auto attr = window<Pool2dAttr>(g, filter_h, filter_w, in, false);
  attr.filter_h = filter_h;
  attr.filter_w = filter_w;
  g.add(op, attr, {data}, op == OpType::kMaxPool2d || !g.is_float(data), g.clamp());
}

void resize_bilinear(GraphGenerator& g, OpType op) {
  const ValueId data = g.real(4);
  ResizeAttr attr;
  attr.out_h = g.random.pick(1, 14);
  attr.out_w = g.random.pick(1, 14);
  attr.align_corners = g.chance(30);
  attr.half_pixel_centers = !attr.align_corners && g.chance(50);
  g.add(op, attr, {data}, !g.is_float(data) && g.value(data).type == DataType::kInt8);
}

void depth_to_space(GraphGenerator& g, OpType op) {
  const ValueId data = g.any(4);
  const int32_t channels = g.shape(data).dim(3);
  const int32_t block = channels % 4 == 0 ? 2 : channels % 9 == 0 ? 3 : 1;
  g.add(op, BlockSizeAttr{block}, {data}, true);
}

void lstm_layer(GraphGenerator& g, OpType op) {
  const bool sequence = g.chance(60);
  const ValueId data = g.floats(sequence ? 3 : 2);
  const Shape in = g.shape(data);
  LstmAttr attr;
  attr.time_major = sequence && g.chance(50);
  const int32_t batch = in.dim(attr.time_major ? 1 : 0), depth = in.dim(in.rank() - 1);
  const int32_t cells = g.random.of({1, 3, 4, 9, 16});
  const int32_t outputs = g.chance(30) ? g.random.pick(1, 6) : cells;
  const bool coupled = g.chance(25), norm = g.chance(25), peephole = g.chance(25);
  CaseBuilder& builder = g.builder();
  std::vector<ValueId> inputs(lstm::kInputs, kNone);
  inputs[lstm::kData] = data;
  for (size_t gate = coupled ? 1 : 0; gate < lstm::kGates; ++gate) {
    inputs[lstm::kInputWeights + gate] = builder.constant({cells, depth});
    inputs[lstm::kRecurrentWeights + gate] = builder.constant({cells, outputs});
    inputs[lstm::kBias + gate] = builder.constant({cells});
    if (norm) inputs[lstm::kNorm + gate] = builder.constant({cells});
  }
  for (size_t i = coupled ? 1 : 0; peephole && i < 3; ++i) inputs[lstm::kPeephole + i] = builder.constant({cells});
  if (outputs != cells) inputs[lstm::kProjection] = builder.constant({outputs, cells});
  inputs[lstm::kHidden] = builder.input({batch, outputs});
  inputs[lstm::kCell] = builder.input({batch, cells});
  attr.cell_clip = g.chance(30) ? 0.5f : 0.0f;
  g.add_outputs(op, attr, inputs, 3);
}

void grouped_conv(GraphGenerator& g) {
  const ValueId data = g.floats(4);
  const Shape in = g.shape(data);
  const int32_t groups = in.dim(3) % 3 == 0 ? 3 : in.dim(3) % 2 == 0 ? 2 : in.dim(3);
  const int32_t kernel = g.random.of({1, 2, 3});
  const auto attr = window<Conv2dAttr>(g, kernel, kernel, in, g.chance(20));
  const Shape weights{groups * g.random.pick(1, 5), kernel, kernel, in.dim(3) / groups};
  add_weighted(g, OpType::kConv2d, attr, weigh(g, data, weights, 0, true, kernel * kernel * weights.dim(3)));
}

void any_conv(GraphGenerator& g, OpType op) { g.chance(20) ? grouped_conv(g) : conv2d(g, op, false); }

// The indices of maxima are discontinuous.
void pool_with_places(GraphGenerator& g, OpType op) {
  const ValueId data = g.exact_floats(4);
  const Shape in = g.shape(data);
  const int32_t filter = g.random.pick(1, 3);
  auto attr = window<Pool2dAttr>(g, filter, filter, in, false);
  attr.filter_h = attr.filter_w = filter;
  const std::vector<ValueId> pooled = g.add_outputs(OpType::kMaxPoolWithArgmax, attr, {data}, 2);
  if (op == OpType::kMaxUnpool) g.add(op, attr, pooled, false);
}

// Used only upstream of layers with 8-bit weights.
void dynamic_quantize(GraphGenerator& g, OpType) {
  if (g.chance(40)) return conv2d(g, OpType::kConv2d, true);
  if (g.chance(50)) return depthwise(g, OpType::kDepthwiseConv2d, true);
  fully_connected(g, OpType::kFullyConnected, true);
}

template <void (*layer)(GraphGenerator&, OpType, bool)>
void weighted(GraphGenerator& g, OpType op) {
  layer(g, op, false);
}

constexpr Recipe kSpatialRecipes[] = {
    {OpType::kConv2d, any_conv},
    {OpType::kDepthwiseConv2d, weighted<depthwise>},
    {OpType::kDynamicQuantize, dynamic_quantize},
    {OpType::kTransposeConv, transpose_conv},
    {OpType::kFullyConnected, weighted<fully_connected>},
    {OpType::kAveragePool2d, pool},
    {OpType::kMaxPool2d, pool},
    {OpType::kMaxPoolWithArgmax, pool_with_places},
    {OpType::kMaxUnpool, pool_with_places},
    {OpType::kResizeBilinear, resize_bilinear},
    {OpType::kDepthToSpace, depth_to_space},
    {OpType::kLstm, lstm_layer},
};

}  // namespace

std::span<const Recipe> spatial_recipes() { return kSpatialRecipes; }

}  // namespace sightglass::test
