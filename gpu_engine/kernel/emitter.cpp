#include "kernel/emitter.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "kernel/tensors.h"

namespace sightglass {

std::optional<int> PlanContext::texture_input(ValueId value) const {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (graph.inputs[i] == value && options.inputs[i].source == InputSpec::Source::kTexture) return static_cast<int>(i);
  }
  return std::nullopt;
}

Emitter::Emitter(const PlanContext& context, Emission& emission, LoadTexture load_texture)
    : context_(context),
      emission_(emission),
      load_texture_(load_texture),
      dynamic_range_(std::ranges::any_of(
          context.graph.order(), [&](NodeId id) { return context.graph.node(id).op == OpType::kDynamicQuantize; })) {}

const KernelDefaults::Choices& Emitter::defaults() const {
  const KernelDefaults& kernels = context_.limits.kernels;
  return real_storage() == Storage::kFloat16 ? kernels.fp16 : kernels.fp32;
}

Reads Emitter::usual_reads() const {
  return defaults().buffer_textures && context_.limits.max_buffer_texels > 0 ? Reads::kBufferTextures
                                                                             : Reads::kStorageBlocks;
}

std::optional<Reads> Emitter::other_reads() const {
  if (context_.limits.max_buffer_texels == 0) return std::nullopt;
  return usual_reads() == Reads::kBufferTextures ? Reads::kStorageBlocks : Reads::kBufferTextures;
}

size_t Emitter::choice_of(const std::string& step, const std::vector<std::string>& variants) const {
  const ForcedPlanOptions& options = context_.options;
  const std::optional<std::string> known = options.tuning ? options.tuning->choice(step) : std::nullopt;
  const auto found = known ? std::ranges::find(variants, *known) : variants.end();
  const auto asked = std::min(static_cast<size_t>(std::max(options.variant, 0)), variants.size() - 1);
  const size_t chosen = found != variants.end() ? static_cast<size_t>(found - variants.begin()) : asked;
  options.log.debug([&] {
    std::string others;
    for (const std::string& other : variants) {
      if (other != variants[chosen]) others += (others.empty() ? "; declined " : ", ") + other;
    }
    const bool tuned = found != variants.end();
    if (!others.empty()) others += tuned ? ": slower when tuned" : ": not measured on this device";
    return node_ + ": variant " + variants[chosen] + (tuned ? " by tuning" : " as usual for this device") + others;
  });
  return chosen;
}

Storage Emitter::real_storage() const {
  const bool half =
      context_.options.precision == Precision::kFp16 && context_.limits.kernels.half.storage && !dynamic_range_;
  return half ? Storage::kFloat16 : Storage::kFloat32;
}

Result<TensorRef> Emitter::tensor(ValueId value) {
  if (const auto known = refs_.find(value); known != refs_.end()) return known->second;
  const Value& v = graph().value(value);
  const TensorRef ref =
      add_tensor(v.name, Bhwc::from(v.shape), sightglass::storage_of(v.type, v.quantization, real_storage()),
                 scale_of(v.type, v.quantization));
  refs_.emplace(value, ref);
  if (graph().is_constant(value)) {
    PlanTensor& tensor = plan_tensor(ref);
    tensor.persistent = true;
    tensor.contents = to_storage(ref.shape, tensor.storage, v.constant->type, v.quantization, v.constant->bytes);
  } else if (const std::optional<int> input = context_.texture_input(value)) {
    const std::string reader = node_;  // the step that loads has a name of its own
    SIGHTGLASS_RETURN_IF_ERROR(load_texture_(*this, *input, ref));
    node_ = reader;
  } else if (const auto part = parts_.find(value); part != parts_.end()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef whole, tensor(part->second.whole));
    PlanTensor& tensor = plan_tensor(ref);
    tensor.whole = whole.tensor;
    tensor.place_in_whole = part->second.offset;
  }
  return ref;
}

TensorRef Emitter::temporary(const std::string& name, const Bhwc& shape, const TensorRef& like) {
  return add_tensor(name, shape, storage_of(like), like.scale);
}

TensorRef Emitter::temporary(const std::string& name, const Bhwc& shape, Storage storage) {
  return add_tensor(name, shape, storage, {});
}

TensorRef Emitter::add_tensor(const std::string& name, const Bhwc& shape, Storage storage, const StoredScale& scale) {
  PlanTensor tensor;
  tensor.name = name;
  tensor.storage = storage;
  tensor.size = (shape.vec4s() * bytes_of(storage) + kBlockBytes - 1) / kBlockBytes;
  emission_.tensors.push_back(std::move(tensor));
  return {static_cast<int>(emission_.tensors.size()) - 1, shape, scale};
}

bool Emitter::is_part(const TensorRef& ref, const TensorRef& whole, int64_t bytes) const {
  const PlanTensor& tensor = plan_tensor(ref);
  return ref.first == 0 && tensor.whole == whole.tensor && tensor.place_in_whole * kBlockBytes == bytes;
}

bool Emitter::is_kept(const TensorRef& ref) const {
  return emission_.tensors[static_cast<size_t>(region_of(emission_.tensors, ref.tensor))].persistent;
}

const TensorRef* Emitter::quanta(ValueId value) const {
  const auto known = quanta_.find(value);
  return known == quanta_.end() ? nullptr : &known->second;
}

void Emitter::alias(ValueId value, const TensorRef& ref) {
  refs_[value] = {ref.tensor, Bhwc::from(graph().value(value).shape), ref.scale, ref.first};
}

namespace {

std::vector<std::byte> stored(const std::vector<float>& values, Storage storage) {
  const auto element = static_cast<size_t>(bytes_of(storage) / 4);
  // Every group of constants starts at a block boundary, whatever the storage of the next one.
  constexpr auto kBlock = static_cast<size_t>(kBlockBytes);
  std::vector<std::byte> bytes((values.size() * element + kBlock - 1) / kBlock * kBlock);
  for (size_t i = 0; i < values.size(); ++i) {
    if (storage == Storage::kInt8) {
      bytes[i] = static_cast<std::byte>(static_cast<int8_t>(values[i]));
    } else if (storage == Storage::kFloat16) {
      const uint16_t half = float_to_half(std::clamp(values[i], -65504.0f, 65504.0f));
      std::memcpy(bytes.data() + i * element, &half, element);
    } else {
      std::memcpy(bytes.data() + i * element, &values[i], element);
    }
  }
  return bytes;
}

}  // namespace

int32_t Emitter::add_constants(const std::vector<float>& values, Storage storage) {
  const std::vector<std::byte> bytes = stored(values, storage);
  std::vector<std::byte>& buffer = emission_.weights;
  emission_.weight_storages.insert(storage);
  // Some files have many tensors that share one buffer.
  const size_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto [begin, end] = constants_.equal_range(hash);
  const auto same = std::find_if(begin, end, [&](const auto& entry) {
    const auto [place, size] = entry.second;
    return size == bytes.size() && std::equal(bytes.begin(), bytes.end(), buffer.data() + place);
  });
  size_t place = buffer.size();
  if (same != end) {
    place = same->second.first;
  } else {
    constants_.emplace(hash, std::pair(place, bytes.size()));
    buffer.insert(buffer.end(), bytes.begin(), bytes.end());
  }
  return static_cast<int32_t>(static_cast<int64_t>(place) / bytes_of(storage));
}

Status Emitter::add_step(ShaderKey shader, StepParams params, const Grid& grid, const std::vector<TensorRef>& inputs,
                         const std::vector<TensorRef>& outputs, const StepExtras& extras) {
  if (!inputs.empty()) add_storage_define(shader, "A", storage_of(inputs[0]));
  if (inputs.size() > 1) add_storage_define(shader, "B", storage_of(inputs[1]));
  if (!outputs.empty()) add_storage_define(shader, "OUT", storage_of(outputs[0]));
  add_storage_define(shader, "WEIGHTS", extras.weights);
  if (extras.half_products && extras.weights == Storage::kFloat16 &&
      (inputs.empty() || storage_of(inputs[0]) == Storage::kFloat16)) {
    shader.defines.push_back({kHalfProducts, "1"});
  }
  if (extras.input >= 0) {
    const FrameKind kind = context_.options.inputs[static_cast<size_t>(extras.input)].frame;
    if (const char* define = frame_define(kind)) shader.defines.push_back({define, "1"});
  }
  if (extras.activation != 0) shader.defines.push_back({"ACTIVATION", std::to_string(extras.activation)});
  if (!outputs.empty() && outputs[0].scale.quantized) shader.defines.push_back({"OUT_QUANTIZED", "1"});
  if (extras.variant.reads.value_or(usual_reads()) == Reads::kBufferTextures) {
    shader.defines.push_back({kBufferTextures, "1"});
    emission_.buffer_textures = true;
  }
  const auto groups = [](int64_t items, int32_t local) { return (items + local - 1) / local; };
  const int64_t groups_x = groups(grid.x, grid.local_x * grid.x_per_invocation);
  const int64_t groups_z = groups(grid.z, grid.local_z);
  const DeviceLimits& limits = context_.limits;
  // Long rows or columns of work groups are folded (shaders/lib/grid.glsl). Both are long only in tensors that no
  // memory holds.
  const int64_t rows = std::max<int64_t>(groups(groups_x, limits.workgroup_count[0]), 1);
  const int64_t columns = std::max<int64_t>(groups(groups_z, limits.workgroup_count[2]), 1);
  if (rows * columns > limits.workgroup_count[1] || (rows > 1 && columns > 1)) {
    return resource_exhausted("it needs " + std::to_string(groups_x) + " × " + std::to_string(groups_z) +
                              " work groups, but the device allows " + std::to_string(limits.workgroup_count[0]) +
                              " × " + std::to_string(limits.workgroup_count[1]) + " and " +
                              std::to_string(limits.workgroup_count[2]));
  }
  if (grid.local_x * grid.local_z > limits.workgroup_invocations) {
    return internal_error("a work group of " + std::to_string(grid.local_x * grid.local_z) +
                          " invocations exceeds the device limit");
  }
  if (columns > 1) shader.defines.push_back({kFoldedLayers, std::to_string(groups_z)});
  Step step;
  step.kernel = shader.name();
  step.node = node_;
  const auto [program, is_new] = programs_.emplace(shader, static_cast<int>(emission_.programs.size()));
  if (is_new) emission_.programs.push_back(shader);
  step.program = program->second;
  step.params = std::move(params);
  step.groups = {static_cast<uint32_t>(groups(groups_x, static_cast<int32_t>(rows))),
                 static_cast<uint32_t>(rows * columns),
                 static_cast<uint32_t>(groups(groups_z, static_cast<int32_t>(columns)))};
  for (const TensorRef& ref : inputs) step.reads.push_back(ref.tensor);
  step.input_tensors = static_cast<int>(inputs.size());
  for (const TensorRef& ref : outputs) {
    step.writes.push_back(ref.tensor);
    if (extras.reads_output) step.reads.push_back(ref.tensor);
  }
  step.variant = extras.variant;
  step.input = extras.input;
  step.output = extras.output;
  step.weight_bytes = static_cast<int64_t>(emission_.weights.size() - attributed_weights_);
  attributed_weights_ = emission_.weights.size();
  emission_.steps.push_back(std::move(step));
  return {};
}

}  // namespace sightglass
