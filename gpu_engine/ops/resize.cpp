#include "graph/quantized.h"
#include "kernel/tensors.h"
#include "ops/function.h"
#include "ops/ops.h"

namespace sightglass {

namespace {

// Adjacent pixels per invocation, and the columns of the input that these need.
struct ResizeTile {
  int32_t columns = 1, sources = 2;
};

constexpr int32_t kColumns = 4;

// Up to `most` columns, if they share enough: the image becomes at least 1.5 times as wide.
ResizeTile choose_resize_tile(int32_t most, float scale) {
  if (most < kColumns || scale > 2.0f / 3) return {};
  return {kColumns, scale > 1.0f / 3 ? 4 : 3};
}

constexpr const char *kFloats = "resize_bilinear.comp", *kBytes = "resize_bilinear_bytes.comp";

ShaderKey resize_shader(const char* file, int64_t layers, const ResizeTile& tile) {
  return {file,
          {{"LAYERS", std::to_string(layers)},
           {"COLUMNS", std::to_string(tile.columns)},
           {"SOURCES", std::to_string(tile.sources)}}};
}

// Layers per invocation, if enough invocations remain to keep a device busy.
constexpr int64_t kLayers = 8, kManyInvocations = 4096;

int64_t layers_together(int64_t pixels, int64_t layers) {
  return layers > 1 && pixels * layers >= kManyInvocations * kLayers ? kLayers : 1;
}

Status add_resize_step(Emitter& emitter, const char* file, float scale, StepParams params, const TensorRef& in,
                       const TensorRef& out, const StepExtras& extras) {
  const ResizeTile tile = choose_resize_tile(emitter.context().limits.kernels.resize_columns, scale);
  const int64_t groups = (int64_t{out.shape.w} + tile.columns - 1) / tile.columns;
  const int64_t pixels = out.shape.h * groups, layers = int64_t{out.shape.b} * out.shape.slices();
  const int64_t together = layers_together(pixels, layers);
  const Grid grid{pixels, (layers + together - 1) / together};
  return emitter.add_step(resize_shader(file, together, tile), std::move(params), grid, {in}, {out}, extras);
}

std::vector<ShaderKey> resize_variants(const char* file) {
  std::vector<ShaderKey> keys;
  for (const ResizeTile& tile : {ResizeTile{}, ResizeTile{kColumns, 3}, ResizeTile{kColumns, 4}}) {
    for (const int64_t layers : {int64_t{1}, kLayers}) keys.push_back(resize_shader(file, layers, tile));
  }
  return storage_variants(keys, "AO");
}

std::vector<ShaderKey> float_variants() { return resize_variants(kFloats); }

Status supports_resize(const PlanContext&, const Node& node) {
  if (node.activation == Activation::kPrelu) return unsupported("a fused PRELU");
  return {};
}

Status emit_resize(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<ResizeAttr>(node.attributes);
  StepParams params({in, out});
  const float scale = attr.scale(in.shape.w, out.shape.w);
  params.floats(scale, attr.scale(in.shape.h, out.shape.h), attr.half_pixel_centers ? 0.5f : 0.0f);
  return add_resize_step(emitter, kFloats, scale, std::move(params), in, out,
                         {.activation = gpu_code(node.activation)});
}

}  // namespace

namespace {

ShaderKey quantized_shader(bool wide) {
  ShaderKey key{"resize_bilinear_quantized.comp", {}};
  if (wide) key.defines.push_back({"WIDE", "1"});
  return key;
}

Status supports_quantized(const PlanContext& context, const Node& node) {
  return resizes_integers(context.graph, node)
             ? Status()
             : unsupported("tensors that are not int8 or int16 with one quantization");
}

Status emit_quantized(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<ResizeAttr>(node.attributes);
  const ResizeMapping x = resize_mapping(in.shape.w, out.shape.w, attr);
  const ResizeMapping y = resize_mapping(in.shape.h, out.shape.h, attr);
  const Value& value = emitter.graph().value(node.outputs[0]);
  const QuantumRange range = quantum_range(value, Activation::kNone);
  auto params = StepParams({in, out}).ints(x.scale, y.scale, x.offset, y.offset);
  params.ints(range.lowest, range.highest, zero_point(value));
  return emitter.add_step(quantized_shader(value.type == DataType::kInt16), std::move(params), Grid::over(out.shape),
                          {in}, {out});
}

Status supports_bytes(const PlanContext& context, const Node& node) {
  return resizes_bytes(context.graph, node) ? Status()
                                            : unsupported("tensors that are not uint8 with one quantization");
}

// Pixel before, pixel after, weights of both.
int32_t add_taps(Emitter& emitter, const std::vector<ResizeTap>& taps) {
  std::vector<float> numbers;
  for (const ResizeTap& tap : taps) {
    numbers.insert(numbers.end(),
                   {static_cast<float>(tap.low), static_cast<float>(tap.high), 1 - tap.weight, tap.weight});
  }
  return emitter.add_constants(numbers);
}

Status emit_bytes(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const auto& attr = std::get<ResizeAttr>(node.attributes);
  const int32_t columns = add_taps(emitter, resize_taps(in.shape.w, out.shape.w, attr));
  const int32_t rows = add_taps(emitter, resize_taps(in.shape.h, out.shape.h, attr));
  auto params = StepParams({in, out}).ints(columns, rows, zero_point(emitter.graph().value(node.outputs[0])), 0);
  return add_resize_step(emitter, kBytes, attr.scale(in.shape.w, out.shape.w), std::move(params), in, out, {});
}

std::vector<ShaderKey> bytes_variants() { return resize_variants(kBytes); }

std::vector<ShaderKey> quantized_variants() {
  return storage_variants({quantized_shader(false), quantized_shader(true)}, "AO");
}

}  // namespace

std::vector<Kernel> resize_bilinear_kernels(OpType) {
  return {{"resize-bilinear-quantized", supports_quantized, emit_quantized, quantized_variants},
          {"resize-bilinear-bytes", supports_bytes, emit_bytes, bytes_variants},
          {"resize-bilinear", supports_resize, emit_resize, float_variants}};
}

}  // namespace sightglass
