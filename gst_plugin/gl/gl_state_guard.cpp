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
  // The first unit last: it then is the active one, as after the code that draws.
  const std::span<const GLuint> units = units_for(frame);
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit) units_->save(*unit);
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

namespace {

constexpr std::array<GLenum, 4> kBlend = {GL_BLEND_SRC_RGB, GL_BLEND_DST_RGB, GL_BLEND_SRC_ALPHA, GL_BLEND_DST_ALPHA};
constexpr std::array<GLint, 4> kAllColors{1, 1, 1, 1};

GLenum name(GLint value) { return static_cast<GLenum>(value); }
GLboolean flag(GLint value) { return static_cast<GLboolean>(value != 0 ? GL_TRUE : GL_FALSE); }

}  // namespace

OpaqueStateGuard::OpaqueStateGuard(const GlApi& gl) : gl_(gl) {
  for (size_t i = 0; i < kOff.size(); ++i) {
    enabled_[i] = gl.IsEnabled(kOff[i]);
    if (enabled_[i] != GL_FALSE) gl.Disable(kOff[i]);
  }
  gl.GetIntegerv(GL_VIEWPORT, viewport_.data());
  gl.GetIntegerv(GL_COLOR_WRITEMASK, color_mask_.data());
  if (color_mask_ != kAllColors) gl.ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

OpaqueStateGuard::~OpaqueStateGuard() {
  for (size_t i = 0; i < kOff.size(); ++i) {
    if (enabled_[i] != GL_FALSE) gl_.Enable(kOff[i]);
  }
  gl_.Viewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
  if (color_mask_ != kAllColors) {
    gl_.ColorMask(flag(color_mask_[0]), flag(color_mask_[1]), flag(color_mask_[2]), flag(color_mask_[3]));
  }
}

DrawStateGuard::DrawStateGuard(const GlApi& gl) : gl_(gl), opaque_(gl) {
  for (size_t i = 0; i < kBlend.size(); ++i) gl.GetIntegerv(kBlend[i], &blend_[i]);
  gl.GetIntegerv(GL_BLEND_EQUATION_RGB, &equations_[0]);
  gl.GetIntegerv(GL_BLEND_EQUATION_ALPHA, &equations_[1]);
  gl.GetIntegerv(GL_DEPTH_FUNC, &depth_function_);
  gl.GetIntegerv(GL_DEPTH_WRITEMASK, &depth_mask_);
  gl.GetIntegerv(GL_RENDERBUFFER_BINDING, &renderbuffer_);
  gl.BlendEquationSeparate(GL_FUNC_ADD, GL_FUNC_ADD);
  gl.DepthFunc(GL_LEQUAL);
  gl.DepthMask(GL_TRUE);
}

DrawStateGuard::~DrawStateGuard() {
  for (const GLenum capability : OpaqueStateGuard::kOff) gl_.Disable(capability);
  gl_.BlendFuncSeparate(name(blend_[0]), name(blend_[1]), name(blend_[2]), name(blend_[3]));
  gl_.BlendEquationSeparate(name(equations_[0]), name(equations_[1]));
  gl_.DepthFunc(name(depth_function_));
  gl_.DepthMask(flag(depth_mask_));
  gl_.BindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(renderbuffer_));
}

}  // namespace sightglass
