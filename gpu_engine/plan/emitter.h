// What kernels write their steps to. No GL.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "plan/plan_data.h"

namespace sightglass {

// What a kernel may look at to decide whether it can serve a node.
struct PlanContext {
  const Graph& graph;
  const DeviceLimits& limits;
  const PlanOptions& options;

  // The model input that `value` is, when that input is planned as a texture.
  std::optional<int> texture_input(ValueId value) const;
};

// How many work groups a step needs.
struct Grid {
  int64_t x = 1;  // pixels, or what the kernel counts along x
  int64_t z = 1;  // layers: batch × slices, or groups of them
  int32_t local_x = 64, local_z = 1;
  int32_t x_per_invocation = 1;
};

// What a step uses besides tensors.
struct TextureUse {
  int input = -1, output = -1;  // model input that it samples, model output that it writes as an image
};

class Emitter {
 public:
  explicit Emitter(const PlanContext& context);
  const PlanContext& context() const { return context_; }
  const Graph& graph() const { return context_.graph; }

  // The tensor of a value, with its own shape. Constants are placed in the arena for good; an input that is a texture
  // is loaded by a pass of its own.
  Result<TensorRef> tensor(ValueId value);
  TensorRef temporary(const std::string& name, const Bhwc& shape);
  // `value` is the same memory as `ref`: no step is needed to make it.
  void alias(ValueId value, const TensorRef& ref);

  // Appends to the constants buffer; the count must be a multiple of four. Returns the place in vec4.
  int32_t add_constants(const std::vector<float>& values);

  // Names the node that the following steps belong to.
  void set_node(std::string name) { node_ = std::move(name); }
  Status add_step(const ShaderKey& shader, StepParams params, const Grid& grid, const std::vector<TensorRef>& reads,
                  const std::vector<TensorRef>& writes, const TextureUse& textures = {});

  PlanData& data() { return data_; }

 private:
  PlanContext context_;
  PlanData data_;
  std::unordered_map<ValueId, TensorRef> refs_;
  std::map<ShaderKey, int> programs_;
  std::string node_;
};

// The contents of a dense row-major tensor in the order of the arena, unused lanes zero, and back.
std::vector<float> pack_tensor(const Bhwc& shape, const float* dense);
void unpack_tensor(const Bhwc& shape, const float* packed, float* dense);

}  // namespace sightglass
