#include "segment/camera.h"

#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "segment/people.h"
#include "segment/shaders.h"
#include "sightglass/empty_frame.h"

namespace sightglass {

namespace {

// CAMERA in std430 layout: seven vectors, and four numbers.
constexpr GLsizeiptr kStateBytes = 16 * 8;
// The boxes at the beginning of PEOPLE.
constexpr GLsizeiptr kBoxesBytes = 16 * 2;

std::array<float, 8> rows_of(const InputTransform& transform) {
  const auto& m = transform.m;
  return {m[0], m[1], m[2], 0, m[3], m[4], m[5], 0};
}

}  // namespace

Result<Camera> Camera::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind) {
  const ProgramKey keys[] = {{kCameraMoveShader}, {kCameraMaskShader}, {kFullscreenShader, camera_draw_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  const GlApi& gl = group->gl();
  clear_gl_errors(gl);
  SharedProgram draw = std::move(programs.back());
  programs.pop_back();
  Camera camera(gl, std::move(programs), std::move(draw));
  const GlTexture picture = make_texture(gl, GL_RGBA8, 1, 1);
  const TextureRef pixel{picture.id(), GL_TEXTURE_2D, 1, 1};
  const EmptyFrame nothing(gl, kind);
  camera.move({}, {}, 1, 1, 0, nothing.ref(), {}, {});
  SIGHTGLASS_RETURN_IF_ERROR(camera.draw(nothing.ref(), pixel));
  SIGHTGLASS_RETURN_IF_ERROR(camera.view_of(pixel, {}).status());
  camera.reset();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "allocating the camera that follows people"));
  return camera;
}

Camera::Camera(const GlApi& gl, std::vector<SharedProgram> programs, SharedProgram draw)
    : gl_(&gl),
      programs_(std::move(programs)),
      painting_(gl, std::move(draw)),
      state_(make_storage(gl, kStateBytes, std::array<float, kStateBytes / sizeof(float)>().data())),
      place_(make_storage(gl, sizeof(FrameBlock))),
      nobody_(make_storage(gl, kBoxesBytes, std::array<float, 8>{2, 2, -1, -1, 2, 2, -1, -1}.data())),
      no_cut_(make_no_cut(gl)),
      params_(gl),
      to_mask_(gl) {}

BufferRange Camera::state() const { return {state_.id(), 0, kStateBytes}; }

void Camera::move(const CameraStyle& style, const SeenPeople& seen, float frame_aspect, float output_aspect,
                  float seconds, const FrameRef& frame, const InputTransform& upright_to_stored,
                  const BufferRange& noise) {
  Params params;
  params.shape = {frame_aspect, output_aspect, 1 / std::max(style.max_zoom, 1.0F), style.margin};
  params.pace = {seconds, kCameraRate * style.speed, kCameraFastest * style.speed,
                 std::exchange(begins_, false) ? 1.0F : 0.0F};
  const auto boxes = std::min(seen.boxes.size(), params.boxes.size());
  params.who = {static_cast<int32_t>(style.follow), static_cast<int32_t>(seen.sight), static_cast<int32_t>(boxes)};
  params.to_upright = rows_of(seen.mask_to_upright);
  std::copy_n(seen.boxes.begin(), boxes, params.boxes.begin());
  Pass pass(*gl_);
  pass.uniforms(kFrameBinding, painting_.block, frame_block(frame, upright_to_stored));
  pass.uniforms(kParamsBinding, params_, params);
  pass.storage(kCameraBlock, state());
  pass.storage(kCameraPlaceBlock, {place_.id(), 0, sizeof(FrameBlock)});
  pass.storage(kCameraNoiseBlock,
               noise.buffer != 0 ? noise : BufferRange{no_cut_.id(), 0, kNoiseFloats * sizeof(float)});
  pass.storage(kCameraPeopleBlock, {seen.people.buffer != 0 ? seen.people.buffer : nobody_.id(), 0, kBoxesBytes});
  pass.dispatch(programs_[0]->id());
}

Status Camera::draw(const FrameRef& frame, const TextureRef& output) {
  Pass pass(*gl_, painting_.linear.id());
  return painting_.target.draw(pass, {&output, 1}, "the view of the camera", [&] {
    pass.uniforms(kFrameBinding, {place_.id(), 0, sizeof(FrameBlock)});
    pass.read(frame);
    pass.draw(painting_.program->id(), painting_.vertex_array.id());
  });
}

Result<TextureRef> Camera::view_of(const TextureRef& mask, const InputTransform& mask_to_upright) {
  if (mask.width != mask_width_ || mask.height != mask_height_) {
    clear_gl_errors(*gl_);
    mask_ = make_texture(*gl_, GL_RGBA8, mask.width, mask.height);
    SIGHTGLASS_RETURN_IF_ERROR(check_gl(*gl_, "allocating the mask of what the camera shows"));
    mask_width_ = mask.width;
    mask_height_ = mask.height;
  }
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, to_mask_, rows_of(mask_to_upright.inverse()));
  pass.storage(kCameraBlock, state());
  pass.read(kMaskUnit, mask.id, painting_.linear.id());
  pass.write(0, mask_.id(), GL_RGBA8);
  pass.dispatch(programs_[1]->id(), groups_across(mask.width), groups_across(mask.height));
  return TextureRef{mask_.id(), GL_TEXTURE_2D, mask.width, mask.height};
}

}  // namespace sightglass
