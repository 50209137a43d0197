#include "gl/external_copy.h"

#include <string>

namespace sightglass {

bool ExternalCopy::is_needed(const DeviceInfo& device, FrameKind kind) {
  return kind == FrameKind::kExternal && device.limits.external_textures &&
         device.version.find("Mesa") != std::string::npos;
}

Result<ExternalCopy> ExternalCopy::create(const std::shared_ptr<ShareGroup>& group) {
  SG_ASSIGN_OR_RETURN(FramePainter painter, FramePainter::create(group, FrameKind::kExternal));
  return ExternalCopy(group->gl(), std::move(painter));
}

Result<FrameRef> ExternalCopy::copy(const FrameRef& external) {
  if (external.width != width_ || external.height != height_) {
    clear_gl_errors(*gl_);
    texture_ = make_texture(*gl_, GL_RGBA8, external.width, external.height);
    SG_RETURN_IF_ERROR(check_gl(*gl_, "allocating the copy of an external texture"));
    width_ = external.width;
    height_ = external.height;
  }
  const TextureRef texture{texture_.id(), GL_TEXTURE_2D, width_, height_};
  SG_RETURN_IF_ERROR(painter_.draw(external, {}, texture));
  FrameRef copy(texture);
  copy.visible = external.visible;
  return copy;
}

}  // namespace sightglass
