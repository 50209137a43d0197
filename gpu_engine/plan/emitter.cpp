#include "plan/emitter.h"

#include <bit>

#include "ops/texture_io.h"

namespace sightglass {

StepParams& StepParams::tensor(const TensorRef& t) {
  slots_.emplace_back(words_.size() + 4, t.tensor);
  ints(t.shape.w, t.shape.h, t.shape.c, t.shape.b);
  return ints(0, t.shape.slices(), t.shape.w * t.shape.h);
}

StepParams& StepParams::ints(int32_t x, int32_t y, int32_t z, int32_t w) {
  words_.insert(words_.end(), {x, y, z, w});
  return *this;
}

StepParams& StepParams::floats(float x, float y, float z, float w) {
  return ints(std::bit_cast<int32_t>(x), std::bit_cast<int32_t>(y), std::bit_cast<int32_t>(z),
              std::bit_cast<int32_t>(w));
}

void StepParams::place(const std::vector<PlanTensor>& tensors) {
  for (const auto& [word, tensor] : slots_) {
    words_[word] = static_cast<int32_t>(tensors[static_cast<size_t>(tensor)].offset);
  }
}

std::optional<int> PlanContext::texture_input(ValueId value) const {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (graph.inputs[i] == value && options.inputs[i].source == InputSpec::Source::kTexture) return static_cast<int>(i);
  }
  return std::nullopt;
}

Emitter::Emitter(const PlanContext& context) : context_(context) {
  data_.limits = context.limits;
  data_.options = context.options;
}

Result<TensorRef> Emitter::tensor(ValueId value) {
  if (const auto known = refs_.find(value); known != refs_.end()) return known->second;
  const Value& v = graph().value(value);
  const TensorRef ref = temporary(v.name, Bhwc::from(v.shape));
  refs_.emplace(value, ref);
  if (graph().is_constant(value)) {
    PlanTensor& tensor = data_.tensors[static_cast<size_t>(ref.tensor)];
    tensor.persistent = true;
    tensor.contents = pack_tensor(ref.shape, graph().floats(value).data());
  } else if (const std::optional<int> input = context_.texture_input(value)) {
    SG_RETURN_IF_ERROR(emit_load_texture(*this, *input, ref));
  }
  return ref;
}

TensorRef Emitter::temporary(const std::string& name, const Bhwc& shape) {
  PlanTensor tensor;
  tensor.name = name;
  tensor.size = shape.vec4s();
  data_.tensors.push_back(std::move(tensor));
  return {static_cast<int>(data_.tensors.size()) - 1, shape};
}

void Emitter::alias(ValueId value, const TensorRef& ref) {
  refs_[value] = {ref.tensor, Bhwc::from(graph().value(value).shape)};
}

int32_t Emitter::add_constants(const std::vector<float>& values) {
  const auto place = static_cast<int32_t>(data_.weights.size() / 4);
  data_.weights.insert(data_.weights.end(), values.begin(), values.end());
  return place;
}

Status Emitter::add_step(const ShaderKey& shader, StepParams params, const Grid& grid,
                         const std::vector<TensorRef>& reads, const std::vector<TensorRef>& writes,
                         const TextureUse& textures) {
  const auto groups = [](int64_t items, int32_t local) { return (items + local - 1) / local; };
  const int64_t groups_x = groups(grid.x, grid.local_x * grid.x_per_invocation);
  const int64_t groups_z = groups(grid.z, grid.local_z);
  const DeviceLimits& limits = context_.limits;
  if (groups_x > limits.workgroup_count[0] || groups_z > limits.workgroup_count[2]) {
    return resource_exhausted("it needs " + std::to_string(groups_x) + " × " + std::to_string(groups_z) +
                              " work groups; the device's limits are " + std::to_string(limits.workgroup_count[0]) +
                              " and " + std::to_string(limits.workgroup_count[2]));
  }
  if (grid.local_x * grid.local_z > limits.workgroup_invocations) {
    return internal_error("a work group of " + std::to_string(grid.local_x * grid.local_z) +
                          " invocations is beyond the device's limit");
  }
  Step step;
  step.kernel = shader.name();
  step.node = node_;
  const auto [program, is_new] = programs_.emplace(shader, static_cast<int>(data_.programs.size()));
  if (is_new) data_.programs.push_back(shader);
  step.program = program->second;
  step.params = std::move(params);
  step.groups = {static_cast<uint32_t>(groups_x), 1, static_cast<uint32_t>(groups_z)};
  for (const TensorRef& ref : reads) step.reads.push_back(ref.tensor);
  for (const TensorRef& ref : writes) step.writes.push_back(ref.tensor);
  step.input = textures.input;
  step.output = textures.output;
  data_.steps.push_back(std::move(step));
  return {};
}

namespace {

// Calls f(dense index, packed index) for every element.
template <typename F>
void for_each_element(const Bhwc& shape, F f) {
  const int64_t area = int64_t{shape.h} * shape.w;
  int64_t dense = 0;
  for (int32_t b = 0; b < shape.b; ++b) {
    for (int64_t pixel = 0; pixel < area; ++pixel) {
      for (int32_t c = 0; c < shape.c; ++c, ++dense) {
        const int64_t vec4 = (int64_t{b} * shape.slices() + c / 4) * area + pixel;
        f(static_cast<size_t>(dense), static_cast<size_t>(vec4 * 4 + c % 4));
      }
    }
  }
}

}  // namespace

std::vector<float> pack_tensor(const Bhwc& shape, const float* dense) {
  std::vector<float> packed(static_cast<size_t>(shape.vec4s()) * 4, 0.0f);
  for_each_element(shape, [&](size_t from, size_t to) { packed[to] = dense[from]; });
  return packed;
}

void unpack_tensor(const Bhwc& shape, const float* packed, float* dense) {
  for_each_element(shape, [&](size_t to, size_t from) { dense[to] = packed[from]; });
}

}  // namespace sightglass
