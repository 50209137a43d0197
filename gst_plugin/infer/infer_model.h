// The description of a model for decoding: the meaning of its outputs and their labels. No GL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/ssd_decoder.h"
#include "detect/yolo_decoder.h"
#include "element/model_picture.h"
#include "known_models.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass {

enum class InferTask : uint8_t {
  kAuto,            // determined from the model
  kTensors,         // no decoding
  kClassification,  // one value per class
  kDetection,       // boxes
  kLandmarks,       // points of one face or hand that fills the model input
  kPicture,         // another image, or depth
  kVector,          // numbers that describe an object, such as its looks
};
const char* to_string(InferTask task);  // "classification"
std::optional<InferTask> task_called(std::string_view name);

// Rows of the table in infer/decoder.h. kAuto: the first one that fits.
enum class DecoderKind : uint8_t {
  kAuto,
  kPostprocess,
  kAnchors,
  kScrfd,
  kYuNet,
  kRetinaFace,
  kDbFace,
  kYoloObjectness,
  kYolo,
  kYoloRanked,
  kYolox,
  kNanoDet,
  kFomo,
  kCenterNet,
  kYoloV2,
  kLandmarks,
  kPicture,
  kClasses,
  kVector,
  kTensors,
  kYoloRotated,
};

struct InferModelOptions {
  InferTask task = InferTask::kAuto;
  DecoderKind decoder = DecoderKind::kAuto;
  std::string labels_file;  // one label per line; empty: labels from the model
  std::string anchors;      // parse_anchors(); empty: those of known detectors
  InputNormalization normalization;
  // For models that output an image: color in [0,1] = scale * value + offset; unset: from the model.
  std::optional<float> output_scale, output_offset;
  bool on_objects = false;  // InferModel::on_objects
};

// A face detector with several outputs, and their indices by layer.
struct FaceModel {
  struct Outputs {
    size_t score = 0, other_score = 0, box = 0, points = 0;
  };
  FaceLayout layout;
  std::array<Outputs, kMostFaceLayers> outputs{};
};

struct InferModel {
  std::shared_ptr<const Model> model;
  PlanOptions plan_options;  // the image as a texture, all outputs as buffers
  InferTask task = InferTask::kTensors;
  DecoderKind decoder = DecoderKind::kTensors;
  std::vector<std::string> nearest;  // if nothing fits: decoders whose outputs resemble these, and why they do not fit
  int32_t width = 0, height = 0;     // of the model input, in pixels
  std::vector<std::string> labels;   // by class; may be empty
  size_t classes = 0;                // their number; 0: unknown
  std::string labels_warning;        // what does not fit; may be empty
  bool letterbox = false;            // the model requires the frame's aspect ratio

  // For detectors: raw outputs, those of TFLite_Detection_PostProcess (boxes, classes, scores, count), or YOLO.
  struct RawDetector {
    SsdLayout layout;
    size_t boxes = 0, scores = 0;  // output indices
    bool weighted = true;          // SsdChoice
  };
  std::optional<RawDetector> raw_detector;
  std::array<size_t, 4> processed{};
  std::optional<YoloModel> yolo;
  std::optional<FaceModel> faces;
  // For classifiers, landmarks and images.
  size_t output = 0;
  int32_t picture_width = 0, picture_height = 0;          // of images, in pixels
  bool own_size = false;                                  // output frames have the image size, not the frame size
  OutputActivation activation = OutputActivation::kNone;  // to apply to class scores
  // The kind of object that landmarks belong to. Decides how they are drawn, and the region that the model runs on.
  enum class Subject : uint8_t { kUnknown, kFace, kHand, kEye };
  struct PointsLayout {
    int32_t count = 0, values = 3;                        // points, values per point: x, y and z in input pixels
    int32_t count_of_output = 0;                          // points in `output`; the rest are in `further`
    std::optional<size_t> further, presence, handedness;  // output indices
    bool presence_is_logit = false, handedness_is_logit = false;
    Subject subject = Subject::kUnknown;
  } points;
  bool in_region = false;   // for landmarks: the model runs on the region that a detector found
  bool on_objects = false;  // the model runs on the objects that an upstream element found,
  int32_t images = 1;       // so many in one run
  bool numbered = false;    // the decoder of a model with masks makes Decoder::numbered_masks()
  float output_scale = 1, output_offset = 0;

  // The numbers of an output for each image. All of an image precede those of the next one.
  int64_t numbers_of(size_t i) const { return model->outputs()[i].shape.elements() / images; }
};

// `known` is the catalog entry of the model. If the model does not fit the task, fails, naming the file, its tensors
// and the expected ones.
Result<InferModel> describe_infer_model(std::shared_ptr<const Model> model, const std::optional<KnownModel>& known,
                                        const InferModelOptions& options);

// Detectors whose raw outputs are recognized by their shapes.
struct KnownDetector {
  InferModel::RawDetector detector;
  std::vector<std::string> labels;  // may be empty
  bool letterbox = true;
  float input_scale = 1, input_offset = 0;  // from samples in [0,1] to input values, unless specified elsewhere
};

// Recognizes BlazeFace, the BlazePose and palm detectors, UltraFace, SSD, EfficientDet, and SSD with a feature pyramid
// by the input size, the number of boxes, and the number of values per box. Returns nothing for other models.
std::optional<KnownDetector> find_raw_detector(const Model& model);
// The same for a detector with anchors that the application describes. Fails if they do not fit the outputs.
Result<KnownDetector> find_raw_detector(const Model& model, const std::string& anchors);

// Recognizes face detectors of this kind by the shapes of their outputs.
std::optional<FaceModel> find_faces(const Model& model, FaceKind kind);

}  // namespace sightglass
