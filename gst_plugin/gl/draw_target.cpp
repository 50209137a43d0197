#include "gl/draw_target.h"

#include <array>
#include <string>

namespace sightglass {

namespace {
constexpr std::array<GLenum, 2> kAttachments{GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
}

DrawTarget::DrawTarget(const GlApi& gl) : gl_(&gl) {
  GLuint id = 0;
  gl.GenFramebuffers(1, &id);
  framebuffer_ = {gl, id};
}

Status DrawTarget::fill_black(GLuint picture) {
  constexpr std::array<GLfloat, 4> kBlack{0, 0, 0, 1};
  const TextureRef texture{picture, GL_TEXTURE_2D, 1, 1};  // clearing ignores the viewport
  Pass pass(*gl_);
  return draw(pass, {&texture, 1}, "the frame", [&] { gl_->ClearBufferfv(GL_COLOR, 0, kBlack.data()); });
}

Status DrawTarget::attach(Pass& pass, std::span<const TextureRef> pictures, const char* what) {
  const GlApi& gl = *gl_;
  pass.into(framebuffer_.id());
  for (size_t i = 0; i < pictures.size(); ++i) {
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, kAttachments[i], GL_TEXTURE_2D, pictures[i].id, 0);
  }
  if (drawn_buffers_ != pictures.size()) {
    drawn_buffers_ = pictures.size();
    gl.DrawBuffers(static_cast<GLsizei>(drawn_buffers_), kAttachments.data());
  }
  const GLenum completeness = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  if (completeness != GL_FRAMEBUFFER_COMPLETE) {
    return device_error("cannot draw into " + std::string(what) + ": framebuffer status " +
                        std::to_string(completeness));
  }
  return {};
}

void DrawTarget::detach(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    gl_->FramebufferTexture2D(GL_FRAMEBUFFER, kAttachments[i], GL_TEXTURE_2D, 0, 0);
  }
}

}  // namespace sightglass
