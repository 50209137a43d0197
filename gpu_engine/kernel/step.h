// One dispatch of a plan, or one CPU segment: its parameters and variants, and all steps that kernels emit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/kernel_interface.h"
#include "kernel/tensors.h"
#include "sightglass/shader_source.h"

namespace sightglass {

// Variants of steps, with bit-identical results.
// How a step accesses tensors and weights (shaders/lib/tensor.glsl).
enum class Reads : uint8_t { kStorageBlocks, kBufferTextures };

// The chosen variant of a step.
struct StepVariant {
  std::string step, name;      // as in Tuning; empty for steps without variants
  int count = 0;               // number of variants
  std::optional<Reads> reads;  // unset: the default of the device
};

// The parameters of a step: its uniform block.
// The uniform block of a step in std140. All members are Tensor structs, ivec4 or vec4, so it is an array of 32-bit
// words. The arena layout fills in the tensor offsets.
class StepParams {
 public:
  StepParams() = default;
  explicit StepParams(std::initializer_list<TensorRef> tensors) {
    for (const TensorRef& t : tensors) tensor(t);
  }
  StepParams& tensor(const TensorRef& t);
  StepParams& ints(int32_t x, int32_t y = 0, int32_t z = 0, int32_t w = 0);
  StepParams& floats(float x, float y = 0, float z = 0, float w = 0);
  // `base` returns the block of the arena that the offset of a tensor counts from.
  void place(const std::vector<PlanTensor>& tensors, const std::function<int64_t(int tensor)>& base);
  const std::vector<int32_t>& words() const { return words_; }

 private:
  std::vector<int32_t> words_;
  struct Slot {
    size_t word;  // receives the offset of the tensor
    int tensor;
    int64_t first;
  };
  std::vector<Slot> slots_;
};

// One dispatch of a plan, or one CPU segment.
// A part of the arena, in blocks.
struct ArenaWindow {
  int64_t offset = 0, size = 0;
};
inline constexpr uint32_t kArenaBlocks = 3;  // kInputABlock, kInputBBlock, kOutputBlock
static_assert(kInputABlock == 0 && kInputBBlock == 1 && kOutputBlock == 2);

struct Step {
  std::string kernel;  // "conv2d.comp PIXELS=4 SLICES=4"
  std::string node;    // the operator it belongs to
  int program = -1;    // index into Emission::programs
  StepParams params;
  int64_t params_offset = 0;  // bytes, in the uniform buffer
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::vector<int> reads, writes;  // tensors
  int input_tensors = 0;           // how many of `reads` are inputs; outputs that are read follow
  int input = -1;                  // model input whose texture is sampled
  int output = -1;                 // model output whose texture or buffer is written
  int cpu_stretch = -1;            // CPU segment to run instead: index into PlanData::cpu_stretches
  int level = 0;
  int64_t multiply_adds = 0;
  double work = 0;           // work() of the operator, or its part
  bool ends_part = false;    // of a long run: the GPU gets what was issued, and the session waits for the part before
  int64_t weight_bytes = 0;  // of the constants made for it
  // By storage block, if the arena is larger than one (PlanData::has_windows). Offsets in `params` count from there.
  std::array<ArenaWindow, kArenaBlocks> windows;
  StepVariant variant;
};

// Output of kernels: plain data, completed by the planner.
struct Emission {
  std::vector<PlanTensor> tensors;
  std::vector<ShaderKey> programs;
  std::vector<Step> steps;
  std::vector<std::byte> weights;  // the constants buffer
  std::set<Storage> weight_storages;
  bool buffer_textures = false;  // steps read the arena and the constants through buffer textures
};

}  // namespace sightglass
