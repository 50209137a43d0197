#include "segment/compositor.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "segment/shaders.h"

namespace sightglass {

namespace {

constexpr GLuint kLookBinding = 0;  // shaders/segment/matte.glsl

Matte make_matte(const TextureRef& mask, const InputTransform& mask_to_upright, const Look& look) {
  constexpr float kLeastWidth = 1e-3F;  // smoothstep needs two different edges
  const float half = 0.5F * std::max(look.softness, kLeastWidth);
  Matte matte{mask, mask_to_upright};
  matte.lower = std::clamp(look.threshold - half, 0.0F, 1.0F - kLeastWidth);
  matte.upper = std::clamp(look.threshold + half, matte.lower + kLeastWidth, 1.0F);
  return matte;
}

// Whether pixels of an upright frame of that size are pixels of the stored one: true of the eight orientations, of
// whole frames and of parts of them.
bool is_exact(const InputTransform& upright_to_stored, int32_t width, int32_t height, const FrameRef& stored) {
  constexpr float kRounding = 1e-2F;  // of a pixel; those of large frames come to less
  const auto& m = upright_to_stored.m;
  const auto whole = [](float pixels) { return std::abs(pixels - std::round(pixels)) < kRounding; };
  // One step of an axis is one pixel.
  const auto row = [&](float x, float y, float offset, int32_t samples) {
    const float n = static_cast<float>(samples);
    const float across = x * n, down = y * n;
    const bool one_axis = x == 0 || y == 0;
    return one_axis &&
           std::abs(std::abs(across) + std::abs(down) - static_cast<float>(x != 0 ? width : height)) < kRounding &&
           whole(offset * n);
  };
  return row(m[0], m[1], m[2], stored.width) && row(m[3], m[4], m[5], stored.height);
}

}  // namespace

Result<Compositor> Compositor::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine) {
  std::vector<ProgramKey> keys;
  keys.reserve(kComposites);
  for (int background = 0; background < kComposites; ++background) {
    keys.push_back({kFullscreenShader, composite_shader(background, kind, refine)});
  }
  SG_ASSIGN_OR_RETURN(MaskRefiner refiner, MaskRefiner::create(group, kind, refine));
  SG_ASSIGN_OR_RETURN(Blur blur, Blur::create(group, kind, refine));
  SG_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return Compositor(group->gl(), kind, refine, std::move(refiner), std::move(blur), std::move(programs));
}

Compositor::Compositor(const GlApi& gl, FrameKind kind, Refine refine, MaskRefiner refiner, Blur blur,
                       std::vector<SharedProgram> programs)
    : gl_(&gl),
      kind_(kind),
      refine_(refine),
      refiner_(std::move(refiner)),
      blur_(std::move(blur)),
      programs_(std::move(programs)),
      block_(gl),
      frame_block_(gl) {
  GLuint id = 0;
  gl.GenVertexArrays(1, &id);
  vertex_array_ = {gl, id};
  gl.GenFramebuffers(1, &id);
  framebuffer_ = {gl, id};
  linear_ = make_sampler(gl, GL_LINEAR);
  nearest_ = make_sampler(gl, GL_NEAREST);
}

Status Compositor::resize(int32_t width, int32_t height) {
  width_ = width;
  height_ = height;
  picture_.reset();
  return blur_.resize(width, height);
}

Status Compositor::warm_up(const TextureRef& mask) {
  clear_gl_errors(*gl_);
  const GlTexture black = make_texture(*gl_, GL_RGBA8, 1, 1), output = make_texture(*gl_, GL_RGBA8, 1, 1);
  FrameRef frame(TextureRef{black.id(), GL_TEXTURE_2D, 1, 1});
  frame.kind = kind_;
  frame.textures.fill(kind_ == FrameKind::kExternal ? 0 : black.id());
  picture_ = make_texture(*gl_, GL_RGBA8, 1, 1);
  for (const Background background : {Background::kBlur, Background::kColor, Background::kImage, Background::kMask}) {
    SG_RETURN_IF_ERROR(draw(frame, {}, mask, {}, output.id(), {.background = background}));
  }
  picture_.reset();
  return check_gl(*gl_, "drawing for the first time");
}

Status Compositor::set_picture(std::span<const std::byte> rgba) {
  if (rgba.size() != static_cast<size_t>(width_) * static_cast<size_t>(height_) * 4) {
    return invalid_argument("the background picture is not of the frame's size");
  }
  clear_gl_errors(*gl_);
  if (!picture_) picture_ = make_texture(*gl_, GL_RGBA8, width_, height_);
  gl_->BindTexture(GL_TEXTURE_2D, picture_.id());
  gl_->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
  gl_->BindTexture(GL_TEXTURE_2D, 0);
  return check_gl(*gl_, "uploading the background picture");
}

Status Compositor::draw(const FrameRef& frame, const InputTransform& upright_to_stored, const TextureRef& mask,
                        const InputTransform& mask_to_upright, GLuint output, const Look& look) {
  const GlApi& gl = *gl_;
  Block block{make_matte(mask, mask_to_upright, look).block(), look.color};
  GLuint background = 0;
  int composite = kColorComposite;
  std::optional<BlurRecipe> recipe;
  if (look.background == Background::kMask) {
    composite = kMaskComposite;
  } else if (look.background == Background::kTransparent) {
    block.color.fill(0);
  } else if (look.background == Background::kImage && picture_) {
    composite = kPictureComposite;
    background = picture_.id();
  } else if (look.background == Background::kBlur) {
    recipe = BlurRecipe::for_radius(look.blur_radius);
    composite = kBlurComposite;
    block.blur_share = recipe->share;
  }

  block.frame_texel = {1 / static_cast<float>(width_), 1 / static_cast<float>(height_)};

  block_.bind(kLookBinding, block);
  frame_block_.bind(kFrameBinding, frame_block(frame, upright_to_stored));
  bind_texture(gl, 1, mask.id, linear_.id());
  if (refine_ != Refine::kNone) {
    SG_RETURN_IF_ERROR(refiner_.resize(mask));
    bind_frame(gl, frame, linear_.id(), linear_.id());
    const TextureRef refined = refiner_.run();
    bind_texture(gl, 1, refined.id, linear_.id());
  }
  if (recipe) {
    bind_frame(gl, frame, linear_.id(), linear_.id());
    background = blur_.run(*recipe).id;
    if (kind_ == FrameKind::kExternal) gl.BindTexture(GL_TEXTURE_2D, 0);
  }
  const bool exact = is_exact(upright_to_stored, width_, height_, frame);
  bind_frame(gl, frame, exact ? nearest_.id() : linear_.id(), linear_.id());

  std::array<GLint, 4> viewport{};
  gl.GetIntegerv(GL_VIEWPORT, viewport.data());
  gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, output, 0);
  const GLenum completeness = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  if (completeness == GL_FRAMEBUFFER_COMPLETE) {
    gl.Viewport(0, 0, width_, height_);
    gl.UseProgram(programs_[static_cast<size_t>(composite)]->id());
    if (background != 0) bind_texture(gl, 2, background, linear_.id());
    gl.BindVertexArray(vertex_array_.id());
    gl.DrawArrays(GL_TRIANGLES, 0, 3);
  }

  gl.BindVertexArray(0);
  gl.UseProgram(0);
  for (GLuint unit = background != 0 ? 3 : 2; unit-- > 1;) bind_texture(gl, unit, 0, 0);
  unbind_frame(gl, kind_);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, kLookBinding, 0);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, kFrameBinding, 0);
  if (recipe) gl.BindBufferBase(GL_UNIFORM_BUFFER, Blur::kGaussBinding, 0);
  if (recipe || refine_ != Refine::kNone) {
    gl.BindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  }
  // The frame's buffer goes back to a pool: no reference to its texture may stay behind.
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
  gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl.Viewport(viewport[0], viewport[1], viewport[2], viewport[3]);
  if (completeness == GL_FRAMEBUFFER_COMPLETE) return {};
  return device_error("the output texture cannot be drawn into: framebuffer status " + std::to_string(completeness));
}

}  // namespace sightglass
