// Who is in a mask: the GPU finds connected regions, and the main person among them: shaders/segment/people_*.comp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gl/objects.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// The main person is the one of the previous mask, by overlap: also while others touch or cross it. If it is not seen
// for a second, the largest and most central person takes its place.
//
// All calls, including the destructor, need the context current, and leave GL state as sessions do.
class PeopleFinder {
 public:
  // For masks of this size. Compiles the programs that the group does not have yet, and runs them once, so that drivers
  // finish compiling.
  static Result<PeopleFinder> create(const std::shared_ptr<ShareGroup>& group, int32_t mask_width, int32_t mask_height);

  // Finds people in `mask`, a 2D texture of that size with the probability in R. `visible` is the part that shows the
  // frame, in fractions: minimum x and y, maximum x and y. `seconds` have passed since the previous mask. `noise`: of
  // FramePair, for cuts; no buffer: there is none.
  void find(const TextureRef& mask, const std::array<float, 4>& visible, float seconds, const BufferRange& noise);
  // After find(): returns the same mask without other people than the main person. Valid until the next call.
  TextureRef main_person(const TextureRef& mask);
  // The next mask is from another scene. No GL call.
  void reset() { begins_ = true; }
  // The block of shaders/segment/people.glsl. Its first vectors are the boxes of the main person and of everyone in
  // fractions of the mask; without anyone, the minimum is above the maximum.
  BufferRange people() const;
  // For tests: 1 in R in each cell that the main person keeps, of `columns` × `rows`.
  TextureRef cells() const { return {cells_.id(), GL_TEXTURE_2D, columns_, rows_}; }

 private:
  // The block of the shaders.
  struct Params {
    std::array<float, 4> grid{}, visible{}, scene{};
    bool operator==(const Params&) const = default;
  };
  PeopleFinder(const GlApi& gl, std::vector<SharedProgram> programs, int32_t width, int32_t height);

  const GlApi* gl_;
  std::vector<SharedProgram> programs_;  // cells, find, keep
  int32_t width_, height_, side_, columns_, rows_;
  GlBuffer people_, no_cut_;
  GlTexture cells_, kept_;
  GlSampler linear_;
  UniformBlock<Params> params_;
  Params now_;
  bool begins_ = true;
};

// The box of a mask that shows the frame, for find(). `mask_to_frame` maps the mask to a frame, and does not turn it.
inline std::array<float, 4> shown_part(const InputTransform& mask_to_frame) {
  const auto m = mask_to_frame.inverse().m;
  return {m[2], m[5], m[0] + m[2], m[4] + m[5]};
}

// A buffer in place of FramePair::noise(), for frames that are not compared: it knows no noise and no cut.
GlBuffer make_no_cut(const GlApi& gl);

}  // namespace sightglass
