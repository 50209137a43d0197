// What kernels write their steps to. No GL.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu_engine/plan.h"
#include "graph/graph.h"
#include "kernel/emission.h"
#include "kernel/kernel_interface.h"

namespace sightglass {

// What a kernel may look at to decide whether it can serve a node.
struct PlanContext {
  const Graph& graph;
  const DeviceLimits& limits;
  const PlanOptions& options;

  // The model input that `value` is, when that input is planned as a texture.
  std::optional<int> texture_input(ValueId value) const;
};

// What a step does besides reading and writing tensors.
struct StepExtras {
  int input = -1, output = -1;  // model input whose texture it samples, model output that it writes for others
  bool reads_output = false;    // keeps part of what its output tensor holds
  Storage weights = Storage::kFloat32;
  int32_t activation = 0;  // applied to the result: a code of GpuFunction (ops/function.h)
  StepVariant variant = {};
};

// How many work groups a step needs.
struct Grid {
  int64_t x = 1;  // pixels, or what the kernel counts along x
  int64_t z = 1;  // layers: batch × slices, or groups of them
  int32_t local_x = kKernelInvocations, local_z = 1;
  int32_t x_per_invocation = 1;
};

class Emitter {
 public:
  // Emits the step that loads the texture of model input `input` into `out`.
  using LoadTexture = Status (*)(Emitter& emitter, int input, const TensorRef& out);

  // Appends to `emission`, which must outlive it.
  Emitter(const PlanContext& context, Emission& emission, LoadTexture load_texture);
  const PlanContext& context() const { return context_; }
  const Graph& graph() const { return context_.graph; }

  // The tensor of a value, with its own shape. Constants are placed in the arena for good; an input that is a texture
  // is loaded by a pass of its own.
  Result<TensorRef> tensor(ValueId value);
  // A tensor between the steps of one node, stored and scaled like another.
  TensorRef temporary(const std::string& name, const Bhwc& shape, const TensorRef& like);
  // One of plain numbers.
  TensorRef temporary(const std::string& name, const Bhwc& shape, Storage storage);
  // The region of `ref`, valid until the next tensor is added.
  PlanTensor& plan_tensor(const TensorRef& ref) { return emission_.tensors[static_cast<size_t>(ref.tensor)]; }
  const PlanTensor& plan_tensor(const TensorRef& ref) const {
    return emission_.tensors[static_cast<size_t>(ref.tensor)];
  }
  const std::string& name(const TensorRef& ref) const { return plan_tensor(ref).name; }
  Storage storage_of(const TensorRef& ref) const { return plan_tensor(ref).storage; }
  // A value whose tensor holds integers in quanta that the GPU finds while it runs: scale, 1 / scale, zero point and
  // lowest step of every picture of a batch, in a tensor of 32-bit floats.
  void set_quanta(ValueId value, const TensorRef& quanta) { quanta_.emplace(value, quanta); }
  const TensorRef* quanta(ValueId value) const;
  // `value` is a part of `whole`, `offset` blocks from its beginning: it is computed there, unless a kernel finds
  // another place for it. Before either has a tensor.
  void suggest_part(ValueId value, ValueId whole, int64_t offset) { parts_.emplace(value, Part{whole, offset}); }
  // Whether `ref` is the part of `whole` that many bytes from its beginning.
  bool is_part(const TensorRef& ref, const TensorRef& whole, int64_t bytes) const;
  // `value` lies in `ref`, in whatever shape that has.
  void place(ValueId value, const TensorRef& ref) { refs_[value] = ref; }
  // `value` is the same memory as `ref`: no step is needed to make it.
  void alias(ValueId value, const TensorRef& ref);

  // How the plan stores activations that are real numbers, and weights that need more bits than it has.
  Storage real_storage() const;
  // Puts numbers into the constants buffer, four to an element, unless it has them already. Returns the place, in
  // elements of that storage.
  int32_t add_constants(const std::vector<float>& values, Storage storage = Storage::kFloat32);

  // What suits the device's family with activations as the plan stores them.
  const KernelDefaults::Choices& defaults() const;
  // The way that suits the device, and the other one where it has one.
  Reads usual_reads() const;
  std::optional<Reads> other_reads() const;
  // Chooses one of the variants, which have name() and reads: that of the tuning, where it knows such a step, else the
  // first. Returns it, and what add_step() takes. `step` says what is computed: equal steps take equally long.
  template <typename Variant>
  std::pair<Variant, StepVariant> choose_variant(const std::string& step, const std::vector<Variant>& variants) const {
    std::vector<std::string> names;
    names.reserve(variants.size());
    for (const Variant& variant : variants) names.push_back(variant.name());
    const size_t chosen = choice_of(step, names);
    return {variants[chosen], {step, names[chosen], static_cast<int>(names.size()), variants[chosen].reads}};
  }

  // Names the node that the following steps belong to.
  void set_node(std::string name) { node_ = std::move(name); }
  // `inputs` are bound in their order. How tensors are stored, and what the frame consists of that a step samples, is
  // added to the shader's defines.
  Status add_step(ShaderKey shader, StepParams params, const Grid& grid, const std::vector<TensorRef>& inputs,
                  const std::vector<TensorRef>& outputs, const StepExtras& extras = {});

 private:
  size_t choice_of(const std::string& step, const std::vector<std::string>& variants) const;
  TensorRef add_tensor(const std::string& name, const Bhwc& shape, Storage storage, const StoredScale& scale);

  PlanContext context_;
  Emission& emission_;
  LoadTexture load_texture_;
  // Whether data are rounded to quanta of their own range: that range moves with every rounding of what is stored, and
  // all quanta with it, so real numbers keep their 32 bits.
  bool dynamic_range_;
  struct Part {
    ValueId whole;
    int64_t offset;
  };
  std::unordered_map<ValueId, TensorRef> refs_, quanta_;
  std::unordered_map<ValueId, Part> parts_;
  std::map<ShaderKey, int> programs_;
  std::string node_;
  std::unordered_multimap<size_t, std::pair<size_t, size_t>> constants_;  // by hash: place and size in bytes
  size_t attributed_weights_ = 0;  // bytes of the constants buffer that belong to the steps so far
};

}  // namespace sightglass
