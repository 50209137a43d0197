// Sums the exposures of a frame, and separates the frame into people and the rest.
#pragma once

#include <array>
#include <cstdint>

#include "figure/output.h"
#include "gl/pass.h"
#include "sightglass/gl_objects.h"
#include "sightglass/status.h"

namespace sightglass::figure {

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

}  // namespace sightglass::figure
