#include "gl/frame_reader.h"

#include <utility>
#include <vector>

#include "gl/objects.h"
#include "gl/pass.h"
#include "gl/shaders.h"
#include "gobject/log.h"
#include "sightglass/empty_frame.h"

#define GST_CAT_DEFAULT sightglass::gl_log()

namespace sightglass {

Result<FramePainter> FramePainter::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind) {
  const ProgramKey keys[] = {{kFullscreenShader, copy_shader(kind)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  const GlApi& gl = group->gl();
  clear_gl_errors(gl);
  FramePainter painter(gl, std::move(programs[0]));
  const GlTexture picture = make_texture(gl, GL_RGBA8, 1, 1);
  SIGHTGLASS_RETURN_IF_ERROR(painter.draw(EmptyFrame(gl, kind).ref(), {}, {picture.id(), GL_TEXTURE_2D, 1, 1}));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "drawing a frame for the first time"));
  return painter;
}

FramePainter::FramePainter(const GlApi& gl, SharedProgram program) : gl_(&gl), painting_(gl, std::move(program)) {}

Status FramePainter::draw(const FrameRef& frame, const InputTransform& picture_to_frame, const TextureRef& picture) {
  Pass pass(*gl_, painting_.linear.id());
  return painting_.target.draw(pass, {&picture, 1}, "the frame", [&] {
    pass.uniforms(kFrameBinding, painting_.block, frame_block(frame, picture_to_frame));
    pass.read(frame);
    pass.draw(painting_.program->id(), painting_.vertex_array.id());
  });
}

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

FrameKind FrameReader::planned_kind(const DeviceInfo& device, FrameKind kind, FrameLife life) {
  if (kind != FrameKind::kExternal) return kind;
  const bool shows_samples = device.limits.external_textures && device.version.find("Mesa") != std::string::npos;
  return shows_samples || life == FrameLife::kKept ? FrameKind::kRgba : kind;
}

Result<FrameReader> FrameReader::create(const std::shared_ptr<ShareGroup>& group, const DeviceInfo& device,
                                        FrameKind kind, FrameLife life) {
  FrameReader reader;
  const FrameKind read = planned_kind(device, kind, life);
  if (read == kind) {
    GST_DEBUG_OBJECT(log_object(), "import: shaders sample the frames directly: %s", to_string(kind));
  } else {
    GST_DEBUG_OBJECT(
        log_object(), "import: copying external textures first: %s",
        life == FrameLife::kKept ? "a second model reads them later" : "Mesa compute shaders misread them");
    SIGHTGLASS_ASSIGN_OR_RETURN(FrameCopy copy, FrameCopy::create(group, kind));
    reader.copy_.emplace(std::move(copy));
  }
  if (life == FrameLife::kKept) {
    SIGHTGLASS_ASSIGN_OR_RETURN(FrameCopy kept, FrameCopy::create(group, read));
    reader.kept_.emplace(std::move(kept));
  }
  return reader;
}

Result<FrameRef> FrameReader::readable(const FrameRef& frame) {
  if (!copy_) return frame;
  return copy_->copy(frame);
}

}  // namespace sightglass
