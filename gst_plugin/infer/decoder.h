// Decodes model outputs to results in a buffer and to primitives that show them, all on the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detect/regions.h"
#include "draw/label_table.h"
#include "draw/overlay_painter.h"
#include "infer/infer_model.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

enum class ColorMap : uint8_t { kGray, kTurbo };

// Options that may change with every frame.
struct InferLook {
  bool draw = true;            // results over the frame
  float threshold = 0.5f;      // minimum score of a result
  float iou_threshold = 0.3f;  // for detectors with suppression here: boxes that overlap by more are merged
  int32_t max_results = 10;    // 1 to kMaxDetections
  bool tracking = false;       // whether to identify the objects of detectors across frames
  float line_width = 0;        // frame pixels; 0: by the frame height
  float text_height = 0;       // of a line of text, in frame pixels; 0: by the frame height
  ColorMap color_map = ColorMap::kTurbo;
  bool invert = false;           // whether to reverse the color map
  float range_smoothing = 0.9f;  // weight of the previous value range of the color map
  bool blendshapes = false;      // whether to compute those of faces, if the model is there
  bool operator==(const InferLook&) const = default;
};

// The regions of a frame: Regions::state(), the frame size in pixels, and the maximum number of regions.
struct RegionView {
  BufferRange state;
  float width = 0, height = 0;
  int32_t most = 1;
};

// All calls, including the destructor, need the context current and leave GL state as the engine's sessions do
// (sightglass/session.h). They never wait or read back.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Call before a run for frames with this look: makes what it needs and was not needed before. `seconds` have passed
  // since the previous run; below 0: its frame was unrelated.
  virtual Status prepare(const InferLook& /*look*/, float /*seconds*/) { return {}; }
  // Call after a run whose outputs were all planned as buffers. `to_upright` maps model input coordinates to the
  // upright frame.
  virtual Status decode(const Session& session, const InputTransform& to_upright, const InferLook& look) = 0;
  // Detections (detect/detections.h) or LandmarkObjects (infer/landmarks.h), depending on the model task; no buffer for
  // other tasks. The same buffer until prepare().
  virtual BufferRange results() const { return {}; }
  // The primitives that show the results of the last decode() over a frame of that size in pixels; may be empty. Can be
  // called before decode() to prepare for this size.
  virtual PrimitiveRange primitives(int32_t /*width*/, int32_t /*height*/, const InferLook& /*look*/) { return {}; }
  // An image that covers the whole model input, to show instead of the frame; no texture if there is none. Always the
  // same texture.
  virtual TextureRef picture() const { return {}; }
  // Masks to blend over the frame under the primitives, which cover the whole model input (draw/overlay_painter.h); no
  // texture if there are none. Always the same texture.
  virtual TextureRef masks() const { return {}; }
  // With InferModel::numbered: the same masks as YoloMasks::Shows::kNumbers, with the numbers of results().
  virtual TextureRef numbered_masks() const { return {}; }
  // For models that take several images in one run (InferModel::images): call before decode(), which then decodes what
  // the model says of this one.
  virtual void set_image(int32_t /*image*/) {}
  // For models that run on regions of the frame (InferModel::in_region), one after another: call before decode(), which
  // then decodes the landmarks of the current region and ignores `to_upright`.
  virtual void set_region(const RegionView& /*region*/) {}
  // The landmarks of that region and of the previous ones of the frame, before finish_regions(). Always the same
  // buffer.
  virtual BufferRange unfinished_results() const { return {}; }
  // Call after the last region of a frame: publishes the decoded landmarks as results.
  virtual void finish_regions() {}
  // The next frame is unrelated to the previous ones.
  virtual void forget() {}
};

// The decoders of glinfer, a row each (infer/decoder_table.cpp). The choice with task=auto, the values of the property
// `decoder`, and the list of decoders in docs/elements/glinfer.md follow from these rows.

// Why a decoder does not fit a model.
struct Decline {
  std::string reason;
  bool is_near = false;  // the outputs resemble those that it expects
};

struct DecoderRow {
  DecoderKind kind;
  const char* name;  // value of the property
  InferTask task;
  const char* meaning;  // kind of objects, models, and the shapes of their outputs
  const char* kernels;  // shaders, for the log
  // Completes the description of a model, or declines. Without a choice of the application, only models that show that
  // they are of this kind are accepted.
  std::optional<Decline> (*describe)(InferModel& result, const InferModelOptions& options);
  Result<std::unique_ptr<Decoder>> (*make)(const std::shared_ptr<ShareGroup>& group, const InferModel& model);
};

// In the order in which they are tried.
std::span<const DecoderRow> decoder_rows();
const DecoderRow& row_of(DecoderKind kind);  // not kAuto

// Completes options that are not set with what the file next to the model says.
Status apply_notes(const ModelNotes& notes, const Model& model, InferModelOptions& options);

// Sets the decoder that the options name, or the first one that fits, and completes the description. If none fits a
// model, fails, naming the file, its tensors and the expected ones.
Status choose_decoder(InferModel& result, const InferModelOptions& options);

// The labels to draw: classes without a name show their number.
std::vector<std::string> drawn_labels(const InferModel& model);

// Creates the decoder of the model; null if there is nothing to decode (DecoderKind::kTensors). Compiles the programs
// that the share group does not have yet.
Result<std::unique_ptr<Decoder>> make_decoder(const std::shared_ptr<ShareGroup>& group, const InferModel& model);
// Decoders by task.
Result<std::unique_ptr<Decoder>> make_detection_decoder(const std::shared_ptr<ShareGroup>& group,
                                                        const InferModel& model);
Result<std::unique_ptr<Decoder>> make_class_decoder(const std::shared_ptr<ShareGroup>& group, const InferModel& model);
Result<std::unique_ptr<Decoder>> make_landmark_decoder(const std::shared_ptr<ShareGroup>& group,
                                                       const InferModel& model);
Result<std::unique_ptr<Decoder>> make_picture_decoder(const std::shared_ptr<ShareGroup>& group,
                                                      const InferModel& model);

// Effective line width and text height in pixels for a frame of that height; chosen here if they are 0 in the look.
inline float line_width_in(int32_t height, const InferLook& look) {
  return look.line_width > 0 ? look.line_width : std::max(1.5f, static_cast<float>(height) / 360);
}
inline float text_height_in(int32_t height, const InferLook& look) {
  return look.text_height > 0 ? look.text_height : std::max(16.0f, static_cast<float>(height) / 24);
}

// The rows of the transform in the layout that the shaders in shaders/infer use.
inline std::array<float, 8> place_rows(const InputTransform& t) {
  return {t.m[0], t.m[1], t.m[2], 0, t.m[3], t.m[4], t.m[5], 0};
}

// Landmarks of faces, hands or eyes, in regions of the frame or in the whole frame.

// The region of the frame that a landmark model runs on: around a face, hand or eye, from a detection in the first
// frame and from its landmarks in the next ones.

// From a detection: the MediaPipe rules for face and palm detectors. Eyes are keypoints of BlazeFace.
RegionRule first_region_rule(InferModel::Subject subject);

// From landmarks.
struct NextRegionRule {
  RegionRule square;
  int32_t landmarks = -1;  // landmarks that the box encloses: bit n for landmark n, -1 for all
};
NextRegionRule next_region_rule(InferModel::Subject subject);

}  // namespace sightglass
