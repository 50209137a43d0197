// The part of the frame in which people are, for the model: it sees them larger than in the whole frame. The GPU finds
// it in masks, and moves it: shaders/segment/region_*.comp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/objects.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// All calls, including the destructor, need the context current, and leave GL state as sessions do.
class PersonRegion {
 public:
  // `mask` is that of the model: a 2D texture with the probability in R, which outlives this object. Compiles the
  // programs that the group does not have yet, and runs them once, so that drivers finish compiling.
  static Result<PersonRegion> create(const std::shared_ptr<ShareGroup>& group, const TextureRef& mask,
                                     int32_t input_width, int32_t input_height);

  // Plans the next run of an effect, unless one is in progress: how many stages it has. The first of two finds people
  // outside of the region, the last one the mask. `one_stage`: stages could not read the same frame.
  void plan(bool one_stage);
  size_t stages() const { return looks_first_ ? 2 : 1; }
  // The next frame is from another scene. No GL call.
  void forget();

  // Decides what a stage samples, which place() then says. `whole_to_stored` maps a model input of the whole frame to
  // the stored frame. `noise`: of FramePair, for cuts. `wanted`: a flag without which the model does not run; no
  // buffer: it is wanted. Returns the flag for the run; no buffer: it always runs.
  BufferRange begin(size_t stage, const FrameRef& frame, const InputTransform& whole_to_stored,
                    const BufferRange& noise, const BufferRange& wanted);
  // For Session::set_input_frame().
  GLuint place() const { return place_.id(); }
  // After the run of a stage: moves the region. A model input of the whole frame covers `width` × `height` pixels of
  // the upright frame.
  void end(size_t stage, float width, float height);
  // After the last stage: returns mask(), from that of the model.
  TextureRef paste();
  // The mask of the whole frame.
  TextureRef mask() const { return {whole_.id(), GL_TEXTURE_2D, model_mask_.width, model_mask_.height}; }

 private:
  struct Params {
    std::array<float, 4> values{};
    bool operator==(const Params&) const = default;
  };
  PersonRegion(const GlApi& gl, std::vector<SharedProgram> programs, const TextureRef& mask, int32_t input_width,
               int32_t input_height);
  BufferRange state() const;

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // place, find, paste
  TextureRef model_mask_;
  float input_width_, input_height_;
  GlTexture whole_;  // the mask of the whole frame, of the same size
  GlBuffer state_, place_, always_;
  GlSampler linear_;
  UniformBlock<FrameBlock> frame_block_;
  // Of the first stage, by what it samples, of the second stage, and of end(): none changes while frames stay alike.
  enum : size_t { kRegion, kLook, kWhole, kSecond, kEnd, kBlocks };
  std::array<UniformBlock<Params>, kBlocks> params_;
  bool looks_first_ = false;  // the run has a stage for people outside of the region
  bool looks_ = false;        // or its only one sees the whole frame
  bool running_ = false;      // between its begin and its end
  int32_t runs_ = 0;          // since the last look at the whole frame; 0: there was none in this scene
};

}  // namespace sightglass
