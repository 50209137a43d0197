#include "figure/renderer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "figure/shaders.h"
#include "gl/draw_state_guard.h"
#include "gl/gl_state_guard.h"
#include "gl/texture_unit.h"
#include "gpu_engine/build_programs.h"

namespace sightglass::figure {

namespace {

std::vector<uint16_t> grid_indices(const Grid& grid) {
  std::vector<uint16_t> indices;
  for (int j = 0; j < grid.along; ++j) {
    for (int i = 0; i < grid.around; ++i) {
      const int corner = j * (grid.around + 1) + i;
      for (const int step : {0, 1, grid.around + 1, grid.around + 1, 1, grid.around + 2}) {
        indices.push_back(static_cast<uint16_t>(corner + step));
      }
    }
  }
  return indices;
}

template <typename Owner, typename Generate>
Owner generated(const GlApi& gl, Generate generate) {
  GLuint id = 0;
  generate(1, &id);
  return {gl, id};
}

// Subpixel offset of an exposure from the pixel center: regular in x, bit-reversed in y. The samples of an exposure are
// a quarter of a pixel apart.
std::array<float, 2> shift_of(size_t exposure, size_t exposures) {
  constexpr float kReach = 0.5F;
  if (exposures == 1) return {};
  float reversed = 0, digit = 0.5F;
  for (size_t rest = exposure; rest > 0; rest /= 2, digit /= 2) reversed += rest % 2 == 1 ? digit : 0;
  const float regular = (static_cast<float>(exposure) + 0.5F) / static_cast<float>(exposures);
  return {kReach * (regular - 0.5F), kReach * (reversed - 0.5F)};
}

int levels_of(int32_t width, int32_t height) {
  int levels = 1;
  for (int32_t size = std::max(width, height); size > 1; size /= 2) ++levels;
  return levels;
}

}  // namespace

Result<Renderer> Renderer::create(const GlApi& gl) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<GlProgram> programs,
                              build_programs(gl, figure_programs(), {figure_shaders()}));
  return Renderer(gl, std::move(programs));
}

Renderer::Renderer(const GlApi& gl, std::vector<GlProgram> programs) : gl_(&gl), programs_(std::move(programs)) {
  const GlStateGuard guard(gl);
  gl.GetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &alignment_);
  GLint most_samples = 0;
  gl.GetIntegerv(GL_MAX_SAMPLES, &most_samples);
  samples_ = std::min(4, most_samples);
  parameters_ = generated<GlBuffer>(gl, gl.GenBuffers);
  no_attributes_ = generated<GlVertexArray>(gl, gl.GenVertexArrays);
  for (size_t i = 0; i < std::size(kGrids); ++i) {
    grids_[i] = generated<GlVertexArray>(gl, gl.GenVertexArrays);
    indices_[i] = generated<GlBuffer>(gl, gl.GenBuffers);
    const std::vector<uint16_t> indices = grid_indices(kGrids[i]);
    gl.BindVertexArray(grids_[i].id());
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_[i].id());
    gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices.size() * sizeof(uint16_t)), indices.data(),
                  GL_STATIC_DRAW);
  }
  gl.BindVertexArray(0);
  backdrop_frame_ = generated<GlFramebuffer>(gl, gl.GenFramebuffers);
  scene_frame_ = generated<GlFramebuffer>(gl, gl.GenFramebuffers);
  resolved_frame_ = generated<GlFramebuffer>(gl, gl.GenFramebuffers);
  output_frame_ = generated<GlFramebuffer>(gl, gl.GenFramebuffers);
  mipmapped_ = make_sampler(gl, GL_LINEAR);
  gl.SamplerParameteri(mipmapped_.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
  repeated_ = make_sampler(gl, GL_LINEAR);
  gl.SamplerParameteri(repeated_.id(), GL_TEXTURE_WRAP_S, GL_REPEAT);
  gl.SamplerParameteri(repeated_.id(), GL_TEXTURE_WRAP_T, GL_REPEAT);
  for (size_t kind = 0; kind < kCardKinds; ++kind) {
    first_card_[kind] = gl.GetUniformLocation(programs_[kCardProgram + kind].id(), "u_first");
  }
  make_noise();
}

void Renderer::make_noise() {
  const GlApi& gl = *gl_;
  const DrawStateGuard drawing(gl);
  constexpr GLenum kBuffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  bumps_ = make_texture(gl, GL_RGBA8, kNoiseSize, kNoiseSize);
  white_ = make_texture(gl, GL_RGBA8, kNoiseSize, kNoiseSize);
  gl.BindFramebuffer(GL_FRAMEBUFFER, output_frame_.id());
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, bumps_.id(), 0);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, white_.id(), 0);
  gl.DrawBuffers(2, kBuffers);
  gl.Viewport(0, 0, kNoiseSize, kNoiseSize);
  gl.UseProgram(programs_[kNoiseProgram].id());
  gl.BindVertexArray(no_attributes_.id());
  gl.DrawArrays(GL_TRIANGLES, 0, 3);
  gl.BindVertexArray(0);
  gl.UseProgram(0);
  gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
}

Status Renderer::resize(int32_t width, int32_t height) {
  const GlApi& gl = *gl_;
  if (width == width_ && height == height_) return {};
  const GlStateGuard guard(gl);
  GLint renderbuffer = 0;
  gl.GetIntegerv(GL_RENDERBUFFER_BINDING, &renderbuffer);
  clear_gl_errors(gl);
  width_ = width;
  height_ = height;
  sum_.reset();
  backdrop_ = generated<GlTexture>(gl, gl.GenTextures);
  bind_texture(gl, 0, backdrop_.id(), 0);
  gl.TexStorage2D(GL_TEXTURE_2D, levels_of(width, height), GL_RGBA8, width, height);
  bind_texture(gl, 0, 0, 0);
  resolved_ = make_texture(gl, GL_RGBA8, width, height);
  const auto storage = [&](GlRenderbuffer& owner, GLenum format) {
    owner = generated<GlRenderbuffer>(gl, gl.GenRenderbuffers);
    gl.BindRenderbuffer(GL_RENDERBUFFER, owner.id());
    gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples_, format, width, height);
  };
  storage(color_, GL_RGBA8);
  storage(depth_, GL_DEPTH_COMPONENT24);
  gl.BindFramebuffer(GL_FRAMEBUFFER, resolved_frame_.id());
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, resolved_.id(), 0);
  gl.BindFramebuffer(GL_FRAMEBUFFER, scene_frame_.id());
  gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_.id());
  gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_.id());
  const GLenum completeness = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl.BindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(renderbuffer));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "allocating a picture"));
  if (completeness == GL_FRAMEBUFFER_COMPLETE) return {};
  return device_error("pictures of " + std::to_string(width) + "x" + std::to_string(height) +
                      " cannot be drawn: framebuffer status " + std::to_string(completeness));
}

// Appends a block. The shader reads only `bytes`, but the buffer must have `declared` bytes.
void Renderer::put(size_t name, std::span<const std::byte> bytes, size_t declared) {
  const auto step = static_cast<size_t>(alignment_);
  const size_t offset = (bytes_.size() + step - 1) / step * step;
  bytes_.resize(offset);
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), declared)));
  blocks_[name] = {offset, declared};
}

// `shift` moves the figure, in pixels.
void Renderer::upload(const Scene& scene, std::array<float, 2> shift) {
  constexpr size_t kRings = Lofts::kMostRings * sizeof(Ring), kCards = Backdrop::kMostCards * sizeof(Card);
  bytes_.clear();
  for (size_t list = 0; list < Lofts::kLists; ++list) {
    put(list, std::as_bytes(std::span(scene.lofts.rings(static_cast<Lofts::List>(list)))), kRings);
  }
  put(kFar, std::as_bytes(std::span(scene.backdrop.far)), kCards);
  put(kBehind, std::as_bytes(std::span(scene.behind)), kCards);
  put(kBefore, std::as_bytes(std::span(scene.before)), kCards);
  if (!scene.strands.empty()) put(kStrands, std::as_bytes(std::span(scene.strands)), kMostStrands * sizeof(Strand));
  FigureBlock figure = scene.figure;
  for (Vec4& column : figure.clip) {
    column[0] += column[3] * shift[0] * 2 / static_cast<float>(width_);
    column[1] += column[3] * shift[1] * 2 / static_cast<float>(height_);
  }
  put(kFigure, std::as_bytes(std::span(&figure, 1)), sizeof(FigureBlock));
  put(kCamera, std::as_bytes(std::span(&scene.camera, 1)), sizeof(CameraBlock));
  size_t size = 0;
  for (const Block& block : blocks_) size = std::max(size, block.offset + block.size);
  bytes_.resize(size);
  // New storage each time: the GPU may still read the previous frame from the old one.
  gl_->BindBuffer(GL_UNIFORM_BUFFER, parameters_.id());
  gl_->BufferData(GL_UNIFORM_BUFFER, static_cast<GLsizeiptr>(size), bytes_.data(), GL_STREAM_DRAW);
}

void Renderer::bind(GLuint binding, size_t name) {
  gl_->BindBufferRange(GL_UNIFORM_BUFFER, binding, parameters_.id(), static_cast<GLintptr>(blocks_[name].offset),
                       static_cast<GLsizeiptr>(blocks_[name].size));
}

// In order, batched by shader program.
void Renderer::draw_cards(BlockName name, const std::vector<Card>& cards) {
  const size_t count = std::min(cards.size(), Backdrop::kMostCards);
  if (count == 0) return;
  bind(kListBinding, name);
  gl_->BindVertexArray(no_attributes_.id());
  for (size_t first = 0, last = 0; first < count; first = last) {
    const int kind = card_kind(cards[first]);
    while (last < count && card_kind(cards[last]) == kind) ++last;
    gl_->UseProgram(programs_[kCardProgram + static_cast<size_t>(kind)].id());
    gl_->Uniform1i(first_card_[static_cast<size_t>(kind)], static_cast<GLint>(first));
    gl_->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(last - first));
  }
}

void Renderer::draw_backdrop(const Scene& scene) {
  const GlApi& gl = *gl_;
  // If it is out of focus, it is drawn smaller, into the mip level that will be read.
  const auto level = std::min(static_cast<GLint>(scene.camera.room[1]), levels_of(width_, height_) - 1);
  gl.BindFramebuffer(GL_FRAMEBUFFER, backdrop_frame_.id());
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, backdrop_.id(), level);
  gl.Viewport(0, 0, std::max(1, width_ >> level), std::max(1, height_ >> level));
  gl.Enable(GL_BLEND);
  gl.BlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  draw_cards(kFar, scene.backdrop.far);
  gl.Disable(GL_BLEND);
  gl.Viewport(0, 0, width_, height_);
  bind_texture(gl, 0, backdrop_.id(), mipmapped_.id());
}

void Renderer::draw_lofts(const Scene& scene, Lofts::List list) {
  const size_t rings = std::min(scene.lofts.rings(list).size(), Lofts::kMostRings);
  if (rings < 2) return;
  const size_t grid = kListStyles[list].grid;
  gl_->UseProgram(programs_[list].id());
  bind(kListBinding, list);
  gl_->BindVertexArray(grids_[grid].id());
  gl_->DrawElementsInstanced(GL_TRIANGLES, kGrids[grid].indices(), GL_UNSIGNED_SHORT, nullptr,
                             static_cast<GLsizei>(rings - 1));
}

void Renderer::draw_strands(const Scene& scene) {
  if (scene.strands.empty()) return;
  gl_->UseProgram(programs_[kStrandProgram].id());
  bind(kListBinding, kStrands);
  gl_->BindVertexArray(no_attributes_.id());
  gl_->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 2 * (kStrandSegments + 1),
                           static_cast<GLsizei>(scene.strands.size()) * kHairsPerStrand);
}

void Renderer::draw_figure(const Scene& scene) {
  const GlApi& gl = *gl_;
  gl.BlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  gl.Enable(GL_DEPTH_TEST);
  // Front to back, so that hidden surfaces are not shaded; translucent surfaces last. Hair hides surfaces behind it all
  // the same. Thin layers hide nothing, so that both sides of a sleeve are visible.
  constexpr Lofts::List kOpaque[] = {Lofts::kHard,  Lofts::kHands,    Lofts::kNeckAndArms, Lofts::kFace,
                                     Lofts::kCloth, Lofts::kTrousers, Lofts::kTorso};
  constexpr Lofts::List kHairy[] = {Lofts::kHair, Lofts::kLocks}, kThin[] = {Lofts::kSheer, Lofts::kLenses};
  static_assert(std::size(kOpaque) + std::size(kHairy) + std::size(kThin) == Lofts::kLists);
  gl.Disable(GL_BLEND);
  for (const Lofts::List list : kOpaque) draw_lofts(scene, list);
  gl.Enable(GL_BLEND);
  for (const Lofts::List list : kHairy) draw_lofts(scene, list);
  gl.DepthMask(GL_FALSE);
  for (const Lofts::List list : kThin) draw_lofts(scene, list);
  draw_strands(scene);
  gl.DepthMask(GL_TRUE);
  gl.Disable(GL_DEPTH_TEST);
}

void Renderer::draw_room(const Scene& scene, bool figure, GLuint framebuffer) {
  const GlApi& gl = *gl_;
  constexpr GLfloat kFarthest = 1;
  gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  gl.ClearBufferfv(GL_DEPTH, 0, &kFarthest);
  gl.Disable(GL_BLEND);
  gl.UseProgram(programs_[kBackdropProgram].id());
  gl.BindVertexArray(no_attributes_.id());
  gl.DrawArrays(GL_TRIANGLES, 0, 3);

  // Alpha accumulates the figure. Objects behind the figure leave it unchanged; objects in front reduce it.
  gl.Enable(GL_BLEND);
  gl.BlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE_MINUS_SRC_ALPHA);
  draw_cards(kBehind, scene.behind);
  if (figure) draw_figure(scene);
  gl.BlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE_MINUS_SRC_ALPHA);
  draw_cards(kBefore, scene.before);
  gl.Disable(GL_BLEND);
}

// For the single exposure in the scene framebuffer.
void Renderer::resolve() {
  const GlApi& gl = *gl_;
  gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_frame_.id());
  gl.BlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  constexpr GLenum kUsedUp[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT};
  gl.InvalidateFramebuffer(GL_READ_FRAMEBUFFER, 2, kUsedUp);
}

template <typename Draw>
Status Renderer::into_outputs(GLuint picture, GLuint mask, Draw draw) {
  const GlApi& gl = *gl_;
  constexpr GLenum kBuffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  gl.BindFramebuffer(GL_FRAMEBUFFER, output_frame_.id());
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture, 0);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, mask, 0);
  gl.DrawBuffers(2, kBuffers);
  const GLenum completeness = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  if (completeness == GL_FRAMEBUFFER_COMPLETE) draw();
  // The textures return to their pools: leave no reference to them.
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, 0, 0);
  if (completeness == GL_FRAMEBUFFER_COMPLETE) return {};
  return device_error("the output textures cannot be drawn into: framebuffer status " + std::to_string(completeness));
}

void Renderer::draw_scene(const Scene& scene, bool figure, std::array<float, 2> shift, GLuint framebuffer) {
  upload(scene, shift);
  bind(kFigureBinding, kFigure);
  bind(kCameraBinding, kCamera);
  draw_backdrop(scene);
  draw_room(scene, figure, framebuffer);
}

Status Renderer::draw(std::span<const Scene> exposures, Output output, GLuint picture, GLuint mask) {
  const GlApi& gl = *gl_;
  const GlStateGuard bindings(gl);
  const DrawStateGuard drawing(gl);
  const bool figure = output != Output::kRoom;
  const bool whole = exposures.size() == 1 && (output == Output::kPicture || output == Output::kMask || !figure);
  if (!whole && !sum_) {
    const ExposureSum::Programs programs{programs_[kAddProgram].id(), programs_[kLayersProgram].id()};
    SIGHTGLASS_ASSIGN_OR_RETURN(sum_,
                                ExposureSum::create(gl, programs, width_, height_, samples_, color_.id(), depth_.id()));
  }
  bind_texture(gl, kBumpsUnit, bumps_.id(), repeated_.id());
  bind_texture(gl, kWhiteUnit, white_.id(), 0);
  Status taken;
  if (whole) {
    draw_scene(exposures[0], figure, {}, scene_frame_.id());
    resolve();
    taken = into_outputs(picture, mask, [&] {
      bind_texture(gl, 0, resolved_.id(), mipmapped_.id());
      gl.UseProgram(programs_[output == Output::kMask ? kMaskProgram : kPictureProgram].id());
      gl.BindVertexArray(no_attributes_.id());
      gl.DrawArrays(GL_TRIANGLES, 0, 3);
    });
  } else {
    for (size_t i = 0; i < exposures.size(); ++i) {
      draw_scene(exposures[i], figure, shift_of(i, exposures.size()), sum_->framebuffer());
      sum_->add(i == 0);
    }
    taken = into_outputs(picture, mask, [&] { sum_->show(output, static_cast<int>(exposures.size())); });
  }
  for (const GLuint unit : {kWhiteUnit, kBumpsUnit, 0U}) bind_texture(gl, unit, 0, 0);
  gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl.BindVertexArray(0);
  gl.UseProgram(0);
  for (const GLuint binding : {kFigureBinding, kListBinding, kCameraBinding}) {
    gl.BindBufferBase(GL_UNIFORM_BUFFER, binding, 0);
  }
  return taken;
}

}  // namespace sightglass::figure
