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

void Grader::measure(Pass& pass, const Strength& strength, float seconds, const BufferRange& noise) {
  pass.uniforms(kParamsBinding, params_, {{strength.match, 0, seconds, std::exchange(begins_, false) ? 1.0F : 0.0F}});
  pass.storage(kNoiseBlock, noise.size > 0 ? noise : BufferRange{no_cut_.id(), 0, kNoiseFloats * sizeof(float)});
  pass.storage(kGradeBlock, grade());
  pass.dispatch(program_->id());
}

}  // namespace sightglass
