// A model seen as something to be decoded: what its outputs mean, and what they are called. No GL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/model_picture.h"
#include "detect/ssd_decoder.h"
#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "known_models.h"

namespace sightglass {

enum class InferTask : uint8_t {
  kAuto,            // by the model
  kTensors,         // nothing is decoded
  kClassification,  // numbers, one a class
  kDetection,       // boxes
  kLandmarks,       // points of one face or hand that fills the model's input
  kPicture,         // another picture, or depth
};
const char* to_string(InferTask task);  // "classification"

struct InferModelOptions {
  InferTask task = InferTask::kAuto;
  std::string labels_file;  // one label a line; empty: those that the model carries
  InputNormalisation normalisation;
  // Of models that give a picture: colour in [0,1] = scale * number + offset; unset: by the model.
  std::optional<float> output_scale, output_offset;
};

struct InferModel {
  std::shared_ptr<const Model> model;
  PlanOptions plan_options;  // the picture as a texture, all outputs as buffers
  InferTask task = InferTask::kTensors;
  int32_t width = 0, height = 0;    // of the model's input, in pixels
  std::vector<std::string> labels;  // by class; may be none
  bool letterbox = false;           // the model wants the frame's own proportions

  // Of detectors: their raw outputs, or those of TFLite_Detection_PostProcess (boxes, classes, scores, number).
  struct RawDetector {
    SsdLayout layout;
    size_t boxes = 0, scores = 0;  // outputs
    bool weighted = true;          // SsdChoice
  };
  std::optional<RawDetector> raw_detector;
  std::array<size_t, 4> processed{};
  // Of classifiers, landmarks and pictures.
  size_t output = 0;
  int32_t picture_width = 0, picture_height = 0;          // of pictures, in pixels
  bool own_size = false;                                  // pictures are shown pixel by pixel; otherwise over the frame
  OutputActivation activation = OutputActivation::kNone;  // of classes: still to be applied
  // What landmarks are of; by this, what is drawn, and where in the frame the model looks.
  enum class Subject : uint8_t { kUnknown, kFace, kHand, kEye };
  struct PointsLayout {
    int32_t count = 0, values = 3;                        // points, numbers to each: x, y and z in pixels of the input
    int32_t count_of_output = 0;                          // of these, in `output`; the others are in `further`
    std::optional<size_t> further, presence, handedness;  // outputs
    bool presence_is_logit = false, handedness_is_logit = false;
    Subject subject = Subject::kUnknown;
  } points;
  bool in_region = false;  // the model's input is where a detector has found something; for landmarks
  float output_scale = 1, output_offset = 0;
};

// `known`: the published model that it is. Fails, naming the file, the tensor and what is needed, when the model is not
// fit for the task.
Result<InferModel> describe_infer_model(std::shared_ptr<const Model> model, const std::optional<KnownModel>& known,
                                        const InferModelOptions& options);

}  // namespace sightglass
