#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "detect/regions.h"
#include "detect/ssd_decoder.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gobject/log.h"
#include "meta/persons.h"
#include "pose/person_finder.h"
#include "pose/shaders.h"

#define GST_CAT_DEFAULT sightglass::pose_log()

namespace sightglass {

namespace {

using Role = PoseModel::Role;

// The anchors of MediaPipe pose detection: 2254 for 224 pixels.
SsdLayout detector_layout(const PoseModel& model) {
  SsdLayout layout;
  layout.anchors = make_anchors({.input_width = model.width,
                                 .input_height = model.height,
                                 .strides = {8, 16, 32, 32, 32},
                                 .aspect_ratios = {1},
                                 .interpolated_aspect_ratio = 1,
                                 .least_scale = 0.1484375F,
                                 .greatest_scale = 0.75F,
                                 .unit_sizes = true,
                                 .three_in_lowest_layer = false});
  layout.values = 12;
  layout.points = 4;  // hip center, body size and direction; the same two for the upper body
  layout.x_scale = layout.width_scale = static_cast<float>(model.width);
  layout.y_scale = layout.height_scale = static_cast<float>(model.height);
  return layout;
}

struct Refinement {  // of shaders/pose/refine_landmarks.comp
  std::array<int32_t, 4> grid{};
  std::array<float, 4> pixels{};
  bool operator==(const Refinement&) const = default;
};

enum Program : size_t { kRefine, kLandmarks, kProjectMask };
const std::array<ProgramKey, 3> kKeys{{{kRefineLandmarksShader}, {kLandmarksShader}, {kProjectMaskShader}}};

// From the hip center up through the point that defines the size of the person (MediaPipe's pose_detection_to_roi).
// People side by side are closer than the side of their squares.
constexpr RegionRule kAroundHips{.from = 0,
                                 .to = 1,
                                 .direction = -std::numbers::pi_v<float> / 2,
                                 .around_point = true,
                                 .scale = 2.5F,
                                 .same = 0.15F,
                                 .head_up = 0.33F,
                                 .head_radius = 0.07F,
                                 .sure = 0.65F};
static_assert(kMaxPersons <= kMaxRegions);

class BlazePoseFinder : public PersonFinder {
 public:
  BlazePoseFinder(const std::shared_ptr<ShareGroup>& group, BlazePosePlans plans, std::unique_ptr<Session> detector,
                  std::unique_ptr<Session> landmarks, std::unique_ptr<SsdDecoder> decoder, Regions regions,
                  RegionInput detector_input, RegionInput landmarks_input, std::vector<SharedProgram> programs)
      : group_(group),
        gl_(group->gl()),
        plans_(std::move(plans)),
        detector_(std::move(detector)),
        landmarks_(std::move(landmarks)),
        decoder_(std::move(decoder)),
        programs_(std::move(programs)),
        regions_(std::move(regions)),
        detector_input_(std::move(detector_input)),
        landmarks_input_(std::move(landmarks_input)),
        refinement_(gl_) {
    refined_ = make_storage(gl_, kLandmarkBytes);
    if (plans_.landmarks_model.has(Role::kMask)) {
      mask_ = make_texture(gl_, GL_R32F, kMaskSize, kMaskSize);
      next_mask_ = make_texture(gl_, GL_R32F, kMaskSize, kMaskSize);
      sampler_ = make_sampler(gl_, GL_LINEAR);
    }
  }

  // The detector, then one region after another in the same session. For an empty region, none of its steps runs.
  size_t stages() const override { return 1 + static_cast<size_t>(options().max_persons); }
  Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) override {
    return stage == 0 ? begin_detector(frame) : begin_region(frame);
  }
  Status end_stage(size_t stage) override {
    if (stage == 0) return end_detector();
    SIGHTGLASS_RETURN_IF_ERROR(end_region());
    if (stage + 1 == stages()) std::swap(mask_, next_mask_);
    return {};
  }
  BufferRange found() const override { return regions_.results(); }
  TextureRef mask() const override {
    return mask_ ? TextureRef{mask_.id(), GL_TEXTURE_2D, kMaskSize, kMaskSize} : TextureRef();
  }

 private:
  static constexpr size_t kDetectorModel = 0, kLandmarksModel = 1;
  static constexpr int32_t kMaskSize = 384;  // of the frame mask; region masks have 256 x 256 pixels
  static constexpr GLsizeiptr kLandmarkBytes = GLsizeiptr{5} * 39 * sizeof(float);

  void run(Program program, std::initializer_list<BufferRange> storage) {
    regions_.run(programs_[program]->id(), params_, storage);
  }

  Result<ModelStage> begin_detector(const UprightFrame& frame) {
    RegionOptions looking = region_options(options());
    looking.looks = true;
    params_ = region_params(frame, looking, plans_.landmarks_model.width, plans_.landmarks_model.height, kAroundHips);
    regions_.begin(params_);
    regions_.look(frame, params_);
    detector_input_.sample(frame, params_, regions_);
    SIGHTGLASS_RETURN_IF_ERROR(detector_->set_input_texture(0, detector_input_.texture()));
    return ModelStage{detector_.get(), regions_.detector_runs(), kDetectorModel};
  }

  Status end_detector() {
    GST_TRACE_OBJECT(log_object(), "pass: decoding detections, adding regions for new people");
    const PoseModel& model = plans_.detector_model;
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange boxes, detector_->output_buffer(model.outputs[Role::kBoxes]));
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange scores, detector_->output_buffer(model.outputs[Role::kScore]));
    SIGHTGLASS_RETURN_IF_ERROR(
        decoder_->decode(boxes, scores, {}, {.threshold = 0.5F, .iou_threshold = 0.3F, .weighted = true}));
    regions_.add({decoder_->detections(), 0, sizeof(Detections)}, params_);
    return {};
  }

  Result<ModelStage> begin_region(const UprightFrame& frame) {
    regions_.next(frame, params_);
    landmarks_input_.sample(frame, params_, regions_);
    SIGHTGLASS_RETURN_IF_ERROR(landmarks_->set_input_texture(0, landmarks_input_.texture()));
    return ModelStage{landmarks_.get(), regions_.is_somebody(), kLandmarksModel};
  }

  Status end_region() {
    GST_TRACE_OBJECT(log_object(), "pass: decoding landmarks%s", mask_ ? ", projecting the mask" : "");
    const PoseModel& model = plans_.landmarks_model;
    SIGHTGLASS_ASSIGN_OR_RETURN(BufferRange points, landmarks_->output_buffer(model.outputs[Role::kPoints]));
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange score, landmarks_->output_buffer(model.outputs[Role::kScore]));
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange world, landmarks_->output_buffer(model.outputs[Role::kWorld]));
    if (model.has(Role::kHeat)) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange heat, landmarks_->output_buffer(model.outputs[Role::kHeat]));
      const BufferRange refined{refined_.id(), 0, kLandmarkBytes};
      const auto pitch = [](int32_t pixels, int32_t cells) {
        return static_cast<float>(pixels) / static_cast<float>(cells);
      };
      Pass pass(gl_);
      pass.uniforms(kParamsBinding, refinement_,
                    {{model.columns, model.rows, 39, 0},
                     {pitch(model.width, model.columns), pitch(model.height, model.rows), 0, 0}});
      pass.storage({points, heat, refined});
      pass.dispatch(programs_[kRefine]->id());
      points = refined;
    }
    if (mask_) SIGHTGLASS_RETURN_IF_ERROR(project_mask(score));
    run(kLandmarks, {points, score, world, regions_.state()});
    return {};
  }

  Status project_mask(const BufferRange& score) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TextureRef mask,
                                landmarks_->output_texture(plans_.landmarks_model.outputs[Role::kMask]));
    Pass pass(gl_, sampler_.id());
    pass.read(0, mask.id);
    pass.modify(0, next_mask_.id(), GL_R32F);
    constexpr GLuint kGroups = groups_across(kMaskSize);
    regions_.run(pass, programs_[kProjectMask]->id(), params_, {score, regions_.state()}, kGroups, kGroups);
    return {};
  }

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi& gl_;
  const BlazePosePlans plans_;
  std::unique_ptr<Session> detector_, landmarks_;
  std::unique_ptr<SsdDecoder> decoder_;
  std::vector<SharedProgram> programs_;
  Regions regions_;
  RegionInput detector_input_, landmarks_input_;
  RegionParams params_;  // of the current run
  UniformBlock<Refinement> refinement_;
  GlBuffer refined_;
  GlTexture mask_, next_mask_;  // if masks are needed; the second one is written by the current run
  GlSampler sampler_;
};

}  // namespace

Result<std::unique_ptr<PersonFinder>> make_blazepose_finder(const std::shared_ptr<ShareGroup>& group,
                                                            BlazePosePlans plans, FrameKind kind) {
  SsdLayout layout = detector_layout(plans.detector_model);
  if (std::cmp_not_equal(layout.anchors.size(), plans.detector_model.rows)) {
    return unsupported(
        plans.detector_model.model->name() + ": has " + std::to_string(plans.detector_model.rows) +
        " boxes, but a BlazePose detector with an input of " + std::to_string(plans.detector_model.width) + " x " +
        std::to_string(plans.detector_model.height) + " pixels has " + std::to_string(layout.anchors.size()));
  }
  GST_DEBUG_OBJECT(log_object(), "finder: detector of %" G_GSIZE_FORMAT " anchors, landmarks %s heatmaps, %s a mask",
                   layout.anchors.size(), plans.landmarks_model.has(Role::kHeat) ? "with" : "without",
                   plans.landmarks_model.has(Role::kMask) ? "with" : "without");
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(kKeys));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Session> detector,
                              Session::create(group, plans.detector, {.gated = true}));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Session> landmarks,
                              Session::create(group, plans.landmarks, {.gated = true}));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<SsdDecoder> decoder, SsdDecoder::create(group, std::move(layout)));
  clear_gl_errors(group->gl());
  SIGHTGLASS_ASSIGN_OR_RETURN(Regions regions, Regions::create(group, Regions::Source::kLooks, sizeof(Persons)));
  const PoseModel &first = plans.detector_model, &second = plans.landmarks_model;
  SIGHTGLASS_ASSIGN_OR_RETURN(RegionInput detector_input,
                              RegionInput::create(group, kind, RegionInput::Of::kLook, first.width, first.height));
  SIGHTGLASS_ASSIGN_OR_RETURN(RegionInput landmarks_input,
                              RegionInput::create(group, kind, RegionInput::Of::kRegion, second.width, second.height));
  std::unique_ptr<PersonFinder> finder = std::make_unique<BlazePoseFinder>(
      group, std::move(plans), std::move(detector), std::move(landmarks), std::move(decoder), std::move(regions),
      std::move(detector_input), std::move(landmarks_input), std::move(programs));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating person detector buffers"));
  return finder;
}

}  // namespace sightglass
