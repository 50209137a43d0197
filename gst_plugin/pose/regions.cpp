#include "pose/regions.h"

namespace sightglass {

RegionParams region_params(const UprightFrame& frame, const FindOptions& options, const PoseModel& model) {
  return {{static_cast<float>(frame.width), static_cast<float>(frame.height), options.seconds, 0},
          {options.person_score, 0, 0, 0},
          {options.max_persons, model.width, model.height, 0}};
}

Regions::Regions(const GlApi& gl, GLuint next_region)
    : gl_(gl), next_region_(next_region), params_(gl), frame_block_(gl) {
  const RegionState nobody;
  state_ = make_storage(gl, sizeof(RegionState), &nobody);
  place_ = make_storage(gl, sizeof(FrameBlock));
  flag_ = make_storage(gl, kFlagBytes);
}

void Regions::run(GLuint program, const RegionParams& params, std::initializer_list<BufferRange> storage, GLuint groups,
                  GLuint rows) {
  params_.bind(kParamsBinding, params);
  dispatch(gl_, program, storage, groups, rows);
}

Status Regions::next(const UprightFrame& frame, const RegionParams& params, Session& session) {
  frame_block_.bind(kFrameBinding, frame_block(frame.stored, frame.upright_to_stored));
  run(next_region_, params, {state(), {flag_.id(), 0, kFlagBytes}, {place_.id(), 0, sizeof(FrameBlock)}});
  return session.set_input_frame(0, frame.stored, place_.id());
}

}  // namespace sightglass
