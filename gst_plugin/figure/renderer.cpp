#include "figure/renderer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "figure/shaders.h"
#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "gpu_engine/build_programs.h"

namespace sightglass::figure {

Result<ExposureSum> ExposureSum::create(const GlApi& gl, Programs programs, int32_t width, int32_t height,
                                        GLint samples, GLuint color, GLuint depth) {
  ExposureSum sum(gl, programs, width, height);
  SIGHTGLASS_RETURN_IF_ERROR(sum.allocate(samples, color, depth));
  return sum;
}

ExposureSum::ExposureSum(const GlApi& gl, Programs programs, int32_t width, int32_t height)
    : gl_(&gl),
      programs_(programs),
      width_(width),
      height_(height),
      first_location_(gl.GetUniformLocation(programs.add, "u_first")),
      output_location_(gl.GetUniformLocation(programs.show, "u_output")),
      scale_location_(gl.GetUniformLocation(programs.show, "u_scale")),
      nearest_(make_sampler(gl, GL_NEAREST)),
      no_attributes_(make_vertex_array(gl)) {}

Status ExposureSum::allocate(GLint samples, GLuint color, GLuint depth) {
  const GlApi& gl = *gl_;
  constexpr const char* kWhat = "the layers of a frame";
  clear_gl_errors(gl);
  rest_ = make_renderbuffer(gl, samples, GL_RGBA8, width_, height_);
  resolved_scene_ = make_texture(gl, GL_RGBA8, width_, height_);
  resolved_rest_ = make_texture(gl, GL_RGBA8, width_, height_);
  SIGHTGLASS_ASSIGN_OR_RETURN(resolved_scene_frame_, make_framebuffer(gl, kWhat, {{.texture = resolved_scene_.id()}}));
  SIGHTGLASS_ASSIGN_OR_RETURN(resolved_rest_frame_, make_framebuffer(gl, kWhat, {{.texture = resolved_rest_.id()}}));
  for (Sums& sums : sums_) {
    sums.scene = make_texture(gl, GL_RGBA16UI, width_, height_);
    sums.rest = make_texture(gl, GL_RGBA16UI, width_, height_);
    SIGHTGLASS_ASSIGN_OR_RETURN(
        sums.frame, make_framebuffer(gl, kWhat, {{.texture = sums.scene.id()}, {.texture = sums.rest.id()}}));
  }
  // Blits read attachment 0, so the rest has its own framebuffer.
  SIGHTGLASS_ASSIGN_OR_RETURN(rest_frame_, make_framebuffer(gl, kWhat, {{.renderbuffer = rest_.id()}}));
  SIGHTGLASS_ASSIGN_OR_RETURN(
      exposure_frame_, make_framebuffer(gl, kWhat, {{.renderbuffer = color}, {.renderbuffer = rest_.id()}}, depth));
  return check_gl(gl, "allocating the layers of a frame");
}

void ExposureSum::add(Pass& pass, bool first) {
  pass.blit(exposure_frame_.id(), resolved_scene_frame_.id(), width_, height_);
  pass.blit(rest_frame_.id(), resolved_rest_frame_.id(), width_, height_);
  std::swap(sums_[0], sums_[1]);
  pass.into(sums_[0].frame.id());
  pass.read(kSceneUnit, resolved_scene_.id(), nearest_.id());
  pass.read(kRestUnit, resolved_rest_.id(), nearest_.id());
  read_sums(pass, sums_[1]);
  pass.use(programs_.add, no_attributes_.id());
  gl_->Uniform1i(first_location_, first ? 1 : 0);
  pass.draw(programs_.add, no_attributes_.id());
}

void ExposureSum::show(Pass& pass, Output output, int exposures) {
  read_sums(pass, sums_[0]);
  pass.use(programs_.show, no_attributes_.id());
  gl_->Uniform1i(output_location_, static_cast<GLint>(output));
  gl_->Uniform1f(scale_location_, 1.0F / (255.0F * static_cast<float>(exposures)));
  pass.draw(programs_.show, no_attributes_.id());
}

void ExposureSum::read_sums(Pass& pass, const Sums& sums) const {
  pass.read(kSceneSumUnit, sums.scene.id(), nearest_.id());
  pass.read(kRestSumUnit, sums.rest.id(), nearest_.id());
}

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
  clear_gl_errors(gl);
  Renderer renderer(gl, std::move(programs));
  SIGHTGLASS_RETURN_IF_ERROR(renderer.make_noise());
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "allocating what draws figures"));
  return renderer;
}

Renderer::Renderer(const GlApi& gl, std::vector<GlProgram> programs)
    : gl_(&gl), programs_(std::move(programs)), target_(gl) {
  gl.GetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &alignment_);
  GLint most_samples = 0;
  gl.GetIntegerv(GL_MAX_SAMPLES, &most_samples);
  samples_ = std::min(4, most_samples);
  parameters_ = make_buffer(gl, 0, nullptr, GL_STREAM_DRAW);
  no_attributes_ = make_vertex_array(gl);
  for (size_t i = 0; i < std::size(kGrids); ++i) {
    const std::vector<uint16_t> indices = grid_indices(kGrids[i]);
    indices_[i] =
        make_buffer(gl, static_cast<GLsizeiptr>(indices.size() * sizeof(uint16_t)), indices.data(), GL_STATIC_DRAW);
    grids_[i] = make_vertex_array(gl, indices_[i]);
  }
  mipmapped_ = make_sampler(gl, GL_LINEAR);
  gl.SamplerParameteri(mipmapped_.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
  repeated_ = make_sampler(gl, GL_LINEAR);
  gl.SamplerParameteri(repeated_.id(), GL_TEXTURE_WRAP_S, GL_REPEAT);
  gl.SamplerParameteri(repeated_.id(), GL_TEXTURE_WRAP_T, GL_REPEAT);
  for (size_t kind = 0; kind < kCardKinds; ++kind) {
    first_card_[kind] = gl.GetUniformLocation(programs_[kCardProgram + kind].id(), "u_first");
  }
}

Status Renderer::make_noise() {
  bumps_ = make_texture(*gl_, GL_RGBA8, kNoiseSize, kNoiseSize);
  white_ = make_texture(*gl_, GL_RGBA8, kNoiseSize, kNoiseSize);
  const TextureRef noise[] = {{bumps_.id(), GL_TEXTURE_2D, kNoiseSize, kNoiseSize},
                              {white_.id(), GL_TEXTURE_2D, kNoiseSize, kNoiseSize}};
  Pass pass(*gl_);
  return target_.draw(pass, noise, "the noise of surfaces",
                      [&] { pass.draw(programs_[kNoiseProgram].id(), no_attributes_.id()); });
}

Status Renderer::resize(int32_t width, int32_t height) {
  const GlApi& gl = *gl_;
  if (width == width_ && height == height_) return {};
  const GlStateGuard guard(gl);
  clear_gl_errors(gl);
  width_ = width;
  height_ = height;
  sum_.reset();
  backdrop_ = make_texture(gl, GL_RGBA8, width, height, levels_of(width, height));
  resolved_ = make_texture(gl, GL_RGBA8, width, height);
  color_ = make_renderbuffer(gl, samples_, GL_RGBA8, width, height);
  depth_ = make_renderbuffer(gl, samples_, GL_DEPTH_COMPONENT24, width, height);
  const std::string what = "pictures of " + std::to_string(width) + "x" + std::to_string(height);
  SIGHTGLASS_ASSIGN_OR_RETURN(backdrop_frame_, make_framebuffer(gl, what.c_str(), {{.texture = backdrop_.id()}}));
  SIGHTGLASS_ASSIGN_OR_RETURN(resolved_frame_, make_framebuffer(gl, what.c_str(), {{.texture = resolved_.id()}}));
  SIGHTGLASS_ASSIGN_OR_RETURN(scene_frame_,
                              make_framebuffer(gl, what.c_str(), {{.renderbuffer = color_.id()}}, depth_.id()));
  return check_gl(gl, "allocating a picture");
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
void Renderer::upload(Pass& pass, const Scene& scene, std::array<float, 2> shift) {
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
  pass.upload(parameters_.id(), static_cast<GLsizeiptr>(size), bytes_.data());
}

BufferRange Renderer::block(size_t name) const {
  return {parameters_.id(), static_cast<GLintptr>(blocks_[name].offset), static_cast<GLsizeiptr>(blocks_[name].size)};
}

// In order, batched by shader program.
void Renderer::draw_cards(Pass& pass, BlockName name, const std::vector<Card>& cards) {
  const size_t count = std::min(cards.size(), Backdrop::kMostCards);
  if (count == 0) return;
  pass.uniforms(kListBinding, block(name));
  for (size_t first = 0, last = 0; first < count; first = last) {
    const int kind = card_kind(cards[first]);
    while (last < count && card_kind(cards[last]) == kind) ++last;
    pass.use(programs_[kCardProgram + static_cast<size_t>(kind)].id(), no_attributes_.id());
    gl_->Uniform1i(first_card_[static_cast<size_t>(kind)], static_cast<GLint>(first));
    gl_->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(last - first));
  }
}

void Renderer::draw_backdrop(Pass& pass, const Scene& scene) {
  const GlApi& gl = *gl_;
  // If it is out of focus, it is drawn smaller, into the mip level that will be read.
  const auto level = std::min(static_cast<GLint>(scene.camera.room[1]), levels_of(width_, height_) - 1);
  pass.into(backdrop_frame_.id());
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, backdrop_.id(), level);
  gl.Viewport(0, 0, std::max(1, width_ >> level), std::max(1, height_ >> level));
  gl.Enable(GL_BLEND);
  gl.BlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  draw_cards(pass, kFar, scene.backdrop.far);
  gl.Disable(GL_BLEND);
  gl.Viewport(0, 0, width_, height_);
  pass.read(0, backdrop_.id(), mipmapped_.id());
}

void Renderer::draw_lofts(Pass& pass, const Scene& scene, Lofts::List list) {
  const size_t rings = std::min(scene.lofts.rings(list).size(), Lofts::kMostRings);
  if (rings < 2) return;
  const size_t grid = kListStyles[list].grid;
  pass.use(programs_[list].id(), grids_[grid].id());
  pass.uniforms(kListBinding, block(list));
  gl_->DrawElementsInstanced(GL_TRIANGLES, kGrids[grid].indices(), GL_UNSIGNED_SHORT, nullptr,
                             static_cast<GLsizei>(rings - 1));
}

void Renderer::draw_strands(Pass& pass, const Scene& scene) {
  if (scene.strands.empty()) return;
  pass.use(programs_[kStrandProgram].id(), no_attributes_.id());
  pass.uniforms(kListBinding, block(kStrands));
  gl_->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 2 * (kStrandSegments + 1),
                           static_cast<GLsizei>(scene.strands.size()) * kHairsPerStrand);
}

void Renderer::draw_figure(Pass& pass, const Scene& scene) {
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
  for (const Lofts::List list : kOpaque) draw_lofts(pass, scene, list);
  gl.Enable(GL_BLEND);
  for (const Lofts::List list : kHairy) draw_lofts(pass, scene, list);
  gl.DepthMask(GL_FALSE);
  for (const Lofts::List list : kThin) draw_lofts(pass, scene, list);
  draw_strands(pass, scene);
  gl.DepthMask(GL_TRUE);
  gl.Disable(GL_DEPTH_TEST);
}

void Renderer::draw_room(Pass& pass, const Scene& scene, bool figure, GLuint framebuffer) {
  const GlApi& gl = *gl_;
  constexpr GLfloat kFarthest = 1;
  pass.into(framebuffer);
  gl.ClearBufferfv(GL_DEPTH, 0, &kFarthest);
  gl.Disable(GL_BLEND);
  pass.draw(programs_[kBackdropProgram].id(), no_attributes_.id());

  // Alpha accumulates the figure. Objects behind the figure leave it unchanged; objects in front reduce it.
  gl.Enable(GL_BLEND);
  gl.BlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE_MINUS_SRC_ALPHA);
  draw_cards(pass, kBehind, scene.behind);
  if (figure) draw_figure(pass, scene);
  gl.BlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE_MINUS_SRC_ALPHA);
  draw_cards(pass, kBefore, scene.before);
  gl.Disable(GL_BLEND);
}

// For the single exposure in the scene framebuffer.
void Renderer::resolve(Pass& pass) {
  pass.blit(scene_frame_.id(), resolved_frame_.id(), width_, height_);
  constexpr GLenum kUsedUp[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT};
  gl_->InvalidateFramebuffer(GL_READ_FRAMEBUFFER, 2, kUsedUp);
}

void Renderer::draw_scene(Pass& pass, const Scene& scene, bool figure, std::array<float, 2> shift, GLuint framebuffer) {
  upload(pass, scene, shift);
  pass.uniforms(kFigureBinding, block(kFigure));
  pass.uniforms(kCameraBinding, block(kCamera));
  draw_backdrop(pass, scene);
  draw_room(pass, scene, figure, framebuffer);
}

Status Renderer::draw(std::span<const Scene> exposures, Output output, GLuint picture, GLuint mask) {
  const GlApi& gl = *gl_;
  const GlStateGuard bindings(gl);
  const DrawStateGuard drawing(gl);
  clear_gl_errors(gl);
  const bool figure = output != Output::kRoom;
  const bool whole = exposures.size() == 1 && (output == Output::kPicture || output == Output::kMask || !figure);
  if (!whole && !sum_) {
    const ExposureSum::Programs programs{programs_[kAddProgram].id(), programs_[kLayersProgram].id()};
    SIGHTGLASS_ASSIGN_OR_RETURN(sum_,
                                ExposureSum::create(gl, programs, width_, height_, samples_, color_.id(), depth_.id()));
  }
  Pass pass(gl);
  pass.read(kBumpsUnit, bumps_.id(), repeated_.id());
  pass.read(kWhiteUnit, white_.id());
  const TextureRef outputs[] = {{picture, GL_TEXTURE_2D, width_, height_}, {mask, GL_TEXTURE_2D, width_, height_}};
  if (whole) {
    draw_scene(pass, exposures[0], figure, {}, scene_frame_.id());
    resolve(pass);
  }
  for (size_t i = 0; !whole && i < exposures.size(); ++i) {
    draw_scene(pass, exposures[i], figure, shift_of(i, exposures.size()), sum_->framebuffer());
    sum_->add(pass, i == 0);
  }
  SIGHTGLASS_RETURN_IF_ERROR(target_.draw_in_state(pass, outputs, "the output textures", [&] {
    if (!whole) return sum_->show(pass, output, static_cast<int>(exposures.size()));
    pass.read(0, resolved_.id(), mipmapped_.id());
    pass.draw(programs_[output == Output::kMask ? kMaskProgram : kPictureProgram].id(), no_attributes_.id());
  }));
  return check_gl(gl, "drawing a figure");
}

}  // namespace sightglass::figure
