// One dispatch of a plan, or one CPU segment.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/kernel_interface.h"
#include "kernel/step_params.h"
#include "kernel/variant.h"

namespace sightglass {

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

}  // namespace sightglass
