// Fits the colors of the foreground to a new background: measured, decided and kept on the GPU.
#pragma once

#include <array>
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
  // For masks with that refinement. Compiles the program if the group does not have it yet.
  static Result<Grader> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine);

  // How far colors are changed, in [0,1].
  struct Strength {
    float match = 0;
  };
  // Measures a frame `seconds` after the previous one. The pass, whose sampler is linear, reads the frame, the mask,
  // refined or not, and the new background in kBackgroundUnit, and has the blocks SegmentLook and Frame. Afterwards it
  // has other uniforms at kParamsBinding. `noise` is that of FramePair; a range of no bytes: none.
  void measure(Pass& pass, const Strength& strength, float seconds, const BufferRange& noise);
  // The uniform block of shaders/segment/graded.glsl.
  BufferRange grade() const { return {grade_.id(), 0, kGradeBytes}; }
  // The next frame is from another scene. No GL call.
  void reset() { begins_ = true; }

 private:
  // The block of the shader.
  struct Params {
    std::array<float, 4> grade{};
    bool operator==(const Params&) const = default;
  };
  static constexpr GLsizeiptr kGradeBytes = 3 * 16;
  Grader(const GlApi& gl, SharedProgram program);

  SharedProgram program_;
  GlBuffer grade_, no_cut_;
  UniformBlock<Params> params_;
  bool begins_ = true;
};

}  // namespace sightglass
