#include "segment/mask_filters.h"

#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/mask_refiner.h"
#include "segment/shaders.h"
#include "sightglass/empty_frame.h"

namespace sightglass {

Result<FramePair> FramePair::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, int32_t mask_width,
                                    int32_t mask_height) {
  const ProgramKey keys[] = {{luma_shader(kind)}, {noise_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  // Masks of few pixels show too little of the frame.
  const MaskRefiner::Size size = MaskRefiner::size_for(mask_width, mask_height);
  FramePair pair(group->gl(), size.width, size.height, std::move(programs));
  pair.see(EmptyFrame(group->gl(), kind).ref(), {});
  pair.reset();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the textures that compare frames"));
  return pair;
}

FramePair::FramePair(const GlApi& gl, int32_t width, int32_t height, std::vector<SharedProgram> programs)
    : gl_(&gl),
      width_(width),
      height_(height),
      programs_(std::move(programs)),
      linear_(make_sampler(gl, GL_LINEAR)),
      frame_block_(gl),
      block_(gl) {
  for (GlTexture& texture : lumas_) texture = make_texture(gl, GL_RGBA16F, width, height);
  const std::array<float, kNoiseFloats> zeros{};
  noise_ = make_storage(gl, sizeof zeros, zeros.data());
}

void FramePair::see(const FrameRef& frame, const InputTransform& mask_to_stored) {
  Pass pass(*gl_, linear_.id());
  pass.uniforms(kFrameBinding, frame_block_, frame_block(frame, mask_to_stored));
  pass.uniforms(kParamsBinding, block_, {{has_previous_ ? 1.0F : 0.0F}});
  pass.read(frame);
  pass.read(kLumaUnit, lumas_[current_].id());
  pass.write(0, lumas_[1 - current_].id(), GL_RGBA16F);
  pass.dispatch(programs_[0]->id(), groups_across(width_), groups_across(height_));
  pass.read(kLumaUnit, lumas_[1 - current_].id());
  pass.storage(kNoiseBlock, noise());
  pass.dispatch(programs_[1]->id());
  has_seen_ = true;
}

std::optional<SeenFrame> FramePair::follow() {
  if (!std::exchange(has_seen_, false)) {
    has_previous_ = false;  // the stored frame is not that of the mask
    return {};
  }
  current_ = 1 - current_;
  SeenFrame seen = last();
  seen.has_previous = std::exchange(has_previous_, true);
  return seen;
}

SeenFrame FramePair::last() const {
  return {{lumas_[current_].id(), GL_TEXTURE_2D, width_, height_}, noise(), has_previous_};
}

BufferRange FramePair::noise() const { return {noise_.id(), 0, kNoiseFloats * sizeof(float)}; }

namespace {

int32_t cells(int32_t pixels) { return (pixels + kIslandCell - 1) / kIslandCell; }

}  // namespace

Result<MaskCleaner> MaskCleaner::create(const std::shared_ptr<ShareGroup>& group, const TextureRef& mask) {
  const ProgramKey keys[] = {{kIslandCoreShader}, {kIslandReachShader}, {kIslandKeepShader}, {kHoleReachShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  MaskCleaner cleaner(group->gl(), std::move(programs), mask);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the textures that clean the mask"));
  return cleaner;
}

MaskCleaner::MaskCleaner(const GlApi& gl, std::vector<SharedProgram> programs, const TextureRef& mask)
    : gl_(&gl),
      programs_(std::move(programs)),
      mask_(mask),
      cells_x_(cells(mask.width)),
      cells_y_(cells(mask.height)),
      reach_(std::max(kIslandReach * static_cast<float>(std::max(mask.width, mask.height)) / kIslandCell, 1.0F)),
      hole_reach_(kHoleReach / kIslandReach * reach_),
      blocks_{UniformBlock<Reach>(gl), UniformBlock<Reach>(gl), UniformBlock<Reach>(gl)},
      cleaning_(gl) {
  for (GlTexture& texture : cells_) texture = make_texture(gl, GL_RGBA16F, cells_x_, cells_y_);
  enclosed_ = make_texture(gl, GL_RGBA16F, cells_x_, cells_y_);
  kept_ = make_texture(gl, GL_RGBA8, mask.width, mask.height);
  linear_ = make_sampler(gl, GL_LINEAR);
}

TextureRef MaskCleaner::run(const Parts& parts) {
  Pass pass(*gl_);
  pass.read(0, mask_.id);
  pass.write(0, cells_[0].id(), GL_RGBA16F);
  pass.dispatch(programs_[0]->id(), groups_across(cells_x_), groups_across(cells_y_));
  if (parts.holes) {
    pass.read(0, cells_[0].id());
    pass.uniforms(kParamsBinding, blocks_[2], {{0, 0, hole_reach_}});
    pass.write(0, enclosed_.id(), GL_RGBA16F);
    pass.dispatch(programs_[3]->id(), groups_across(cells_x_), groups_across(cells_y_));
  }
  for (size_t axis = 0; parts.islands && axis < 2; ++axis) {
    pass.read(0, cells_[axis].id());
    pass.uniforms(kParamsBinding, blocks_[axis], {{axis == 0 ? 1.0F : 0.0F, axis == 0 ? 0.0F : 1.0F, reach_}});
    pass.write(0, cells_[1 - axis].id(), GL_RGBA16F);
    pass.dispatch(programs_[1]->id(), groups_across(cells_x_), groups_across(cells_y_));
  }
  pass.read(kIslandCellsUnit, cells_[0].id(), linear_.id());
  pass.read(kHoleCellsUnit, enclosed_.id(), linear_.id());
  pass.uniforms(kParamsBinding, cleaning_, {{parts.islands ? 1.0F : 0.0F, parts.holes ? 1.0F : 0.0F}});
  pass.read(0, mask_.id);
  pass.write(0, kept_.id(), GL_RGBA8);
  pass.dispatch(programs_[2]->id(), groups_across(mask_.width), groups_across(mask_.height));
  return {kept_.id(), GL_TEXTURE_2D, mask_.width, mask_.height};
}

namespace {

int32_t motion_blocks(int32_t pixels) { return (pixels + kMotionBlock - 1) / kMotionBlock; }

}  // namespace

Result<MotionField> MotionField::create(const std::shared_ptr<ShareGroup>& group, int32_t mask_width,
                                        int32_t mask_height) {
  const ProgramKey keys[] = {{kMotionShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  const MaskRefiner::Size size = MaskRefiner::size_for(mask_width, mask_height);
  MotionField field(group->gl(), motion_blocks(size.width), motion_blocks(size.height), std::move(programs[0]));
  const GlTexture black = make_texture(group->gl(), GL_RGBA16F, 1, 1);
  const GlBuffer noise = make_storage(group->gl(), kNoiseFloats * sizeof(float), nullptr);
  field.match({{black.id(), GL_TEXTURE_2D, 1, 1}, {noise.id(), 0, kNoiseFloats * sizeof(float)}});
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the texture that holds motion"));
  return field;
}

MotionField::MotionField(const GlApi& gl, int32_t blocks_x, int32_t blocks_y, SharedProgram program)
    : gl_(&gl),
      blocks_x_(blocks_x),
      blocks_y_(blocks_y),
      program_(std::move(program)),
      blocks_(make_texture(gl, GL_RGBA16F, blocks_x, blocks_y)) {}

TextureRef MotionField::match(const SeenFrame& seen) {
  Pass pass(*gl_);
  pass.read(0, seen.luma.id);
  pass.storage(kNoiseBlock, seen.noise);
  pass.write(0, blocks_.id(), GL_RGBA16F);
  pass.dispatch(program_->id(), static_cast<GLuint>(blocks_x_), static_cast<GLuint>(blocks_y_));
  return {blocks_.id(), GL_TEXTURE_2D, blocks_x_, blocks_y_};
}

Result<MaskSmoother> MaskSmoother::create(const std::shared_ptr<ShareGroup>& group, int32_t width, int32_t height) {
  const ProgramKey keys[] = {{smooth_shader(false)}, {smooth_shader(true)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  MaskSmoother smoother(group->gl(), std::move(programs), width, height);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the textures that smooth the mask"));
  return smoother;
}

MaskSmoother::MaskSmoother(const GlApi& gl, std::vector<SharedProgram> programs, int32_t width, int32_t height)
    : gl_(&gl), programs_(std::move(programs)), width_(width), height_(height), block_(gl) {
  for (GlTexture& texture : masks_) texture = make_texture(gl, GL_RGBA16F, width, height);
  linear_ = make_sampler(gl, GL_LINEAR);
}

TextureRef MaskSmoother::run(const TextureRef& mask, float share, const SeenFrame& seen,
                             const std::optional<TextureRef>& motion) {
  const GlTexture& target = masks_[next_];
  next_ = 1 - next_;
  Pass pass(*gl_);
  // Without a previous mask, the mask is mixed with itself.
  const bool has_before = has_before_ && seen.has_previous;
  pass.uniforms(kParamsBinding, block_, {{has_before ? share : 0.0F}});
  pass.storage(kNoiseBlock, seen.noise);
  pass.read(kLumaUnit, seen.luma.id, linear_.id());
  if (motion) pass.read(kMotionUnit, motion->id);
  pass.read(kBeforeUnit, has_before ? masks_[next_].id() : mask.id, linear_.id());
  pass.read(0, mask.id, linear_.id());
  pass.write(0, target.id(), GL_RGBA16F);
  pass.dispatch(programs_[motion ? 1 : 0]->id(), groups_across(width_), groups_across(height_));
  has_before_ = true;
  return {target.id(), GL_TEXTURE_2D, width_, height_};
}

TextureRef MaskSmoother::warm_up(const TextureRef& mask, SeenFrame seen) {
  seen.has_previous = true;
  for (int i = 0; i < 2; ++i) run(mask, 0, seen, {});       // without and with a mask before it
  const TextureRef smooth = run(mask, 0, seen, seen.luma);  // of the format of motion
  reset();
  return smooth;
}

}  // namespace sightglass
