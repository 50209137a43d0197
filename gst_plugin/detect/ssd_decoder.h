// Decodes single-shot detectors on the GPU: raw boxes and scores, counted from anchors, become a short list of
// detections. Serves BlazeFace, BlazePose's and the palm's detectors, and SSD models without an operator for it.
#pragma once

#include <memory>
#include <vector>

#include "detect/anchors.h"
#include "detect/detections.h"
#include "gl/uniform_block.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"

namespace sightglass {

// What the outputs consist of. A box is: middle x, middle y, width, height (`y_first`: y, x, height, width), then
// points, x and y first, each number in units of the input's size / scale, from the anchor's middle:
//   x = number / x_scale * anchor.width + anchor.x      width = number / width_scale * anchor.width
// or, with exponential_sizes, width = exp(number / width_scale) * anchor.width.
struct SsdLayout {
  std::vector<Anchor> anchors;  // one a box
  int32_t values = 4;           // numbers to a box
  int32_t points = 0;           // at most kMaxDetectionPoints
  int32_t first_point = 4;      // number where the first one begins
  int32_t point_values = 2;     // numbers to a point
  int32_t classes = 1;          // scores to a box
  int32_t background = 0;       // so many of the first classes stand for nothing
  bool logits = true;           // scores are to go through the logistic function
  float logit_limit = 100;      // clipped to ± this before
  float x_scale = 1, y_scale = 1, width_scale = 1, height_scale = 1;
  bool exponential_sizes = false;
  bool y_first = false;
};

// What counts as a detection.
struct SsdChoice {
  float threshold = 0.5f;      // least score
  float iou_threshold = 0.3f;  // boxes that overlap by more (intersection over union) are one
  bool weighted = true;        // results are averages of the boxes that are one, as MediaPipe's are; else the best ones
  int32_t most = kMaxDetections;
};

class SsdDecoder {
 public:
  static constexpr int32_t kMostBoxes = 8192;

  // Compiles what no other holder in the group has compiled yet. Fails where the layout is not one that fits. The
  // context must be current, here, for every call, and for destruction.
  static Result<std::unique_ptr<SsdDecoder>> create(std::shared_ptr<ShareGroup> group, SsdLayout layout);

  // Two dispatches, no wait, readback or upload (but for changed parameters). `boxes` and `scores` are outputs of one
  // session (Session::output_buffer()); `to_upright` takes places of the model's input to the upright frame. What
  // compute shaders read of detections() afterwards is there; so is what GL copies. GL state afterwards is as sessions
  // leave it.
  Status decode(const BufferRange& boxes, const BufferRange& scores, const InputTransform& to_upright,
                const SsdChoice& choice = {});
  // A buffer with Detections (detections.h), best first; zeros at first. The same one every time.
  GLuint detections() const { return detections_.id(); }

 private:
  // The uniform block Ssd of shaders/detect/ssd_block.glsl.
  struct Block {
    std::array<int32_t, 4> boxes{}, classes{}, layout{};
    std::array<float, 4> scales{}, limits{};
    std::array<float, 8> place{};
    bool operator==(const Block&) const = default;
  };

  SsdDecoder(std::shared_ptr<ShareGroup> group, SsdLayout layout);
  GLsizeiptr anchors_bytes() const { return static_cast<GLsizeiptr>(layout_.anchors.size() * sizeof(Anchor)); }
  GLsizeiptr best_bytes() const { return static_cast<GLsizeiptr>(layout_.anchors.size() * 2 * sizeof(float)); }

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  SsdLayout layout_;
  std::vector<SharedProgram> programs_;  // best class, suppression
  UniformBlock<Block> block_;
  GlBuffer anchors_, best_, detections_;
};

}  // namespace sightglass
