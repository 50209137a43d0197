#include "detect/regions.h"

#include <utility>
#include <vector>

#include "detect/shaders.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"

namespace sightglass {

RegionParams region_params(const UprightFrame& frame, const RegionOptions& options, int32_t width, int32_t height,
                           const RegionRule& rule) {
  return {{static_cast<float>(frame.shown_width()), static_cast<float>(frame.height), options.seconds,
           options.limb_limits ? 1.0F : 0.0F},
          {options.least_score, rule.head_up, rule.head_radius, rule.sure},
          {options.most, width, height, 0},
          {rule.from, rule.to, rule.around_point ? 1 : 0, options.looks ? 1 : 0},
          {rule.scale, rule.shift, rule.direction, rule.same}};
}

Result<Regions> Regions::create(const std::shared_ptr<ShareGroup>& group, Source source, GLsizeiptr results_bytes) {
  std::vector<ProgramKey> keys{{kNextRegionShader}};
  if (source != Source::kLandmarksOnly) keys.insert(keys.end(), {{kBeginRegionsShader}, {kNewRegionsShader}});
  if (source == Source::kLooks) keys.push_back({kNextLookShader});
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return Regions(group, std::move(programs), results_bytes);
}

Regions::Regions(const std::shared_ptr<ShareGroup>& group, std::vector<SharedProgram> programs,
                 GLsizeiptr results_bytes)
    : group_(group),
      gl_(&group->gl()),
      programs_(std::move(programs)),
      results_bytes_(results_bytes),
      params_(*gl_),
      frame_block_(*gl_) {
  const std::vector<std::byte> nothing(static_cast<size_t>(results_offset() + results_bytes));
  state_ = make_storage(*gl_, static_cast<GLsizeiptr>(nothing.size()), nothing.data());
  place_ = make_storage(*gl_, sizeof(FrameBlock));
  flag_ = make_storage(*gl_, kFlagBytes);
  detector_runs_ = make_storage(*gl_, kFlagBytes);
}

void Regions::run(GLuint program, const RegionParams& params, std::initializer_list<BufferRange> storage) {
  Pass pass(*gl_);
  run(pass, program, params, storage);
}

void Regions::run(Pass& pass, GLuint program, const RegionParams& params, std::initializer_list<BufferRange> storage,
                  GLuint groups, GLuint rows) {
  pass.uniforms(kParamsBinding, params_, params);
  pass.storage(storage);
  pass.dispatch(program, groups, rows);
}

void Regions::begin(const RegionParams& params) { run(programs_[kBegin]->id(), params, {state(), detector_runs()}); }

void Regions::add(const BufferRange& detections, const RegionParams& params) {
  run(programs_[kAdd]->id(), params, {detections, detector_runs(), state()});
}

void Regions::look(const UprightFrame& frame, const RegionParams& params) {
  Pass pass(*gl_);
  pass.uniforms(kFrameBinding, frame_block_, frame_block(frame.stored, frame.upright_to_stored));
  run(pass, programs_[kLook]->id(), params, {state(), detector_runs(), place()});
}

void Regions::next(const UprightFrame& frame, const RegionParams& params) {
  Pass pass(*gl_);
  pass.uniforms(kFrameBinding, frame_block_, frame_block(frame.stored, frame.upright_to_stored));
  run(pass, programs_[kNext]->id(), params, {state(), is_somebody(), place()});
}

Status Regions::next(const UprightFrame& frame, const RegionParams& params, Session& session) {
  next(frame, params);
  return session.set_input_frame(0, frame.stored, place_.id());
}

Result<RegionInput> RegionInput::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Of of, int32_t width,
                                        int32_t height) {
  const std::vector<ProgramKey> keys{{of == Of::kLook ? sample_look_shader(kind) : sample_region_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return RegionInput(group->gl(), std::move(programs[0]), of, width, height);
}

RegionInput::RegionInput(const GlApi& gl, SharedProgram program, Of of, int32_t width, int32_t height)
    : gl_(&gl),
      program_(std::move(program)),
      of_(of),
      width_(width),
      height_(height),
      texture_(make_texture(gl, GL_RGBA16F, width, height)),
      linear_(make_sampler(gl, GL_LINEAR)) {}

void RegionInput::sample(const UprightFrame& frame, const RegionParams& params, Regions& regions) {
  Pass pass(*gl_, linear_.id());
  pass.read(frame.stored);
  pass.uniforms(kFrameBinding, regions.place());
  pass.write(0, texture_.id(), GL_RGBA16F);
  gl_->MemoryBarrier(GL_UNIFORM_BARRIER_BIT);  // a shader has written the place
  regions.run(pass, program_->id(), params,
              {regions.state(), of_ == Of::kLook ? regions.detector_runs() : regions.is_somebody()},
              groups_across(width_), groups_across(height_));
}

}  // namespace sightglass
