#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "element/model_bin.h"
#include "element/model_filter.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "meta/meta_types.h"
#include "meta/persons.h"
#include "model_store.h"
#include "pose/person_finder.h"
#include "pose/pose_estimator.h"
#include "pose/pose_model.h"

#define GST_CAT_DEFAULT sightglass::pose_log()

namespace sightglass {

GstDebugCategory* pose_log() {
  static GstDebugCategory* const category = make_log_category("glpose", "pose estimation");
  return category;
}

namespace {

using S = PoseSettings;

template <typename T>
auto look(T PoseLook::*member) {
  return within(&S::look, member);
}

template <typename T>
auto style(T SkeletonStyle::*member) {
  return within(&S::look, &PoseLook::style, member);
}

Status set_person_threshold(S& settings, float score) {
  settings.person_threshold = score;
  settings.look.person_score.reset();
  if (score >= 0) settings.look.person_score = score;
  return {};
}

}  // namespace

const PropertyTable<PoseSettings>& pose_properties() {
  static const auto* const table = new PropertyTable<S>(
      kFirstOwnProperty,
      {
          row::text("detector", "Detector", &S::detector, kAtStart,
                    "Path or name of the person detector for a BlazePose landmark model (NULL = from the bundle or "
                    "directory of the model, otherwise blazepose-detector)"),
          row::flag("attach-mask", "Attach mask", &S::attach_mask, kAtStart,
                    "Whether to attach the BlazePose mask to each buffer as SightglassMaskMeta (also "
                    "GstAnalyticsSegmentationMtd with GStreamer 1.26)"),
          row::number("max-persons", "Maximum persons", look(&PoseLook::max_persons), 1, kMaxPersons, kLive,
                      "Maximum number of people to find (single-person MoveNet and heatmap models find one)"),
          row::number("person-threshold", "Person threshold", set_by(&S::person_threshold, set_person_threshold),
                      S::kUnsetScore, 1, kLive,
                      "Minimum score of a person, 0 to 1 (-1 = model default: 0.5 for BlazePose, 0.25 for YOLO, 0.2 "
                      "for others)"),
          row::number("visibility-threshold", "Visibility threshold", style(&SkeletonStyle::visibility), 0, 1, kLive,
                      "Minimum visibility for a keypoint to be drawn and count for the box of its person"),
          row::number("presence-threshold", "Presence threshold", style(&SkeletonStyle::presence), 0, 1, kLive,
                      "Minimum presence in the frame for a keypoint to be drawn and count for the box of its person"),
          row::flag("limb-limits", "Limb limits", look(&PoseLook::limb_limits), kLive,
                    "Whether to drop keypoints at the end of limbs that are too long for the body"),
          row::flag("smoothing", "Smoothing", look(&PoseLook::smoothing), kLive,
                    "Whether to smooth keypoints over time with a One-Euro filter"),
          row::number("min-cutoff", "Minimum cutoff", look(&PoseLook::min_cutoff), 0.001F, 1000, kLive,
                      "Cutoff frequency of smoothing in Hz for keypoints at rest; lower values jitter less and lag "
                      "more"),
          row::number("beta", "Beta", look(&PoseLook::beta), 0, 10000, kLive,
                      "Increase of the cutoff frequency with speed in Hz per person size per second; higher values lag "
                      "less"),
          fit_property(look(&PoseLook::fit)),
          row::flag("draw", "Draw", look(&PoseLook::draw), kLive, "Whether to draw skeletons over the frame"),
          row::number("line-width", "Line width", style(&SkeletonStyle::line_width), -1, 200, kLive,
                      "Width of skeleton lines in frame pixels (0 = none, -1 = by the frame height)"),
          row::number("point-radius", "Point radius", style(&SkeletonStyle::point_radius), -1, 200, kLive,
                      "Radius of skeleton points in frame pixels (0 = none, -1 = by the frame height)"),
          row::color("line-color", "Line color", style(&SkeletonStyle::line_color), kLive,
                     "Color of skeleton lines, ARGB (big-endian, not premultiplied; A = 0: a color for each person)"),
          row::color("point-color", "Point color", style(&SkeletonStyle::point_color), kLive,
                     "Color of skeleton points, ARGB (big-endian, not premultiplied)"),
      },
      run_properties<S>(&S::run), failure_properties<S>(&S::run), results_properties<S>(&S::results));
  return *table;
}

namespace {

// File names of published BlazePose detectors, and the catalog name of a downloaded one.
constexpr const char* kDetectorFiles[] = {"pose_detection.tflite", "blazepose_detection_224.tflite"};
constexpr const char* kDetectorName = "blazepose-detector";

Result<DescribedModel<PoseModel>> load_model(const std::string& file, const ModelSettings& settings, bool mask) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const ModelNotes notes, read_model_notes(file));
  return DescribedModel<PoseModel>::load(file, settings, [&](const SharedModel& model) -> Result<PoseModel> {
    PoseModelOptions options{.known = model.known(), .normalization = settings.normalization(), .mask = mask};
    SIGHTGLASS_RETURN_IF_ERROR(apply_notes(notes, *model.model(), options.normalization));
    SIGHTGLASS_ASSIGN_OR_RETURN(PoseModel pose, describe_pose_model(model.model(), options));
    GST_DEBUG_OBJECT(log_object(), "%s: %s, input of %dx%d", file.c_str(), to_string(pose.kind), pose.width,
                     pose.height);
    return pose;
  });
}

// The file of the detector for the landmark model in `file`. `bundled` is the one in the same bundle, if any.
Result<std::string> detector_file(const std::string& wanted, const std::string& bundled, const std::string& file) {
  if (!wanted.empty()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::string path, ModelStore().resolve(wanted));
    return task_detector(path);
  }
  if (!bundled.empty()) return bundled;
  for (const char* name : kDetectorFiles) {
    const std::filesystem::path beside = std::filesystem::path(file).parent_path() / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(beside, error)) {
      GST_DEBUG_OBJECT(log_object(), "detector: %s, in the directory of the model", beside.c_str());
      return beside.string();
    }
    GST_DEBUG_OBJECT(log_object(), "detector: %s not in the directory of the model", name);
  }
  Result<std::string> stored = ModelStore().resolve(kDetectorName);
  if (stored.ok()) {
    GST_DEBUG_OBJECT(log_object(), "detector: %s, a stored model", stored->c_str());
    return stored;
  }
  return not_found(file + ": this landmark model needs a person detector; set detector=FILE.tflite, or put " +
                   kDetectorFiles[0] + " into the directory of the model: " + stored.status().message());
}

// A model, and for BlazePose the detector before it.
class PoseModels : public LoadedModel {
 public:
  PoseModels(GstElement* element, std::shared_ptr<const PoseSettings> settings)
      : element_(element), settings_(std::move(settings)) {}

  Status load(const std::string& path);
  Result<std::unique_ptr<Effect>> create(const GlTarget& target) const override;
  std::vector<std::string> warnings() const override;

 private:
  GstElement* const element_;
  const std::shared_ptr<const PoseSettings> settings_;
  DescribedModel<PoseModel> model_, detector_;  // the second one only for BlazePose
  std::string bundle_warning_;
};

Status PoseModels::load(const std::string& path) {
  const ModelSettings& settings = settings_->model;
  SIGHTGLASS_ASSIGN_OR_RETURN(const TaskModels bundle, task_models(path, "glpose"));
  const std::string& file = bundle.model;
  bundle_warning_ = bundle.warning;
  SIGHTGLASS_ASSIGN_OR_RETURN(DescribedModel<PoseModel> model, load_model(file, settings, settings_->attach_mask));
  if (model->kind == PoseKind::kBlazePoseDetection) {
    return unsupported(
        file +
        ": this is a BlazePose detector, the first of two stages; set detector to it, and model to a landmark "
        "model");
  }
  if (settings_->attach_mask && !model->has(PoseModel::kMask)) {
    return invalid_argument(file + ": attach-mask=true needs a model with a mask output, but this is " +
                            to_string(model->kind) + "; set model to a BlazePose landmark model");
  }
  if (model->kind == PoseKind::kBlazePose) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::string first,
                                detector_file(settings_->detector.value_or(""), bundle.detector, file));
    ModelSettings own = settings;
    own.input_size.reset();
    own.signature.reset();
    SIGHTGLASS_ASSIGN_OR_RETURN(detector_, load_model(first, own, false));
    if (detector_->kind != PoseKind::kBlazePoseDetection) {
      return unsupported(first + ": this is " + to_string(detector_->kind) +
                         "; set detector to a BlazePose detector (1x2254x12 and 1x2254x1)");
    }
  }
  model_ = std::move(model);
  return {};
}

std::vector<std::string> PoseModels::warnings() const {
  std::vector<std::string> warnings;
  for (const auto* loaded : {&model_, &detector_}) loaded->add_warnings(warnings);
  if (!bundle_warning_.empty()) warnings.push_back(bundle_warning_);
  return warnings;
}

Result<std::unique_ptr<Effect>> PoseModels::create(const GlTarget& target) const {
  const FrameKind read = PoseEstimator::planned_kind(target.device, model_->kind, target.frame);
  const bool in_regions = model_->kind == PoseKind::kBlazePose;
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                              model_.plan(target, in_regions ? FrameKind::kRgba : read));
  std::unique_ptr<PersonFinder> finder;
  if (in_regions) {
    SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> detector, detector_.plan(target, FrameKind::kRgba));
    SIGHTGLASS_ASSIGN_OR_RETURN(
        finder, make_blazepose_finder(target.group, {*detector_, *model_, std::move(detector), std::move(plan)}, read));
  } else {
    SIGHTGLASS_ASSIGN_OR_RETURN(finder, make_one_stage_finder(target.group, *model_, std::move(plan)));
  }
  return PoseEstimator::create(target, element_, *model_, std::move(finder));
}

class PoseElement : public ModelElement {
 public:
  explicit PoseElement(GstElement* element)
      : ModelElement(element, std::make_unique<PropertiesOf<PoseSettings>>(pose_properties())) {}

  Result<std::shared_ptr<const LoadedModel>> load(const std::shared_ptr<const ElementSettings>& wanted) const override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::string file, model_file(wanted->model, "pose"));
    const auto models = std::make_shared<PoseModels>(element(), std::static_pointer_cast<const PoseSettings>(wanted));
    SIGHTGLASS_RETURN_IF_ERROR(models->load(file));
    return std::shared_ptr<const LoadedModel>(models);
  }
};

}  // namespace
}  // namespace sightglass

namespace {

using sightglass::PoseElement;

struct GstGLPose {
  GstGLModelFilter parent;
};
struct GstGLPoseClass {
  GstGLModelFilterClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLPose, gst_gl_pose, gst_gl_model_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(glpose, "glpose", GST_RANK_NONE, gst_gl_pose_get_type())

static void gst_gl_pose_init(GstGLPose* self) {
  sightglass::model_filter_set_element(self, std::make_unique<PoseElement>(GST_ELEMENT(self)));
}

static void gst_gl_pose_class_init(GstGLPoseClass* klass) {
  klass->parent_class.log = sightglass::pose_log();
  sightglass::mask_meta_info();
  sightglass::results_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::install_model_properties(object_class);
  sightglass::pose_properties().install(object_class);
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "OpenGL pose estimation",
                                        "Filter/Analyzer/Effect/Video",
                                        "Finds and draws keypoints of people with a TensorFlow Lite model in the GL "
                                        "context of the pipeline: BlazePose, MoveNet, PoseNet, YOLO, SimCC or heatmaps",
                                        SIGHTGLASS_AUTHOR);
}

namespace {

struct GstGLPoseBin {
  GstGLModelBin parent;
};
struct GstGLPoseBinClass {
  GstGLModelBinClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLPoseBin, gst_gl_pose_bin, gst_gl_model_bin_get_type())
GST_ELEMENT_REGISTER_DEFINE(glposebin, "glposebin", GST_RANK_NONE, gst_gl_pose_bin_get_type())

static void gst_gl_pose_bin_init(GstGLPoseBin* self) { sightglass::model_bin_build(self, "glpose", "pose"); }

static void gst_gl_pose_bin_class_init(GstGLPoseBinClass* klass) {
  klass->parent_class.log = sightglass::make_log_category("glposebin", "glpose with upload and download");
  sightglass::model_bin_pass_properties(G_OBJECT_CLASS(klass));
  sightglass::pose_properties().install(G_OBJECT_CLASS(klass));
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenGL pose estimation with upload and download", "Filter/Analyzer/Effect/Video",
      "glpose with upload (DMABUFs without a copy), color conversion, and download if downstream "
      "needs it",
      SIGHTGLASS_AUTHOR);
}
