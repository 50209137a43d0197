// Fits the colors of the foreground to a new background, and makes dark frames bright: measured, decided and kept on
// the GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gl/pass.h"
#include "segment/mask_refiner.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

// Mean brightness, contrast and color of light, as in color transfer (Reinhard et al., Color Transfer between Images,
// 2001), within limits: shaders/segment/grade.comp.
//
// All calls, including the destructor, need the context current.
class Grader {
 public:
  // Of the block of shaders/segment/grade.glsl.
  static constexpr GLsizeiptr kGradeBytes = 80, kGroupsOffset = 64;

  // For masks with that refinement. Compiles the program if the group does not have it yet.
  static Result<Grader> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine);

  struct Wish {
    float match = 0, low_light = 0;  // how far colors are changed, in [0,1]
    int32_t width = 0, height = 0;   // of the frames of a Denoiser
  };
  // Measures a frame `seconds` after the previous one. The pass, whose sampler is linear, reads the frame, the mask,
  // refined or not, and the new background in kBackgroundUnit, and has the blocks SegmentLook and Frame. Afterwards it
  // has other uniforms at kParamsBinding. `noise` is that of FramePair; a range of no bytes: none.
  void measure(Pass& pass, const Wish& wish, float seconds, const BufferRange& noise);
  // The uniform block of shaders/segment/graded.glsl.
  BufferRange grade() const { return {grade_.id(), 0, kGradeBytes}; }
  // The next frame is from another scene. No GL call.
  void reset() { begins_ = true; }

 private:
  // The block of the shader.
  struct Params {
    std::array<float, 4> grade{};
    std::array<uint32_t, 4> groups{};
    bool operator==(const Params&) const = default;
  };
  Grader(const GlApi& gl, SharedProgram program);

  SharedProgram program_;
  GlBuffer grade_, no_cut_;
  UniformBlock<Params> params_;
  bool begins_ = true;
};

// The foreground without noise, if a Grader has made the frame brighter: shaders/segment/denoise.comp.
class Denoiser {
 public:
  // For masks with that refinement. Compiles the program if the group does not have it yet.
  static Result<Denoiser> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine);

  // Allocates for upright frames of width × height pixels. The Grader must then begin with another scene.
  Status resize(int32_t width, int32_t height);
  bool is_ready() const { return static_cast<bool>(pictures_[0]); }
  void release();
  // Leaves the colors of the frame in kQuietUnit. Requirements for the pass are those of Grader::measure(), which has
  // written `grade`, and it has that at kParamsBinding afterwards.
  void run(Pass& pass, const BufferRange& grade);

 private:
  Denoiser(const GlApi& gl, SharedProgram program) : gl_(&gl), program_(std::move(program)) {}

  const GlApi* gl_;
  SharedProgram program_;
  std::array<GlTexture, 2> pictures_;  // the previous and the next, in turn
  size_t next_ = 0;
};

}  // namespace sightglass
