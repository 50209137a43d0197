// What several kernels share: layouts, broadcasting, packed weights, and the steps of convolutions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/fixed_point.h"
#include "graph/movement.h"
#include "graph/quantized.h"
#include "kernel/emitter.h"
#include "ops/conv_constants.h"
#include "ops/function.h"

namespace sightglass {

// Supports every node without a fused activation.
Status supports_without_activation(const PlanContext& context, const Node& node);

// Changes the memory layout of tensors, for kernels that need another view.

// Whether both shapes place the same elements, in tightly packed order, at the same positions in the arena.
bool same_layout(const Bhwc& a, const Bhwc& b);

// Copies `from` to `to`, which has the same number of elements, in tightly packed row-major order.
Status emit_reshape(Emitter& emitter, const TensorRef& from, const TensorRef& to);
std::vector<ShaderKey> reshape_variants();  // that it may request

// Moves elements of `from` to `to`; both have the same type and scale.
Status emit_movement(Emitter& emitter, const Movement& movement, const TensorRef& from, const TensorRef& to);

// Call before anything is emitted, for a CONCATENATION or PACK on the GPU: inputs that are contiguous in the output are
// computed there in place, and need no step that copies them.
void suggest_parts(Emitter& emitter, const Node& node);

// numpy broadcasting of up to five dimensions, folded into the four of shaders (lib/broadcast.glsl).

// Appends the batch steps of up to three operands along the two dimensions that form the batch of `out`, and the size
// of the second of them.
void add_batch_steps(StepParams& params, const std::vector<Shape>& operands, const Shape& out);

// Operands of an element-wise operator and its output, with their shapes in the graph.
struct Elements {
  std::vector<TensorRef> operands;
  std::vector<Shape> shapes;
  TensorRef out;
  Shape shape;
};
Result<Elements> elements_of(Emitter& emitter, const Node& node);

// How the operands repeat over the output.
GpuRepeat repeated(const std::vector<TensorRef>& operands, const TensorRef& out);

// Sums of integers to quantized tensors, as a step of its own.

// Stores the integers of `from`, of the shape of `to`, times `factor`.
Status emit_requantization(Emitter& emitter, const TensorRef& from, const TensorRef& to, const FixedPoint& factor,
                           const QuantumRange& range);
std::vector<ShaderKey> requantization_variants();

// Constants in the order in which kernels read them.
// Tightly packed weights [O, kh, kw, I], row-major.
struct ConvWeights {
  int32_t out_channels = 0, kernel_h = 1, kernel_w = 1, in_channels = 0;
  std::vector<float> values;
};

// [O/4][kh][kw][I/4][4] vec4: the lanes of a vec4 are four output channels, the four vec4 four input channels, so a
// kernel sums input.x * w0 + input.y * w1 + … without a horizontal sum. Lanes past the last channel are zero.
std::vector<float> pack_conv_weights(const ConvWeights& weights);

// Factors per output channel for lib/conv_result.glsl: three parts, with the high 16 and the low 15 bits of the
// multipliers, and the shifts.
std::vector<float> pack_factors(const std::vector<FixedPoint>& factors);
// The same in the form of NearestFactor, in two parts: the scales and the bits. None if a channel has no such form.
// `most_sums`: by channel; if empty, 24 bits.
std::optional<std::vector<float>> pack_nearest_factors(const Requantization& requantization,
                                                       const std::vector<double>& most_sums);

// Pads with zeros to whole slices of four channels.
void pad_to_slices(std::vector<float>& channels);

// Steps of convolution-like operators, and their shaders.

// Description of the computation for tuning: `kernel`, the shapes, the geometry of the convolution, and all storages.
std::string tuned_step(const Emitter& emitter, const char* kernel, const TensorRef& in, const TensorRef& out,
                       const std::string& geometry, const ConvConstants& constants);

// "3x5" and "reads=textures": parts of step and variant names.
std::string sides(int32_t h, int32_t w);
const char* name_of(Reads reads);

struct ConvStep {
  ShaderKey shader;
  StepParams params;  // without the last members, which describe the conversion of the sums
  Grid grid;
  const TensorRef &in, &out;
  const ConvConstants& constants;
  StepVariant variant = {};
  bool half_products = false;  // see StepExtras
};
Status add_conv_step(Emitter& emitter, ConvStep step);

// All variants of the shaders of such a step. `dynamic`: also for data quantized at run time.
std::vector<ShaderKey> conv_variants(const std::vector<ShaderKey>& keys, bool dynamic);
// The same for computed weights.
std::vector<ShaderKey> computed_variants(const std::vector<ShaderKey>& keys);
// Further operands of a step, with their define. All variants of float steps with each of the sets of them.
enum class Operand : uint8_t {
  kResidual,
  kLastResidual,
  kPooledResidual,
  kResizedResidual,
  kLastResizedResidual,
  kGate,
  kAddend
};
ShaderDefine define_of(Operand operand);
std::vector<ShaderKey> operand_variants(const std::vector<ShaderKey>& keys,
                                        const std::vector<std::vector<Operand>>& sets);
// Those that add a residual to sums of integers.
std::vector<ShaderKey> integer_residual_variants(const std::vector<ShaderKey>& keys, Operand residual);
// Sets the operands of a convolution.
Status add_operands(Emitter& emitter, const Node& node, ConvConstants& constants);
// Gives the step of a node that takes an addend the tensor and the define, if there is one: after all other params.
Status add_addend(Emitter& emitter, const Node& node, ShaderKey& shader, StepParams& params,
                  std::vector<TensorRef>& inputs);

// Direct convolutions, for other operators.

// Applies a float matrix [out channels, in channels] and a bias of whole slices to every pixel.
Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, std::vector<float> weights,
                      const std::vector<float>& bias);
// The same with any kind of constants.
Status emit_pointwise(Emitter& emitter, const TensorRef& in, const TensorRef& out, const ConvConstants& constants);

// The same with the constants and further operands of a CONV_2D, whose data are `in`.
Status emit_pointwise(Emitter& emitter, const Node& node, const TensorRef& in, const TensorRef& out);
// Every program that a CONV_2D may request.
std::vector<ShaderKey> conv2d_variants();

// Cost of a convolution of 32-bit floats from `in` to `out` with a kernel of `taps` pixels, more than one, and with the
// default tile of the device. The unit is the multiply-add of a vec4 by one invocation.
int64_t conv2d_cost(const KernelDefaults& kernels, const Bhwc& in, const Bhwc& out, int32_t taps);

// A factor for multiply_wide() of shaders/lib/requantize.glsl: multiplier and right shift.
inline void add_wide_factor(StepParams& params, const FixedPoint& factor) {
  params.ints(factor.multiplier >> 16, 15 - factor.shift);
}

}  // namespace sightglass
