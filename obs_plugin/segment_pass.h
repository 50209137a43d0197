// The work of glsegment on textures of OBS: model, mask, and composite.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "element/effect_runner.h"
#include "segment/picture.h"
#include "segment/segmenter.h"
#include "segment_filter.h"
#include "sightglass/device.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass::obs {

// The GL context of OBS.
struct GlDevice {
  DeviceInfo info;
  std::shared_ptr<ShareGroup> group;  // of all filters
};

// Requires the graphics context to be current. The first filter determines the program cache directory, `cache_folder`
// (empty = none). Fails if OBS does not draw with OpenGL, or if the engine does not support the context.
Result<GlDevice> gl_device(const std::string& cache_folder);

// Every call, the destructor included, requires the graphics context of OBS to be current, and restores its GL state.
class SegmentPass {
 public:
  // Loads the model, and compiles and uploads everything.
  static Result<std::unique_ptr<SegmentPass>> create(const FilterSettings& settings);
  ~SegmentPass();

  // The settings of the next frames. Values that are read at start keep those of create().
  void set(SegmentSettings settings);
  // The next frame is from another scene.
  void forget() { runner_->forget(); }
  // Draws the frame in the texture `frame` into the texture `output`. Both have width × height pixels and the first row
  // at the top. Issues GL commands only: never waits for the GPU, and transfers no pixels except those of a new
  // background image. If it fails, do not show `output`.
  // `time` is that of the frame in nanoseconds; unset: a thirtieth of a second after the previous one.
  Status draw(GLuint frame, GLuint output, int32_t width, int32_t height, uint64_t time = GST_CLOCK_TIME_NONE);
  // Why the last frame was drawn according to on-failure, or without its background image; ok if it was not.
  const Status& problem() const { return problem_; }

 private:
  SegmentPass(const GlDevice& device, std::unique_ptr<EffectRunner> runner)
      : group_(device.group), largest_picture_(device.info.limits.max_texture_size), runner_(std::move(runner)) {}

  const std::shared_ptr<ShareGroup> group_;
  const int32_t largest_picture_;
  std::unique_ptr<EffectRunner> runner_;
  std::shared_ptr<const SegmentSettings> settings_;
  std::shared_ptr<const Picture> picture_;
  std::optional<std::string> picture_location_;  // of picture_, or of the one that failed to load
  Status picture_status_, problem_;
  FrameSize size_;
  uint64_t frames_ = 0;
};

}  // namespace sightglass::obs
