// What a Plan consists of: plain data, made by the emitter, the scheduler and the memory planner; read by the session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu_engine/plan.h"
#include "graph/graph.h"
#include "kernel/emission.h"

namespace sightglass {

// Where a range of a buffer may begin on any device, in bytes: OpenGL ES 3.1 guarantees an alignment no larger.
inline constexpr int64_t kOutputAlignment = 256;

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

// The steps are sorted by level; a barrier lies between levels.
struct PlanData : Emission {
  DeviceLimits limits;
  PlanOptions options;              // with one spec for every input and output
  std::vector<int32_t> params;      // the uniform buffer
  std::vector<TensorRef> inputs;    // by model input; tensor is -1 for one that no step reads from the arena
  std::vector<TensorRef> outputs;   // by model output
  std::vector<int> output_buffers;  // by model output: the tensor of dense numbers; -1 for those planned as no buffer
  std::vector<PlanState> states;
  std::vector<CpuStretch> cpu_stretches;  // in the order in which they run
  std::shared_ptr<const Graph> graph;     // that their nodes belong to; null when there are none
  FallbackReport fallback;
  int64_t arena_size = 0;    // blocks
  bool has_windows = false;  // the arena is larger than a storage block: each step binds parts of it
  int sentinel_size = 0;     // blocks, before and after every tensor
  int levels = 0;
  MemoryReport memory;
};

}  // namespace sightglass
