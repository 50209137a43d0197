#include "ops/tensor_io.h"

#include <array>

#include "kernel/tensors.h"
#include "ops/parts.h"

namespace sightglass {

Status check_buffer_input(DataType type, const Shape& shape) {
  if (type != DataType::kFloat32 && type != DataType::kFloat16) {
    return unsupported(std::string("cannot use a buffer for an input of ") + to_string(type) +
                       "; write it through the host");
  }
  if (shape.rank() > 4) return unsupported("a buffer as an input of shape " + shape.to_string());
  return {};
}

Result<TensorRef> emit_load_buffer(Emitter& emitter, int input, const TensorRef& out) {
  // The channels of a single pixel are adjacent in the arena.
  const int64_t numbers = int64_t{out.shape.b} * out.shape.h * out.shape.w * out.shape.c;
  const Bhwc dense{1, 1, 1, static_cast<int32_t>(numbers)};
  const TensorRef in = emitter.temporary(emitter.name(out) + ", dense", dense, Storage::kFloat32);
  PlanTensor& tensor = emitter.plan_tensor(in);
  tensor.persistent = tensor.exported = true;
  emitter.set_node("load input " + std::to_string(input));
  SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, in, out));
  return in;
}

// Those of RESHAPE, which have equal storages, and these.
std::vector<ShaderKey> load_buffer_variants() {
  return storage_variants({{"reshape.comp", {}}, {"reshape.comp", {{"LANES", "1"}}}}, "O");
}

namespace {

ShaderKey store_buffer_shader() { return {"store_buffer.comp", {}}; }

}  // namespace

Result<TensorRef> emit_store_buffer(Emitter& emitter, int output, const TensorRef& in) {
  const int64_t numbers = int64_t{in.shape.b} * in.shape.h * in.shape.w * in.shape.c;
  const Bhwc dense{1, 1, static_cast<int32_t>((numbers + 3) / 4), 4};
  const TensorRef out = emitter.temporary(emitter.name(in) + ", dense", dense, Storage::kFloat32);
  PlanTensor& tensor = emitter.plan_tensor(out);
  tensor.persistent = tensor.exported = true;
  emitter.set_node("store output " + std::to_string(output));
  auto params = StepParams({in, out}).ints(static_cast<int32_t>(numbers));
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step(store_buffer_shader(), std::move(params), Grid{dense.w, 1}, {in}, {out}, {.output = output}));
  return out;
}

std::vector<ShaderKey> store_buffer_variants() { return storage_variants({store_buffer_shader()}, "A", true); }

namespace {

ShaderKey load_shader(bool parts) {
  ShaderKey key{"load_texture.comp", {}};
  if (parts) key.defines.push_back({"FRAME_PARTS", "1"});
  return key;
}

ShaderKey store_shader(TextureFormat format, bool probability) {
  const char* name = format == TextureFormat::kRgba8     ? "rgba8"
                     : format == TextureFormat::kRgba16f ? "rgba16f"
                                                         : "rgba32f";
  ShaderKey key{"store_texture.comp", {{"FORMAT", name}}};
  if (probability) key.defines.push_back({"PROBABILITY", "1"});
  return key;
}

StepParams& floats(StepParams& params, const std::array<float, 4>& v) { return params.floats(v[0], v[1], v[2], v[3]); }

}  // namespace

Status check_texture_input(const Shape& shape, const InputSpec& spec, const DeviceLimits& limits) {
  if (spec.frame == FrameKind::kExternal && !limits.external_textures) {
    return unsupported(
        "external textures (texture-target=external-oes): the GL context has no "
        "GL_OES_EGL_image_external_essl3; 2D textures work, of RGBA or of planes of YUV");
  }
  if (shape.rank() > 4) return unsupported("a texture as an input of shape " + shape.to_string());
  const Bhwc s = Bhwc::from(shape);
  if (s.b > (spec.parts ? kMostFrameParts : 1) || s.c > 4) {
    const std::string images = spec.parts ? "up to " + std::to_string(kMostFrameParts) + " images" : "one image";
    return unsupported("a texture as an input of shape " + shape.to_string() + "; it must hold " + images +
                       " of one to four channels (" + (spec.parts ? "images" : "1") + " × height × width × channels)");
  }
  return {};
}

Status check_texture_output(const Shape& shape, const OutputSpec& spec, const DeviceLimits& limits) {
  const std::string what = "a texture for an output of shape " + shape.to_string();
  if (shape.rank() > 4 || Bhwc::from(shape).b != 1) return unsupported(what + "; it must hold one image");
  const Bhwc s = Bhwc::from(shape);
  if (s.w > limits.max_texture_size || s.h > limits.max_texture_size) {
    return resource_exhausted(what + " is larger than the maximum texture size, " +
                              std::to_string(limits.max_texture_size));
  }
  if (spec.conversion == OutputSpec::Conversion::kCopy) return {};
  if (s.c > kMaxClasses) return unsupported(what + " with more than " + std::to_string(kMaxClasses) + " classes");
  for (const int32_t c : spec.classes) {
    if (c < 0 || c >= s.c) {
      return invalid_argument("class " + std::to_string(c) + " of an output of shape " + shape.to_string() +
                              ", which has classes 0 to " + std::to_string(s.c - 1));
    }
  }
  return {};
}

Status emit_load_texture(Emitter& emitter, int input, const TensorRef& out) {
  const InputSpec& spec = emitter.context().options.inputs[static_cast<size_t>(input)];
  emitter.set_node("load input " + std::to_string(input));
  StepParams params({out});
  floats(params, spec.scale);
  floats(params, spec.offset);
  floats(params, spec.padding);
  const int64_t pixels = int64_t{out.shape.b} * out.shape.h * out.shape.w;
  return emitter.add_step(load_shader(out.shape.b > 1), std::move(params), Grid{pixels, 1}, {}, {out},
                          {.input = input});
}

Status emit_store_texture(Emitter& emitter, int output, const TensorRef& in) {
  const OutputSpec& spec = emitter.context().options.outputs[static_cast<size_t>(output)];
  const bool probability = spec.conversion == OutputSpec::Conversion::kProbability;
  emitter.set_node("store output " + std::to_string(output));

  std::array<uint32_t, kMaxClasses / 32> bits{};
  if (probability) {
    std::vector<int32_t> classes = spec.classes;
    if (classes.empty()) {
      for (int32_t c = in.shape.c == 1 ? 0 : 1; c < in.shape.c; ++c) classes.push_back(c);
    }
    for (const int32_t c : classes) bits[static_cast<size_t>(c / 32)] |= 1u << (c % 32);
  }
  auto params = StepParams({in}).ints(static_cast<int32_t>(spec.activation)).floats(spec.scale, spec.offset);
  for (size_t i = 0; i < bits.size(); i += 4) {
    params.ints(static_cast<int32_t>(bits[i]), static_cast<int32_t>(bits[i + 1]), static_cast<int32_t>(bits[i + 2]),
                static_cast<int32_t>(bits[i + 3]));
  }
  return emitter.add_step(store_shader(spec.format, probability), std::move(params),
                          Grid{int64_t{in.shape.h} * in.shape.w, 1}, {in}, {}, {.output = output});
}

std::vector<ShaderKey> texture_io_variants() {
  std::vector<ShaderKey> keys;
  for (const TextureFormat format : {TextureFormat::kRgba8, TextureFormat::kRgba16f, TextureFormat::kRgba32f}) {
    for (const bool probability : {false, true}) keys.push_back(store_shader(format, probability));
  }
  keys = storage_variants(keys, "A");
  for (const bool parts : {false, true}) {
    for (ShaderKey& key : storage_variants({load_shader(parts)}, "O")) keys.push_back(std::move(key));
    keys.push_back(load_shader(parts));
    keys.back().defines.push_back({"OUT_I32", "1"});
  }
  return keys;
}

}  // namespace sightglass
