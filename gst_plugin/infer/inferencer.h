// glinfer on one GL context: its settings, and the effect that runs a model, decodes its outputs and draws the results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detect/regions.h"
#include "draw/overlay_painter.h"
#include "element/effect.h"
#include "element/element_settings.h"
#include "element/loaded_model.h"
#include "element/model_pace.h"
#include "gl/frame_reader.h"
#include "gobject/properties.h"
#include "infer/blendshapes.h"
#include "infer/decoder.h"
#include "infer/infer_model.h"
#include "infer/object_regions.h"
#include "meta/meta_types.h"
#include "sightglass/device.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"

namespace sightglass {

// Which part of the frame the model runs on.
enum class RegionSource : uint8_t { kFrame, kUpstream };

// Size of output frames that show an image output by the model.
enum class OutputSize : uint8_t { kFrame, kModel };

struct InferSettings : ElementSettings {
  // Read when the element starts.
  InferTask task = InferTask::kAuto;
  DecoderKind decoder = DecoderKind::kAuto;
  std::optional<std::string> anchors, labels, extra_inputs, detector;
  std::optional<double> output_scale, output_offset;  // unset: from the model
  bool attach_tensors = false, attach_mask = false;
  OutputSize output_size = OutputSize::kFrame;
  RegionSource regions = RegionSource::kFrame;
  // Live.
  static constexpr int32_t kUsualResults = 10;
  std::optional<int32_t> max_results;  // unset: kUsualResults, or one face or hand, or one class of an object
  static constexpr float kUsualOverlap = 0.3F;
  std::optional<float> iou_threshold;  // unset: this, or kYoloOverlap
  InferLook look;                      // its max_results and iou_threshold follow from those above
  std::optional<Fit> fit;              // unset: chosen for the model
  ObjectChoice objects;                // its fit and classes follow from others
  std::optional<std::string> region_classes;
};

const PropertyTable<InferSettings>& infer_properties();

class ObjectAttachment;
class TensorAttachment;

// The result of a run is that of the decoder.
class Inferencer : public Effect {
 public:
  // The detector that finds the region of the model, and its plan for the same kind of frames.
  struct Detector {
    const InferModel& model;
    std::shared_ptr<const Plan> plan;
  };
  // The kind of frames to plan models for, if incoming frames are of `kind`.
  static FrameKind planned_kind(const DeviceInfo& device, const InferModel& model, FrameKind kind) {
    return FrameReader::planned_kind(device, kind, life_of_frames(model.in_region || model.on_objects));
  }
  // Compiles and uploads everything that the group does not have yet, so that drawing does not. `plan` is that of
  // `model` for planned_kind(). Inputs other than the image are zeros. If the model runs on a region
  // (InferModel::in_region), a detector is required, and the model runs only when that finds one. Then `blendshapes`
  // may be the plan of a BlendshapeModel, which runs after it.
  static Result<std::unique_ptr<Inferencer>> create(const GlTarget& target, std::shared_ptr<const Plan> plan,
                                                    const InferModel& model,
                                                    const std::optional<Detector>& detector = std::nullopt,
                                                    std::shared_ptr<const Plan> blendshapes = nullptr);
  ~Inferencer() override;

  // Frames then have this size, or the size of the model's image (InferModel::own_size), which shows the frame region
  // of the model input. Rasterizes text for the current look; frames do that only if their text height differs.
  Status resize(const FrameSize& size, const ElementSettings& settings) override;
  void forget() override;
  Status prepare(FrameJob& job) override;
  size_t stages() const override;
  Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) override;
  Status end_stage(size_t stage) override;
  Status draw(const UprightFrame& frame, GLuint output, Shown shown) override;
  Result<std::optional<ShownMask>> attach(const FrameJob& job) override;

  // The objects that the model runs on, if InferModel::on_objects: a buffer of Detections.
  struct FoundObjects {
    BufferRange buffer;              // none: no objects
    AttachedObjects::Labels labels;  // null: no names
    uint64_t source = 0;             // AttachedObjects::source()
    SharedObjects held;              // keeps the buffer
  };
  // Those of the next run; frames of a pipeline set them.
  void set_objects(FoundObjects objects) { objects_->next = std::move(objects); }

  // Attaches the outputs to frames from now on.
  void attach_tensors();
  // Sets the content of an input other than the image: tightly packed, row-major, of the input's type.
  Status write_input(size_t input, std::span<const std::byte> bytes) { return session_->write_input(input, bytes); }

  // The values of an output (Session::output_buffer()).
  Result<BufferRange> tensor(size_t output) const { return session_->output_buffer(output); }

 private:
  Inferencer(const GlTarget& target, const InferModel& model);
  void set_look(const InferSettings& settings);
  // The model reads regions of the frame one after another.
  static FrameLife life_of_frames(bool in_regions) { return in_regions ? FrameLife::kKept : FrameLife::kOneFrame; }
  Status create_sessions(std::shared_ptr<const Plan> plan, const InferModel& model,
                         const std::optional<Detector>& detector);
  size_t stages_per_region() const { return runs_blendshapes_ ? 2 : 1; }
  // The stages of a region are the model, then the blendshapes.
  bool is_blendshapes(size_t stage) const { return runs_blendshapes_ && stage > 0 && stage % 2 == 0; }
  Result<ModelStage> begin_detector(const UprightFrame& frame);
  Result<ModelStage> begin_in_region(const UprightFrame& frame);
  Status end_detector();
  Status end_in_region();
  Status take_objects(GstBuffer* input);
  Status choose_classes();
  Status begin_objects(const UprightFrame& frame);
  Result<ModelStage> begin_on_object(size_t stage, const UprightFrame& frame);
  Status end_on_object(size_t stage);
  Status draw_objects(GLuint output);
  // The output as a drawing target, with its size.
  TextureRef target(GLuint output) const;
  Status draw_frame(const UprightFrame& frame, GLuint output, const InputTransform& input_to_upright);

  const InferModel model_;
  std::unique_ptr<Session> session_;
  struct FirstStage {
    std::unique_ptr<Session> session;
    std::unique_ptr<Decoder> decoder;
    Regions regions;
    RegionRule rule;                // from detections to regions
    int32_t width = 0, height = 0;  // of the detector input
    RegionParams params;            // of the current run
    bool is_new = true;             // the frame of the next run is unrelated to the previous one
  };
  std::optional<FirstStage> first_;  // if the model runs on a region
  struct Objects {
    explicit Objects(ObjectRegions made) : regions(std::move(made)) {}
    ObjectRegions regions;
    FoundObjects next, current;  // of the newest frame, and of the current run
    ObjectChoice choice;
    std::optional<std::string> classes;             // names or numbers
    std::optional<std::string> chosen_from;         // the names for which choice.classes was made,
    AttachedObjects::Labels chosen_among, painted;  // and the labels, and those of the painter
    std::optional<ObjectPainter> painter;
    bool is_new = true, told_of_none = false;
  };
  std::optional<Objects> objects_;                      // if the model runs on objects from upstream
  std::unique_ptr<ObjectAttachment> attached_objects_;  // if an element downstream wants them
  GstGLContext* const context_;                         // null outside of pipelines
  std::unique_ptr<Blendshapes> blendshapes_;            // may be null
  std::unique_ptr<Decoder> decoder_;                    // null: no decoding
  std::optional<FramePainter> frames_;                  // draws frames
  std::optional<FramePainter> pictures_;                // draws images output by the model
  std::optional<MaskPainter> masks_;                    // if the decoder makes masks
  std::unique_ptr<OverlayPainter> overlay_;
  std::unique_ptr<TensorAttachment> tensors_;  // null: they are not attached
  FrameSize size_;                             // of upright frames
  InputTransform input_to_upright_;            // of the last run
  InputTransform next_input_to_upright_;       // of the current run; for the detector in its stage
  RunClock clock_;                             // while objects are tracked
  InferLook look_;
  Fit fit_ = Fit::kStretch;
  // Of the current run:
  int32_t regions_wanted_ = 1;
  bool runs_blendshapes_ = false;
};

// What a model says of each object. Fails if it says nothing that fits objects.
Result<ObjectRegions::Layout> layout_of_objects(const InferModel& model);

// Returns objects or classifications from the bytes of Detections or LandmarkObjects, depending on the model task.
// Skips landmarks with a score below `threshold`.
InferenceResults infer_results(const InferModel& model, std::span<const std::byte> bytes, float threshold,
                               const FrameStamp& frame);

}  // namespace sightglass
