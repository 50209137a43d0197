// What a Plan consists of: plain data, made by the emitter, the scheduler and the memory planner; read by the session.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gpu_engine/plan.h"
#include "gpu_engine/shader_source.h"
#include "gpu_engine/tensor.h"
#include "graph/graph.h"

namespace sightglass {

// How four channels of a pixel lie in memory.
enum class Storage : uint8_t {
  kFloat32,  // vec4
  kFloat16,  // four 16-bit floats in a uvec2
  kInt32,    // ivec4: integers and booleans without a quantisation
  kInt8,     // four bytes of a uint; weights alone
};
constexpr int64_t bytes_of(Storage storage) {
  return storage == Storage::kInt8 ? 4 : storage == Storage::kFloat16 ? 8 : 16;
}

// Sizes and offsets in the arena are counted in blocks of 16 bytes.
inline constexpr int64_t kBlockBytes = 16;

// Where a range of a buffer may begin on any device, in bytes: OpenGL ES 3.1 guarantees an alignment no larger.
inline constexpr int64_t kOutputAlignment = 256;

// A region of the arena.
struct PlanTensor {
  std::string name;
  Storage storage = Storage::kFloat32;
  int64_t size = 0;
  int64_t offset = 0;
  int whole = -1;  // the tensor that it is a part of, and lies in; -1 for one with its own region
  int64_t place_in_whole = 0;
  bool output_buffer = false;           // others read it as a buffer: it begins at kOutputAlignment
  bool persistent = false;              // keeps its place for good: constants, states, and what the host writes
  std::vector<std::byte> contents;      // of a constant operand, as it lies in the arena; empty for activations
  int first_level = 0, last_level = 0;  // the levels during which it holds something
};

// The tensor of its own region that `id` lies in.
inline int region_of(const std::vector<PlanTensor>& tensors, int id) {
  while (tensors[static_cast<size_t>(id)].whole >= 0) id = tensors[static_cast<size_t>(id)].whole;
  return id;
}

// What stored numbers stand for: real = scale * stored. Those of a quantised tensor are integers, the file's less its
// zero point, from `lowest` to `highest`.
struct StoredScale {
  float scale = 1;
  bool quantized = false;
  float lowest = 0, highest = 0;
  bool operator==(const StoredScale&) const = default;
};

// A tensor as a kernel sees it: a region, and the shape and scale that it is read with.
struct TensorRef {
  int tensor = -1;  // index into PlanData::tensors
  Bhwc shape;
  StoredScale scale;
};

// The uniform block of a step, in std140: members are Tensor structs, ivec4 and vec4 alone, so that it is an array of
// 32-bit words. Where a tensor lies is filled in when the arena is laid out.
class StepParams {
 public:
  StepParams& tensor(const TensorRef& t);
  StepParams& ints(int32_t x, int32_t y = 0, int32_t z = 0, int32_t w = 0);
  StepParams& floats(float x, float y = 0, float z = 0, float w = 0);
  void place(const std::vector<PlanTensor>& tensors);
  const std::vector<int32_t>& words() const { return words_; }

 private:
  std::vector<int32_t> words_;
  std::vector<std::pair<size_t, int>> slots_;  // word that takes a tensor's offset, tensor
};

struct Step {
  std::string kernel;  // "conv2d.comp PIXELS=4 SLICES=4"
  std::string node;    // the operator that it belongs to
  int program = -1;    // index into PlanData::programs
  StepParams params;
  int64_t params_offset = 0;  // bytes, in the uniform buffer
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::vector<int> reads, writes;  // tensors
  int input = -1;                  // model input whose texture is sampled
  int output = -1;                 // model output whose texture or buffer is written
  int cpu_stretch = -1;            // what runs on the CPU instead: index into PlanData::cpu_stretches
  int level = 0;
  int64_t multiply_adds = 0;
  int64_t weight_bytes = 0;         // of the constants that were made for it
  std::string tuned_step, variant;  // as Tuning has them; empty for steps without variants
  int variants = 0;                 // how many there are to choose from
};

// What a model keeps from run to run.
struct PlanState {
  int tensor = -1;
  std::vector<std::byte> initial;  // as it lies in the arena
};

// A tensor that crosses between GPU and CPU.
struct HostCopy {
  ValueId value = kNone;
  TensorRef ref;
};

// Nodes that run on the CPU one after the other.
struct CpuStretch {
  std::vector<NodeId> nodes;
  std::vector<HostCopy> reads, writes;
};

struct PlanData {
  DeviceLimits limits;
  PlanOptions options;  // with one spec for every input and output
  std::vector<PlanTensor> tensors;
  std::vector<ShaderKey> programs;
  std::vector<Step> steps;         // by level; a barrier lies between levels
  std::vector<std::byte> weights;  // the constants buffer
  std::set<Storage> weight_storages;
  std::vector<int32_t> params;      // the uniform buffer
  std::vector<TensorRef> inputs;    // by model input; tensor is -1 for one that no step reads from the arena
  std::vector<TensorRef> outputs;   // by model output
  std::vector<int> output_buffers;  // by model output: the tensor of dense numbers; -1 for those planned as no buffer
  std::vector<PlanState> states;
  std::vector<CpuStretch> cpu_stretches;  // in the order in which they run
  std::shared_ptr<const Graph> graph;     // that their nodes belong to; null when there are none
  FallbackReport fallback;
  bool buffer_textures = false;  // steps read through buffer textures over the arena and the constants
  int64_t arena_size = 0;        // blocks
  int sentinel_size = 0;         // blocks, before and after every tensor
  int levels = 0;
  MemoryReport memory;
};

}  // namespace sightglass
