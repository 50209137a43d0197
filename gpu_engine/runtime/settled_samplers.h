// Keeps llvmpipe from compiling programs again (DeviceLimits::compiles_for_samplers): without it, the first run of a
// model after another program of the context takes as long as the first one.
#pragma once

#include "plan/plan_data.h"
#include "sightglass/share_group.h"

namespace sightglass {

class SettledSamplers {
 public:
  // Does nothing for other devices, and for plans without buffer textures.
  Status create(ShareGroup& group, const PlanData& plan);
  // Before the steps of a run or of a part of one: the samplers that buffer textures inherit are `sampler`, which
  // frames have too. Any unit may be active afterward, and a program may be in use.
  void settle(const GlApi& gl, GLuint sampler) const;
  // Releases the program without deleting it.
  void abandon() { program_.abandon(); }

 private:
  SharedProgram program_;
};

}  // namespace sightglass
