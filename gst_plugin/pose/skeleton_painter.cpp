#include "pose/skeleton_painter.h"

#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/pass.h"
#include "meta/persons.h"
#include "pose/shaders.h"

namespace sightglass {

namespace {

GLsizei primitives_of(const Skeleton& skeleton) {
  return kMaxPersons * static_cast<GLsizei>(skeleton.bones.size() + skeleton.points.size());
}

}  // namespace

Result<std::unique_ptr<SkeletonPainter>> SkeletonPainter::create(const std::shared_ptr<ShareGroup>& group,
                                                                 const Skeleton& skeleton) {
  if (skeleton.bones.size() > kBones) return invalid_argument(std::string(skeleton.name) + " has too many bones");
  const ProgramKey keys[] = {{kSkeletonShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<OverlayPainter> overlay, OverlayPainter::create(group));
  clear_gl_errors(group->gl());
  std::unique_ptr<SkeletonPainter> painter(
      new SkeletonPainter(group, skeleton, std::move(programs[0]), std::move(overlay)));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating skeleton buffers"));
  return painter;
}

SkeletonPainter::SkeletonPainter(std::shared_ptr<ShareGroup> group, const Skeleton& skeleton, SharedProgram program,
                                 std::unique_ptr<OverlayPainter> painter)
    : group_(std::move(group)),
      skeleton_(skeleton),
      program_(std::move(program)),
      painter_(std::move(painter)),
      primitives_(group_->gl(), primitives_of(skeleton)),
      block_(group_->gl()) {}

Status SkeletonPainter::draw(const BufferRange& persons, const TextureRef& picture, int32_t shown_width,
                             const SkeletonStyle& style) {
  Block block{style.line_color,
              style.point_color,
              {0.5F * style.line_width, style.point_radius, static_cast<float>(shown_width),
               static_cast<float>(picture.height)},
              {style.visibility, style.presence, 0, 0},
              {static_cast<int32_t>(skeleton_.bones.size()), static_cast<int32_t>(skeleton_.points.size()), 0, 0},
              {}};
  for (size_t i = 0; i < skeleton_.bones.size(); ++i) {
    block.bones[2 * i] = skeleton_.bones[i].first;
    block.bones[2 * i + 1] = skeleton_.bones[i].second;
  }
  const PrimitiveRange range = primitives_.range();
  {
    Pass pass(group_->gl());
    pass.uniforms(kParamsBinding, block_, block);
    pass.storage({persons, primitives_.storage()});
    pass.dispatch(program_->id(), groups_of(range.count));
  }
  const PrimitiveRange ranges[] = {range};
  return painter_->draw(picture, ranges, shown_width);
}

}  // namespace sightglass
