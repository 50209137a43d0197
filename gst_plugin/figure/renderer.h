// Draws a scene into textures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "figure/scene.h"
#include "figure/shaders.h"
#include "gl/pass.h"
#include "sightglass/gl_objects.h"
#include "sightglass/status.h"

namespace sightglass::figure {

// Sums the exposures of a frame, and separates the frame into people and the rest.

// One exposure is drawn with several samples per pixel into two layers: the scene, and the same scene with black
// people. Their difference is the people, premultiplied. Sums are integers, so they are exact, and every device can
// draw them.
//
// Call it on the thread with the current context, within a GlStateGuard and a DrawStateGuard.
class ExposureSum {
 public:
  struct Programs {
    GLuint add, show;  // add_exposure.frag, layers.frag
  };
  static constexpr int kMost = 257;  // more would overflow sums of 16 bits

  // For frames of width × height pixels; `color` and `depth` are renderbuffers of the scene, with `samples`. `gl`, the
  // programs and the renderbuffers must outlive the result.
  static Result<ExposureSum> create(const GlApi& gl, Programs programs, int32_t width, int32_t height, GLint samples,
                                    GLuint color, GLuint depth);

  // The framebuffer to draw an exposure into: location 0 is the scene, location 1 the rest of it.
  GLuint framebuffer() const { return exposure_frame_.id(); }
  // Adds what is in that framebuffer; the `first` one of a frame starts the sums.
  void add(Pass& pass, bool first);
  // Draws `output` into the bound framebuffer, with the mask at location 1. The pass has the block Camera and the noise
  // textures.
  void show(Pass& pass, Output output, int exposures);

 private:
  struct Sums {
    GlTexture scene, rest;
    GlFramebuffer frame;
  };

  ExposureSum(const GlApi& gl, Programs programs, int32_t width, int32_t height);
  void read_sums(Pass& pass, const Sums& sums) const;
  Status allocate(GLint samples, GLuint color, GLuint depth);

  const GlApi* gl_;
  Programs programs_;
  int32_t width_, height_;
  GLint first_location_, output_location_, scale_location_;
  GlRenderbuffer rest_;
  GlFramebuffer exposure_frame_, rest_frame_, resolved_scene_frame_, resolved_rest_frame_;
  GlTexture resolved_scene_, resolved_rest_;
  std::array<Sums, 2> sums_;  // the newest and the previous sums
  GlSampler nearest_;
  GlVertexArray no_attributes_;
};

// Call it on the thread with the current context. Every call restores GL state. It does not change the sampling
// parameters of textures.
class Renderer {
 public:
  // Compiles the shader programs; `gl` must outlive the result.
  static Result<Renderer> create(const GlApi& gl);
  // Allocates for frames of width × height pixels.
  Status resize(int32_t width, int32_t height);
  // Draws the mean of `exposures`, between one and ExposureSum::kMost, with subpixel offsets between them. `picture` is
  // an RGBA texture for the output, `mask` one with R; both have the size given to resize(). R of the mask is the
  // fraction of the pixel that the figure covers. Uploads about 10 KiB of parameters per exposure; never waits.
  // Allocates at the first frame of a size that has several exposures or shows a layer.
  Status draw(std::span<const Scene> exposures, Output output, GLuint picture, GLuint mask);

 private:
  struct Block {
    size_t offset = 0, size = 0;
  };
  // The shader programs of ring lists come first.
  enum BlockName : uint8_t { kFar = Lofts::kLists, kBehind, kBefore, kStrands, kFigure, kCamera, kBlocks };

  Renderer(const GlApi& gl, std::vector<GlProgram> programs);
  void put(size_t name, std::span<const std::byte> bytes, size_t declared);
  Status make_noise();
  void upload(Pass& pass, const Scene& scene, std::array<float, 2> shift);
  BufferRange block(size_t name) const;
  void draw_backdrop(Pass& pass, const Scene& scene);
  void draw_figure(Pass& pass, const Scene& scene);
  void draw_room(Pass& pass, const Scene& scene, bool figure, GLuint framebuffer);
  void draw_lofts(Pass& pass, const Scene& scene, Lofts::List list);
  void draw_strands(Pass& pass, const Scene& scene);
  void draw_cards(Pass& pass, BlockName name, const std::vector<Card>& cards);
  void draw_scene(Pass& pass, const Scene& scene, bool figure, std::array<float, 2> shift, GLuint framebuffer);
  void resolve(Pass& pass);

  const GlApi* gl_;
  std::vector<GlProgram> programs_;  // by FigureProgram
  GLint alignment_ = 256, samples_ = 4;
  GlBuffer parameters_;
  std::array<GlBuffer, 2> indices_;  // by ListStyle::grid
  std::array<GlVertexArray, 2> grids_;
  std::array<GLint, 3> first_card_{};  // locations of u_first in the card programs
  GlVertexArray no_attributes_;
  GlFramebuffer backdrop_frame_, scene_frame_, resolved_frame_;
  DrawTarget target_;  // of the outputs
  GlTexture backdrop_, resolved_, bumps_, white_;
  GlRenderbuffer color_, depth_;
  std::optional<ExposureSum> sum_;  // from the first frame of this size that needs it
  GlSampler mipmapped_, repeated_;
  std::vector<std::byte> bytes_;
  std::array<Block, kBlocks> blocks_{};
  int32_t width_ = 0, height_ = 0;
};

}  // namespace sightglass::figure
