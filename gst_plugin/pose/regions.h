// The buffer of shaders/pose/regions.glsl, and its use by finders with regions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "gl/compute.h"
#include "gl/uniform_block.h"
#include "gpu_engine/frame_ref.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/session.h"
#include "meta/persons.h"
#include "pose/person_finder.h"

namespace sightglass {

// In std430 layout.
struct Region {
  std::array<float, 4> square{};
  std::array<int32_t, 4> flags{};
  std::array<float, 12> ends{};
};
struct RegionState {
  Persons persons;
  std::array<int32_t, 4> slot{};
  std::array<Region, kMaxPersons> regions{};
};

struct RegionParams {  // the uniform block BlazePose
  std::array<float, 4> frame{}, score{};
  std::array<int32_t, 4> sizes{};
  bool operator==(const RegionParams&) const = default;
};
RegionParams region_params(const UprightFrame& frame, const FindOptions& options, const PoseModel& model);

// The state of all regions, and the position of the model input in the frame for each region in turn. All calls,
// including the destructor, need the context current.
class Regions {
 public:
  // `next_region` is the program of kNextRegionShader.
  Regions(const GlApi& gl, GLuint next_region);

  BufferRange state() const { return {state_.id(), 0, sizeof(RegionState)}; }
  // Dispatches a program over storage with these parameters.
  void run(GLuint program, const RegionParams& params, std::initializer_list<BufferRange> storage, GLuint groups = 1,
           GLuint rows = 1);
  // Makes the next region the input of `session`. The flag in is_somebody() is set if it contains a person (run_if()).
  Status next(const UprightFrame& frame, const RegionParams& params, Session& session);
  GLuint is_somebody() const { return flag_.id(); }

 private:
  const GlApi& gl_;
  GLuint next_region_;
  UniformBlock<RegionParams> params_;
  UniformBlock<FrameBlock> frame_block_;
  GlBuffer state_, place_, flag_;
};

}  // namespace sightglass
