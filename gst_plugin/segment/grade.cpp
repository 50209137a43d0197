#include "segment/grade.h"

#include <utility>

#include "gl/compute.h"
#include "gl/objects.h"
#include "segment/people.h"
#include "segment/shaders.h"

namespace sightglass {

Result<Grader> Grader::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine) {
  const ProgramKey keys[] = {{grade_shader(kind, refine)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  Grader grader(group->gl(), std::move(programs[0]));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating what fits the colors of the foreground"));
  return grader;
}

Grader::Grader(const GlApi& gl, SharedProgram program)
    : program_(std::move(program)),
      grade_(make_storage(gl, kGradeBytes, std::array<float, kGradeBytes / sizeof(float)>().data())),
      no_cut_(make_no_cut(gl)),
      params_(gl) {}

void Grader::measure(Pass& pass, const Wish& wish, float seconds, const BufferRange& noise) {
  pass.uniforms(kParamsBinding, params_,
                {{wish.match, wish.low_light, seconds, std::exchange(begins_, false) ? 1.0F : 0.0F},
                 {groups_across(wish.width), groups_across(wish.height), 1}});
  pass.storage(kNoiseBlock, noise.size > 0 ? noise : BufferRange{no_cut_.id(), 0, kNoiseFloats * sizeof(float)});
  pass.storage(kGradeBlock, grade());
  pass.dispatch(program_->id());
}

Result<Denoiser> Denoiser::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine) {
  const ProgramKey keys[] = {{denoise_shader(kind, refine)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return Denoiser(group->gl(), std::move(programs[0]));
}

Status Denoiser::resize(int32_t width, int32_t height) {
  clear_gl_errors(*gl_);
  // With 8 bits, a mean over time would stop short of the colors of the frame.
  for (GlTexture& picture : pictures_) picture = make_texture(*gl_, GL_RGBA16F, width, height);
  Status allocated = check_gl(*gl_, "allocating frames without noise");
  if (!allocated.ok()) release();
  return allocated;
}

void Denoiser::release() {
  for (GlTexture& picture : pictures_) picture.reset();
}

void Denoiser::run(Pass& pass, const BufferRange& grade) {
  const GlTexture& target = pictures_[next_];
  next_ = 1 - next_;
  pass.read(kQuietUnit, pictures_[next_].id());
  pass.write(0, target.id(), GL_RGBA16F);
  pass.uniforms(kParamsBinding, grade);
  pass.dispatch_indirect(program_->id(), grade.buffer, grade.offset + Grader::kGroupsOffset);
  pass.read(kQuietUnit, target.id());
}

}  // namespace sightglass
