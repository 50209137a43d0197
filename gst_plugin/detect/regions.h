// Regions of the frame that landmark models sample: squares around detections, tracked from frame to frame by the
// landmarks in them. The GPU makes all decisions, in shaders/detect/*region*.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "gl/compute.h"
#include "gl/frame_format.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "sightglass/frame_kind.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// The padding, in vectors of four floats, aligns the results after the regions as GL requires.
inline constexpr int32_t kMaxRegions = 8, kRegionsPadding = 6;

// In std430 layout.
struct Region {
  std::array<float, 4> square{}, head{}, motion{};
  std::array<int32_t, 4> flags{};  // is followed, is new, ID, strange frames
  std::array<float, 12> ends{};
};
struct RegionState {
  std::array<int32_t, 4> slot{};
  std::array<float, 4> look{};
  std::array<Region, kMaxRegions> regions{};
  std::array<std::array<float, 4>, kRegionsPadding> padding{};
};
static_assert(sizeof(RegionState) % 256 == 0);

// Derives a square from a detection or from landmarks: around the box, shifted and scaled, and rotated so that the line
// between two points has a given direction.
struct RegionRule {
  int32_t from = 0, to = 1;   // the points; without them, squares are upright
  float direction = 0;        // of the line in the square: radians, clockwise from its x axis
  bool around_point = false;  // the square is around the point `from`, and its unit is the length of the line
  float scale = 1;            // side of the square relative to the longer side of the box
  float shift = 0;            // of its center, down along its own axis, in box heights
  float same = 0.25F;         // distance in sides below which squares are of the same object
  float head_up = 0;          // of people: the distance of the head from the center of the square, and its radius,
  float head_radius = 0;      // in sides; radius 0: nothing is covered
  float sure = 0;             // minimum score of a detection that is alone, or in a part of the frame
};

struct RegionParams {  // the uniform block Regions
  std::array<float, 4> frame{}, score{};
  std::array<int32_t, 4> sizes{}, points{};
  std::array<float, 4> rule{};
  bool operator==(const RegionParams&) const = default;
};
struct RegionOptions {
  int32_t most = 1;          // 1 to kMaxRegions
  float least_score = 0;     // minimum score of the landmarks of a tracked region
  float seconds = -1;        // since the previous frame; below 0: unrelated to it
  bool looks = false;        // Regions::look() selects the input of the detector
  bool limb_limits = false;  // people whose limbs are too long are looked for again
};
// `width` and `height` are those of the landmark input.
RegionParams region_params(const UprightFrame& frame, const RegionOptions& options, int32_t width, int32_t height,
                           const RegionRule& rule = {});

// The state of all regions, and the position of the model input in the frame for each region in turn. All calls,
// including the destructor, need the context current.
class Regions {
 public:
  enum class Source : uint8_t {
    kLandmarksOnly,  // without begin(), add() and look()
    kDetections,     // without look(): detections are in fractions of the frame
    kLooks,          // detections are in fractions of the square that look() selects
  };
  // `results_bytes` of results follow the regions in the same buffer, initially zero.
  static Result<Regions> create(const std::shared_ptr<ShareGroup>& group, Source source, GLsizeiptr results_bytes = 0);

  BufferRange state() const { return {state_.id(), 0, results_offset() + results_bytes_}; }
  BufferRange results() const { return {state_.id(), results_offset(), results_bytes_}; }
  // Dispatches a program over storage with these parameters: in a pass of its own, or in one that has more.
  void run(GLuint program, const RegionParams& params, std::initializer_list<BufferRange> storage);
  void run(Pass& pass, GLuint program, const RegionParams& params, std::initializer_list<BufferRange> storage,
           GLuint groups = 1, GLuint rows = 1);

  // Begins a frame. The flag in detector_runs() is set if the detector must run (run_if()).
  void begin(const RegionParams& params);
  BufferRange detector_runs() const { return {detector_runs_.id(), 0, kFlagBytes}; }
  // Selects the square of the frame that the detector samples: the input of a RegionInput.
  void look(const UprightFrame& frame, const RegionParams& params);
  // If the detector has run, adds the missing regions from a buffer of Detections, best first.
  void add(const BufferRange& detections, const RegionParams& params);
  // Selects the next region. The flag in is_somebody() is set if it is tracked (run_if()).
  void next(const UprightFrame& frame, const RegionParams& params);
  // The same, and makes it the input of `session`.
  Status next(const UprightFrame& frame, const RegionParams& params, Session& session);
  // The position in the frame that look() or next() has selected: a FrameBlock.
  BufferRange place() const { return {place_.id(), 0, sizeof(FrameBlock)}; }
  BufferRange is_somebody() const { return {flag_.id(), 0, kFlagBytes}; }

 private:
  enum Program : size_t { kNext, kBegin, kAdd, kLook };
  static constexpr GLsizeiptr results_offset() { return sizeof(RegionState); }
  Regions(const std::shared_ptr<ShareGroup>& group, std::vector<SharedProgram> programs, GLsizeiptr results_bytes);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  std::vector<SharedProgram> programs_;
  GLsizeiptr results_bytes_;
  UniformBlock<RegionParams> params_;
  UniformBlock<FrameBlock> frame_block_;
  GlBuffer state_, place_, flag_, detector_runs_;
};

// The input of a model that samples squares of the frame: a texture without the heads of people in other regions
// (shaders/detect/sample_region.comp). The model is planned for frames of FrameKind::kRgba.
// All calls, including the destructor, need the context current.
class RegionInput {
 public:
  enum class Of : uint8_t { kLook, kRegion };  // the input of the detector, or of the landmark model
  // Frames are of `kind`; width and height are those of the model input.
  static Result<RegionInput> create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Of of, int32_t width,
                                    int32_t height);

  // Samples the square that Regions::look() or next() has selected, unless the flag says that the model does not run.
  void sample(const UprightFrame& frame, const RegionParams& params, Regions& regions);
  TextureRef texture() const { return {texture_.id(), GL_TEXTURE_2D, width_, height_}; }

 private:
  RegionInput(const GlApi& gl, SharedProgram program, Of of, int32_t width, int32_t height);

  const GlApi* gl_;
  SharedProgram program_;
  Of of_;
  int32_t width_, height_;
  GlTexture texture_;
  GlSampler linear_;
};

}  // namespace sightglass
