// Receives the steps of kernels. No GL.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "kernel/kernel_interface.h"
#include "kernel/step.h"
#include "sightglass/plan.h"
#include "sightglass/status.h"

namespace sightglass {

// Input for a kernel's decision whether it supports a node.
struct PlanContext {
  const Graph& graph;
  const DeviceLimits& limits;
  const ForcedPlanOptions& options;

  // The index of the model input `value`, if that input is planned as a texture.
  std::optional<int> texture_input(ValueId value) const;
};

// Properties of a step beyond reading and writing tensors.
struct StepExtras {
  int input = -1, output = -1;  // model input whose texture it samples, model output that it writes
  bool reads_output = false;    // keeps part of the previous contents of its output tensor
  Storage weights = Storage::kFloat32;
  int32_t activation = 0;  // applied to the result: a GpuFunction code (ops/function.h)
  StepVariant variant = {};
  bool half_products = false;  // multiply 16-bit data and weights in 16 bits
};

// Work items of a step, and the size of a work group.
struct Grid {
  int64_t x = 1;  // pixels, or what the kernel counts along x
  int64_t z = 1;  // layers: batch × slices, or groups of them
  int32_t local_x = kKernelInvocations, local_z = 1;
  int32_t x_per_invocation = 1;

  // One item for each pixel and slice.
  static Grid over(const Bhwc& shape) {
    return {.x = int64_t{shape.h} * shape.w, .z = int64_t{shape.b} * shape.slices()};
  }
};

class Emitter {
 public:
  // Emits the step that loads the texture of model input `input` into `out`.
  using LoadTexture = Status (*)(Emitter& emitter, int input, const TensorRef& out);

  // Appends to `emission`, which must outlive it.
  Emitter(const PlanContext& context, Emission& emission, LoadTexture load_texture);
  const PlanContext& context() const { return context_; }
  const Graph& graph() const { return context_.graph; }

  // The tensor of a value, with its own shape. Constants get a permanent place in the arena. A texture input is loaded
  // by a separate pass.
  Result<TensorRef> tensor(ValueId value);
  // A temporary tensor between the steps of one node, with the storage and scale of `like`.
  TensorRef temporary(const std::string& name, const Bhwc& shape, const TensorRef& like);
  // A temporary tensor without a scale.
  TensorRef temporary(const std::string& name, const Bhwc& shape, Storage storage);
  // The region of `ref`; valid until the next tensor is added.
  PlanTensor& plan_tensor(const TensorRef& ref) { return emission_.tensors[static_cast<size_t>(ref.tensor)]; }
  const PlanTensor& plan_tensor(const TensorRef& ref) const {
    return emission_.tensors[static_cast<size_t>(ref.tensor)];
  }
  const std::string& name(const TensorRef& ref) const { return plan_tensor(ref).name; }
  Storage storage_of(const TensorRef& ref) const { return plan_tensor(ref).storage; }
  // Declares that the tensor of `value` contains integers quantized at run time. `quanta` is a tensor of 32-bit floats
  // with scale, 1 / scale, zero point and lowest step per image of the batch.
  void set_quanta(ValueId value, const TensorRef& quanta) { quanta_.emplace(value, quanta); }
  const TensorRef* quanta(ValueId value) const;
  // Suggests to compute `value` in place as the part of `whole` at `offset` blocks, unless a kernel places it
  // elsewhere. Call it before either has a tensor.
  void suggest_part(ValueId value, ValueId whole, int64_t offset) { parts_.emplace(value, Part{whole, offset}); }
  // Whether `ref` is in a region that a later step may change: a state, or an input that the host writes.
  bool is_kept(const TensorRef& ref) const;
  // Whether `ref` is the part of `whole` at that byte offset.
  bool is_part(const TensorRef& ref, const TensorRef& whole, int64_t bytes) const;
  // Places `value` in `ref`, whatever the shape of `ref`.
  void place(ValueId value, const TensorRef& ref) { refs_[value] = ref; }
  // Makes `value` share the memory of `ref`: no step is needed.
  void alias(ValueId value, const TensorRef& ref);

  // Storage of float activations in the plan, and of weights that need more bits than their own type.
  Storage real_storage() const;
  // Adds values to the constants buffer, four per element, unless it already contains them. Returns the position in
  // elements of that storage.
  int32_t add_constants(const std::vector<float>& values, Storage storage = Storage::kFloat32);

  // Defaults of the device family for the storage of activations in the plan.
  const KernelDefaults::Choices& defaults() const;
  // The default way of the device, and the alternative if there is one.
  Reads usual_reads() const;
  std::optional<Reads> other_reads() const;
  // Chooses one of the variants, which have name() and reads: the tuned one if `step` has been tuned, otherwise the
  // first. Returns the variant and the argument for add_step(). `step` describes the computation: equal steps take
  // equally long.
  template <typename Variant>
  std::pair<Variant, StepVariant> choose_variant(const std::string& step, const std::vector<Variant>& variants) const {
    std::vector<std::string> names;
    names.reserve(variants.size());
    for (const Variant& variant : variants) names.push_back(variant.name());
    const size_t chosen = choice_of(step, names);
    return {variants[chosen], {step, names[chosen], static_cast<int>(names.size()), variants[chosen].reads}};
  }

  // Sets the name of the node for the following steps.
  void set_node(std::string name) { node_ = std::move(name); }
  // `inputs` are bound in order. The emitter adds defines for the storage of tensors, and for the kind of the frame
  // that a step samples.
  Status add_step(ShaderKey shader, StepParams params, const Grid& grid, const std::vector<TensorRef>& inputs,
                  const std::vector<TensorRef>& outputs, const StepExtras& extras = {});

 private:
  size_t choice_of(const std::string& step, const std::vector<std::string>& variants) const;
  TensorRef add_tensor(const std::string& name, const Bhwc& shape, Storage storage, const StoredScale& scale);

  PlanContext context_;
  Emission& emission_;
  LoadTexture load_texture_;
  // Whether data are quantized to their own range at run time. Every rounding of stored values moves that range, and
  // all quantization steps with it, so floats keep their 32 bits.
  bool dynamic_range_;
  struct Part {
    ValueId whole;
    int64_t offset;
  };
  std::unordered_map<ValueId, TensorRef> refs_, quanta_;
  std::unordered_map<ValueId, Part> parts_;
  std::map<ShaderKey, int> programs_;
  std::string node_;
  std::unordered_multimap<size_t, std::pair<size_t, size_t>> constants_;  // by hash: position and size in bytes
  size_t attributed_weights_ = 0;  // bytes of the constants buffer attributed to steps so far
};

// A kernel: one way to run an operator on the GPU.
struct Kernel {
  const char* name;  // for reports: "conv2d"
  // Ok, or the reason why this kernel does not support the node. Types, ranks and the like have been checked for all
  // kernels.
  Status (*supports)(const PlanContext& context, const Node& node);
  // Appends the node's steps.
  Status (*emit)(Emitter& emitter, const Node& node);
  // All programs that emit() can request, without the additions of the emitter: buffer textures and functions of
  // results.
  std::vector<ShaderKey> (*variants)();
  // Limits of supports() other than types, for documentation. Empty if there are none or another kernel covers the
  // rest.
  std::string limits = {};
  OpType op = OpType::kCount;  // set by all_kernels()
};

// Maximum dimensions of a tensor on the GPU.
inline constexpr int kMostDimensions = 5;

}  // namespace sightglass
