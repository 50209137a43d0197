// Contents of a Plan: plain data, produced by the emitter, the scheduler and the memory planner, and read by the
// session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "kernel/step.h"

namespace sightglass {

// Alignment of a buffer range that is valid on any device, in bytes: OpenGL ES 3.1 guarantees that no larger one is
// needed.
inline constexpr int64_t kOutputAlignment = 256;

// State that a model keeps from run to run.
struct PlanState {
  TensorRef place;
  std::vector<std::byte> initial;  // in arena format
};

// A tensor transferred between GPU and CPU.
struct HostCopy {
  ValueId value = kNone;
  TensorRef ref;
};

// A CPU segment: consecutive nodes that run on the CPU.
struct CpuStretch {
  std::vector<NodeId> nodes;
  std::vector<HostCopy> reads, writes;
};

// The steps are sorted by level, with a barrier between levels.
struct PlanData : Emission {
  DeviceLimits limits;
  ForcedPlanOptions options;        // with one spec per input and output
  std::vector<int32_t> params;      // the uniform buffer
  std::vector<TensorRef> inputs;    // by model input; tensor is -1 if no step reads it from the arena
  std::vector<int> input_buffers;   // by model input: the tightly packed tensor; -1 if not planned as a buffer
  std::vector<TensorRef> outputs;   // by model output
  std::vector<int> output_buffers;  // by model output: the tightly packed tensor; -1 if not planned as a buffer
  std::vector<PlanState> states;
  std::vector<CpuStretch> cpu_stretches;  // in order of execution
  std::shared_ptr<const Graph> graph;     // of their nodes; null if there are none
  FallbackReport fallback;
  int64_t arena_size = 0;    // blocks
  bool has_windows = false;  // the arena is larger than a storage block: each step binds parts of it
  int sentinel_size = 0;     // blocks, before and after every tensor
  int levels = 0;
  MemoryReport memory;
};

}  // namespace sightglass
