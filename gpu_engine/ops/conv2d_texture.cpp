// The first convolution of a model, reading directly from the camera texture.
#include "kernel/storage_variants.h"
#include "ops/conv_constants.h"
#include "ops/ops.h"
#include "ops/pack_weights.h"

namespace sightglass {

namespace {

// One invocation computes all output slices; more would exceed its registers.
constexpr int32_t kMaxSlices = 8;
// Pixels per invocation, which share loaded weights.
constexpr int32_t kMaxPixels = 4;

int32_t tile_pixels(int32_t slices, int32_t most) {
  int32_t pixels = kMaxPixels;
  while (pixels > 1 && pixels * slices > most) pixels /= 2;
  return pixels;
}

ShaderKey conv2d_texture_shader(int32_t pixels, int32_t slices) {
  return {"conv2d_texture.comp", {{"PIXELS", std::to_string(pixels)}, {"SLICES", std::to_string(slices)}}};
}

Status supports_conv2d_texture(const PlanContext& context, const Node& node) {
  if (!context.texture_input(node.inputs[0])) return unsupported("the input is not a texture");
  const Value& input = context.graph.value(node.inputs[0]);
  const Shape& weights = context.graph.value(node.inputs[1]).shape;
  SIGHTGLASS_RETURN_IF_ERROR(check_conv_constants(context.graph, node, weights.dim(0)));
  if (residual_of(node) != kNone || gate_of(node) != kNone) return unsupported("it reads other tensors");
  if (input.type != DataType::kFloat32) return unsupported("the input is quantized");
  if (input.users.size() != 1) return unsupported("the input has other readers");
  if (Bhwc::from(input.shape).c != 3 || weights.dim(3) != 3) return unsupported("not three channels");
  if (weights.dim(0) > kMaxSlices * 4) return unsupported("more than 32 output channels");
  return {};
}

// Folds the normalization into the weights: a sum over scale * sample + offset is a sum over samples with scaled
// weights, plus the contribution of the offsets at every pixel inside the tensor, which becomes the weight of the
// fourth lane.
ConvWeights fold_normalization(const ConvWeights& w, const InputSpec& spec) {
  ConvWeights folded{w.out_channels, w.kernel_h, w.kernel_w, 4, {}};
  const size_t taps = w.values.size() / 3;
  folded.values.reserve(taps * 4);
  for (size_t tap = 0; tap < taps; ++tap) {
    double offset = 0;
    for (size_t c = 0; c < 3; ++c) {
      folded.values.push_back(w.values[tap * 3 + c] * spec.scale[c]);
      offset += static_cast<double>(w.values[tap * 3 + c]) * spec.offset[c];
    }
    folded.values.push_back(static_cast<float>(offset));
  }
  return folded;
}

Status emit_conv2d_texture(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const int input = *emitter.context().texture_input(node.inputs[0]);
  const InputSpec& spec = emitter.context().options.inputs[static_cast<size_t>(input)];
  const auto& attr = std::get<Conv2dAttr>(node.attributes);
  const Bhwc in = Bhwc::from(emitter.graph().value(node.inputs[0]).shape);
  const Shape& shape = emitter.graph().value(node.inputs[1]).shape;
  const ConvQuantization quantization = conv_quantization(emitter, node, out.shape.c);
  const ConvWeights dense{out.shape.c, shape.dim(1), shape.dim(2), 3,
                          conv_weights(emitter.graph(), node, quantization)};
  const ConvConstants constants =
      add_conv_constants(emitter, node, quantization, pack_conv_weights(fold_normalization(dense, spec)), out.shape.c);
  StepParams params;
  params.tensor(out);
  params.ints(dense.kernel_w, dense.kernel_h, attr.stride_w, attr.stride_h);
  params.ints(attr.dilation_w, attr.dilation_h, attr.padding.left, attr.padding.top);
  params.ints(constants.weights, constants.bias, constants.slope, constants.weight_offset);
  params.ints(in.w, in.h);
  params.floats(spec.padding[0], spec.padding[1], spec.padding[2], spec.padding[3]);
  const int32_t pixels = tile_pixels(out.shape.slices(), emitter.context().limits.kernels.texture_tile);
  return emitter.add_step(conv2d_texture_shader(pixels, out.shape.slices()), std::move(params),
                          Grid{.x = int64_t{out.shape.h} * out.shape.w, .x_per_invocation = pixels}, {}, {out},
                          {.input = input,
                           .weights = constants.storage,
                           .activation = constants.activation,
                           .half_products = emitter.context().limits.kernels.half.products});
}

std::vector<ShaderKey> conv2d_texture_variants() {
  std::vector<ShaderKey> keys;
  for (int32_t slices = 1; slices <= kMaxSlices; ++slices) {
    for (int32_t pixels = 1; pixels <= kMaxPixels; pixels *= 2) keys.push_back(conv2d_texture_shader(pixels, slices));
  }
  return storage_variants(keys, "OW");
}

}  // namespace

Kernel conv2d_texture_kernel() {
  return {"conv2d-texture", OpType::kConv2d, supports_conv2d_texture, emit_conv2d_texture, conv2d_texture_variants};
}

}  // namespace sightglass
