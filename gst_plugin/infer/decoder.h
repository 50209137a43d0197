// What becomes of a model's outputs: results in a buffer, and what is drawn of them. All on the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "draw/label_table.h"
#include "draw/overlay_painter.h"
#include "gpu_engine/input_transform.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "infer/infer_model.h"

namespace sightglass {

enum class ColorMap : uint8_t { kGray, kTurbo };

// What may change from frame to frame.
struct InferLook {
  bool draw = true;            // results over the frame
  float threshold = 0.5f;      // least score of what counts
  float iou_threshold = 0.3f;  // of detectors that suppress here: boxes that overlap by more are one
  int32_t max_results = 10;    // 1 to kMaxDetections
  float line_width = 0;        // pixels of the frame; 0: by its height
  float text_height = 0;       // of a line of text, in pixels of the frame; 0: by its height
  ColorMap color_map = ColorMap::kTurbo;
  bool invert = false;           // of the colour map
  float range_smoothing = 0.9f;  // share of the range before in the range that a colour map is spread over
  bool operator==(const InferLook&) const = default;
};

// The regions of a frame: Regions::state(), the frame's size in pixels, and how many regions there are at most.
struct RegionView {
  BufferRange state;
  float width = 0, height = 0;
  int32_t most = 1;
};

// All calls, the destructor included, need the context current. GL state after every call is as the engine's sessions
// leave it (gpu_engine/session.h). Nothing waits, and nothing is read back.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // After a run, all outputs of which were planned as buffers; `to_upright` takes places of the model's input to the
  // upright frame.
  virtual Status decode(const Session& session, const InputTransform& to_upright, const InferLook& look) = 0;
  // Detections (detect/detections.h) or LandmarkObjects (infer/landmarks.h), by the model's task; none: no buffer. The
  // same one every time.
  virtual BufferRange results() const { return {}; }
  // What shows the results of the last decode() over a frame of that many pixels; nothing where there is nothing to
  // show. May be called before decode(), to make what this size needs.
  virtual PrimitiveRange primitives(int32_t /*width*/, int32_t /*height*/, const InferLook& /*look*/) { return {}; }
  // A picture in place of the frame, covering all of the model's input; none: no texture. The same one every time.
  virtual TextureRef picture() const { return {}; }
  // Of models that see regions of the frame (InferModel::in_region), one after the other. Before decode(), which then
  // decodes what the model has found in the region in turn; its `to_upright` does not matter.
  virtual void set_region(const RegionView& /*region*/) {}
  // After the last region of a frame: what was decoded becomes the results.
  virtual void finish_regions() {}
  // What comes next has nothing to do with what was.
  virtual void forget() {}
};

// For the model's task; null where there is nothing to decode (InferTask::kTensors). Compiles what no other holder in
// the group has compiled yet.
Result<std::unique_ptr<Decoder>> make_decoder(const std::shared_ptr<ShareGroup>& group, const InferModel& model);
// By task.
Result<std::unique_ptr<Decoder>> make_detection_decoder(const std::shared_ptr<ShareGroup>& group,
                                                        const InferModel& model);
Result<std::unique_ptr<Decoder>> make_class_decoder(const std::shared_ptr<ShareGroup>& group, const InferModel& model);
Result<std::unique_ptr<Decoder>> make_landmark_decoder(const std::shared_ptr<ShareGroup>& group,
                                                       const InferModel& model);
Result<std::unique_ptr<Decoder>> make_picture_decoder(const std::shared_ptr<ShareGroup>& group,
                                                      const InferModel& model);

// Of lines and text in frames of that height, in pixels, where the look leaves them to us.
inline float line_width_in(int32_t height, const InferLook& look) {
  return look.line_width > 0 ? look.line_width : std::max(1.5f, static_cast<float>(height) / 360);
}
inline float text_height_in(int32_t height, const InferLook& look) {
  return look.text_height > 0 ? look.text_height : std::max(16.0f, static_cast<float>(height) / 24);
}

// The rows of the map, as shaders of this folder take them.
inline std::array<float, 8> place_rows(const InputTransform& t) {
  return {t.m[0], t.m[1], t.m[2], 0, t.m[3], t.m[4], t.m[5], 0};
}

}  // namespace sightglass
