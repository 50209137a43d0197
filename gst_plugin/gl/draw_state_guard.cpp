#include "gl/draw_state_guard.h"

namespace sightglass {

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
