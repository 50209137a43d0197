#include "gl/frame_copy.h"

namespace sightglass {

Result<FrameCopy> FrameCopy::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind) {
  const FrameKind plane = kind == FrameKind::kExternal ? kind : FrameKind::kRgba;
  SIGHTGLASS_ASSIGN_OR_RETURN(FramePainter painter, FramePainter::create(group, plane));
  return FrameCopy(group->gl(), std::move(painter));
}

Result<FrameRef> FrameCopy::copy(const FrameRef& frame) {
  FrameRef copied = frame;
  if (frame.kind == FrameKind::kExternal) {
    SIGHTGLASS_RETURN_IF_ERROR(copy_plane(frame, planes_[0]));
    copied = TextureRef{planes_[0].texture.id(), GL_TEXTURE_2D, frame.width, frame.height};
    copied.visible = frame.visible;
    return copied;
  }
  for (size_t i = 0; i < static_cast<size_t>(planes_of(frame.kind)); ++i) {
    const auto [width, height] = i == 0 ? std::array{frame.width, frame.height} : frame.chroma_size;
    SIGHTGLASS_RETURN_IF_ERROR(copy_plane(TextureRef{frame.textures[i], GL_TEXTURE_2D, width, height}, planes_[i]));
    copied.textures[i] = planes_[i].texture.id();
  }
  return copied;
}

Status FrameCopy::copy_plane(const FrameRef& from, Plane& to) {
  if (from.width != to.width || from.height != to.height) {
    clear_gl_errors(*gl_);
    to.texture = make_texture(*gl_, GL_RGBA8, from.width, from.height);
    SIGHTGLASS_RETURN_IF_ERROR(check_gl(*gl_, "allocating the copy of a frame"));
    to.width = from.width;
    to.height = from.height;
  }
  return painter_.draw(from, {}, {to.texture.id(), GL_TEXTURE_2D, to.width, to.height});
}

}  // namespace sightglass
