#include "gl/gl_state_guard.h"

#include <span>

namespace sightglass {

namespace {

// The first four are used for every kind of frame, the others for additional planes.
constexpr std::array<GLuint, 6> kUnitNumbers{kFrameUnits[0], 1, 2, 3, kFrameUnits[1], kFrameUnits[2]};
std::span<const GLuint> units_for(FrameKind kind) {
  return std::span(kUnitNumbers).first(3 + static_cast<size_t>(planes_of(kind)));
}

}  // namespace

void TextureUnitGuard::save(GLuint unit) {
  Unit& saved = units_.at(count_++);
  saved.number = unit;
  gl_.ActiveTexture(GL_TEXTURE0 + unit);
  gl_.GetIntegerv(GL_TEXTURE_BINDING_2D, &saved.texture);
  gl_.GetIntegerv(GL_SAMPLER_BINDING, &saved.sampler);
}

TextureUnitGuard::~TextureUnitGuard() {
  for (const Unit& unit : std::span(units_).first(count_)) {
    if (unit.texture == 0 && unit.sampler == 0) continue;
    gl_.ActiveTexture(GL_TEXTURE0 + unit.number);
    gl_.BindTexture(GL_TEXTURE_2D, static_cast<GLuint>(unit.texture));
    gl_.BindSampler(unit.number, static_cast<GLuint>(unit.sampler));
    gl_.ActiveTexture(GL_TEXTURE0);
  }
}

GlStateGuard::GlStateGuard(const GlApi& gl, FrameKind frame) : gl_(gl) {
  gl.GetIntegerv(GL_CURRENT_PROGRAM, &program_);
  gl.GetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertex_array_);
  gl.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_framebuffer_);
  gl.GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_framebuffer_);
  gl.GetIntegerv(GL_ACTIVE_TEXTURE, &active_texture_);
  units_.emplace(gl);
  for (const GLuint unit : units_for(frame)) units_->save(unit);
  if (frame != FrameKind::kExternal) return;
  gl.ActiveTexture(GL_TEXTURE0 + kFrameUnits[0]);
  gl.GetIntegerv(GL_TEXTURE_BINDING_EXTERNAL_OES, &external_texture_);
}

GlStateGuard::~GlStateGuard() {
  units_.reset();
  if (external_texture_ != 0) gl_.BindTexture(GL_TEXTURE_EXTERNAL_OES, static_cast<GLuint>(external_texture_));
  if (active_texture_ != GL_TEXTURE0) gl_.ActiveTexture(static_cast<GLenum>(active_texture_));
  if (draw_framebuffer_ != 0) gl_.BindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
  if (read_framebuffer_ != 0) gl_.BindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
  if (vertex_array_ != 0) gl_.BindVertexArray(static_cast<GLuint>(vertex_array_));
  if (program_ != 0) gl_.UseProgram(static_cast<GLuint>(program_));
}

}  // namespace sightglass
