// The work of glsegment on textures of OBS: model, mask, and composite.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "element/model_processor.h"
#include "property_page.h"
#include "segment/compositing_processor.h"
#include "segment/mask_model.h"
#include "segment/segmenter.h"
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
class SegmentPass : public ModelProcessor {
 public:
  // Loads the model, and compiles and uploads everything.
  static Result<std::unique_ptr<SegmentPass>> create(const FilterSettings& settings);
  ~SegmentPass() override;

  // The settings of the next frames. Values that are read at start keep those of create().
  void set(const SegmentSettings& settings) { scene_.settings = settings; }
  // Draws the frame in the texture `frame` into the texture `output`. Both have width × height pixels and the first row
  // at the top. Issues GL commands only: never waits for the GPU, and transfers no pixels except those of a new
  // background image. If it fails, do not show `output`.
  Status draw(GLuint frame, GLuint output, int32_t width, int32_t height);
  // Why the last frame was drawn according to on-failure, or without its background image; ok if it was not.
  const Status& problem() const { return problem_; }

 private:
  SegmentPass(const GlTarget& target, const FilterSettings& settings, const MaskDefaults& defaults,
              std::unique_ptr<Segmenter> segmenter);
  RunSettings run_settings() const override { return scene_.settings.run; }
  Status resize_model(const FrameSize& size) override;
  void update_picture();

  const std::shared_ptr<ShareGroup> group_;
  const int32_t largest_picture_;
  const MaskDefaults defaults_;
  std::unique_ptr<Segmenter> segmenter_;
  SegmentRuntime::Scene scene_;
  ScenePicture picture_;
  std::optional<std::string> picture_location_;  // of the image in the scene, or of the one that failed to load
  Status picture_status_, problem_;
  int32_t width_ = 0, height_ = 0;
  uint64_t frames_ = 0;
};

}  // namespace sightglass::obs
