// The multiply-add kernel (shaders/measure/multiply_add.comp): a known amount of work and nothing else.
#pragma once

#include "sightglass/share_group.h"
#include "sightglass/step_timer.h"

namespace sightglass {

// The multiply-add kernel (shaders/measure/multiply_add.comp): a known amount of work and nothing else.
class MultiplyAddKernel {
 public:
  static constexpr int kMostRounds = 4096;  // below the 65,535 loop iterations that some drivers allow an invocation

  // `chains`: one of kMultiplyAddChains (shader/own_shaders.h).
  static Result<MultiplyAddKernel> create(ShareGroup& group, int chains);

  // Runs one dispatch as a step of `timer`. Leaves nothing bound.
  Status run(StepTimer& timer, int rounds) const;
  int64_t multiply_adds(int rounds) const;

 private:
  MultiplyAddKernel(const GlApi& gl, int chains) : gl_(gl), chains_(chains) {}

  const GlApi& gl_;
  int chains_;
  SharedProgram program_;
  GlBuffer output_;
};

}  // namespace sightglass
