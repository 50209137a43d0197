#include "infer/region.h"

#include <utility>
#include <vector>

#include "gl/compute.h"
#include "infer/shaders.h"

namespace sightglass {

Result<std::unique_ptr<Region>> Region::create(std::shared_ptr<ShareGroup> group) {
  const std::array<ProgramKey, 1> keys{ProgramKey{kRegionShader}};
  SG_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::unique_ptr<Region>(new Region(std::move(group), std::move(programs[0])));
}

Region::Region(std::shared_ptr<ShareGroup> group, SharedProgram program)
    : group_(std::move(group)),
      program_(std::move(program)),
      block_(group_->gl()),
      place_(make_storage(group_->gl(), sizeof(FrameBlock))),
      rows_(make_storage(group_->gl(), kRowsBytes)) {}

void Region::find(const BufferRange& detections, const FrameRef& frame, const InputTransform& upright_to_stored,
                  int32_t width, int32_t height) {
  constexpr float kSides = 1.5f;  // enlargement of the box in MediaPipe graphs for face landmarks
  Block block;
  block.frame = frame_block(frame, upright_to_stored);
  block.picture = {static_cast<float>(width), static_cast<float>(height), kSides, 0};
  block_.bind(kParamsBinding, block);
  dispatch(group_->gl(), program_->id(), {detections, {place_.id(), 0, sizeof(FrameBlock)}, rows()});
}

}  // namespace sightglass
