#include "pose/person_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "detect/regions.h"
#include "detect/yolo_decoder.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gobject/log.h"
#include "meta/persons.h"
#include "pose/shaders.h"

#define GST_CAT_DEFAULT sightglass::pose_log()

namespace sightglass {

namespace {

using Role = PoseModel::Role;

std::array<float, 8> rows_of(const InputTransform& t) { return {t.m[0], t.m[1], t.m[2], 0, t.m[3], t.m[4], t.m[5], 0}; }

// Decodes rows of keypoints in the whole frame: those of one person, or of several with their scores.
class RowsDecoder {
 public:
  // `program` must outlive this.
  RowsDecoder(const GlApi& gl, const PoseModel& model, GLuint program) : gl_(gl), program_(program), block_(gl) {
    const auto points = static_cast<int32_t>(model.skeleton->points.size());
    params_.score = {0, 0, 1, 1};
    params_.layout = {std::max(model.rows, 1), points, 0, 0};
    if (model.kind == PoseKind::kPoses) {
      params_.score = {0, 0.5F, 1 / static_cast<float>(model.width), 1 / static_cast<float>(model.height)};
      params_.steps = {2 * points, 2, points, 1};
      params_.first = {0, 0, 1, 0};
      return;
    }
    const bool has_scores = model.kind == PoseKind::kMoveNetMulti;  // of people, after box and points
    const int32_t values = has_scores ? 3 * points + 5 : 3 * points;
    params_.steps = {values, 3, values, 3};
    params_.first = {2, values - 1, has_scores ? values : 0, 0};
  }

  struct Rows {
    BufferRange points, scores, people;
  };
  void decode(const Rows& rows, const InputTransform& place, const FindOptions& options, const BufferRange& found) {
    params_.place = rows_of(place);
    params_.score[0] = options.person_score;
    params_.layout[3] = options.max_persons;
    Pass pass(gl_);
    pass.uniforms(kParamsBinding, block_, params_);
    pass.storage({rows.points, rows.scores, rows.people, found});
    pass.dispatch(program_);
  }

 private:
  struct Block {  // Decoder of shaders/pose/movenet_multi.comp
    std::array<float, 8> place{};
    std::array<float, 4> score{};
    std::array<int32_t, 4> layout{}, steps{}, first{};
    bool operator==(const Block&) const = default;
  };

  const GlApi& gl_;
  const GLuint program_;
  Block params_;
  UniformBlock<Block> block_;
};

// MoveNet for one person. Once it finds the person, it zooms in: the GPU chooses the region of the next frame that
// becomes the model input. With Fit::kStretch, the model always gets the whole frame.
class MoveNetFinder : public PersonFinder {
 public:
  MoveNetFinder(const std::shared_ptr<ShareGroup>& group, const PoseModel& model, std::unique_ptr<Session> session,
                Regions regions, std::vector<SharedProgram> programs)
      : group_(group),
        model_(model),
        session_(std::move(session)),
        programs_(std::move(programs)),
        regions_(std::move(regions)),
        whole_(group->gl(), model, programs_[kDecodeWhole]->id()) {}

  Result<ModelStage> begin_stage(size_t /*stage*/, const UprightFrame& frame) override {
    if (is_whole()) return begin_whole(frame);
    GST_TRACE_OBJECT(log_object(), "pass: cropping around the previous keypoints");
    RegionOptions region = region_options(options());
    if (std::exchange(was_whole_, false)) region.seconds = -1;  // the region is of an earlier frame
    params_ = region_params(frame, region, model_.width, model_.height);
    regions_.run(programs_[kBegin]->id(), params_, {regions_.state()});
    SIGHTGLASS_RETURN_IF_ERROR(regions_.next(frame, params_, *session_));
    return ModelStage{session_.get(), {}};
  }
  Status end_stage(size_t /*stage*/) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange numbers, session_->output_buffer(model_.outputs[PoseModel::kPoints]));
    GST_TRACE_OBJECT(log_object(), "pass: decoding one person with a score of at least %g",
                     static_cast<double>(options().person_score));
    if (is_whole()) {
      whole_.decode({numbers, numbers, numbers}, place_, options(), found());
      return {};
    }
    regions_.run(programs_[kDecode]->id(), params_, {numbers, regions_.state()});
    return {};
  }
  BufferRange found() const override { return regions_.results(); }

  enum Program : size_t { kBegin, kDecode, kDecodeWhole };

 private:
  bool is_whole() const { return options().fit == Fit::kStretch; }
  Result<ModelStage> begin_whole(const UprightFrame& frame) {
    was_whole_ = true;
    place_ = frame.input_to_upright(model_.width, model_.height, options().fit);
    SIGHTGLASS_RETURN_IF_ERROR(session_->set_input_frame(0, frame.stored, place_.then(frame.upright_to_stored)));
    return ModelStage{session_.get(), {}};
  }

  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const PoseModel model_;
  std::unique_ptr<Session> session_;
  std::vector<SharedProgram> programs_;
  Regions regions_;
  RegionParams params_;  // of the current run
  RowsDecoder whole_;
  InputTransform place_;  // of the whole frame, in the current run
  bool was_whole_ = false;
};

}  // namespace

Result<std::unique_ptr<PersonFinder>> make_movenet_finder(const std::shared_ptr<ShareGroup>& group,
                                                          const PoseModel& model, std::shared_ptr<const Plan> plan) {
  const std::array<ProgramKey, 3> keys{{{kMoveNetBeginShader}, {kMoveNetShader}, {kMoveNetMultiShader}}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::create(group, std::move(plan)));
  clear_gl_errors(group->gl());
  SIGHTGLASS_ASSIGN_OR_RETURN(Regions regions,
                              Regions::create(group, Regions::Source::kLandmarksOnly, sizeof(Persons)));
  std::unique_ptr<PersonFinder> finder =
      std::make_unique<MoveNetFinder>(group, model, std::move(session), std::move(regions), std::move(programs));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating person detector buffers"));
  GST_DEBUG_OBJECT(log_object(), "finder: keypoints of one person, in a crop that follows the person");
  return finder;
}

namespace {

// Base of finders that process the whole frame at once, scaled to fit the model input.
class OneStageFinder : public PersonFinder {
 public:
  OneStageFinder(const GlApi& gl, const PoseModel& model, std::unique_ptr<Session> session,
                 std::vector<SharedProgram> programs)
      : gl_(gl), model_(model), session_(std::move(session)), programs_(std::move(programs)) {
    const Persons nobody;
    found_ = make_storage(gl, sizeof(Persons), &nobody);
  }

  Result<ModelStage> begin_stage(size_t /*stage*/, const UprightFrame& frame) override {
    place_ = frame.input_to_upright(model_.width, model_.height, options().fit);
    SIGHTGLASS_RETURN_IF_ERROR(session_->set_input_frame(0, frame.stored, place_.then(frame.upright_to_stored)));
    return ModelStage{session_.get(), {}};
  }
  Status end_stage(size_t /*stage*/) override {
    GST_TRACE_OBJECT(log_object(), "pass: decoding people, at most %d, with scores of at least %g",
                     options().max_persons, static_cast<double>(options().person_score));
    return decode(place_, options());
  }
  BufferRange found() const override { return {found_.id(), 0, sizeof(Persons)}; }

 protected:
  virtual Status decode(const InputTransform& place, const FindOptions& options) = 0;
  Result<BufferRange> output(Role role) const { return session_->output_buffer(model_.outputs[role]); }
  GLuint program(size_t index) const { return programs_[index]->id(); }

  const GlApi& gl_;
  const PoseModel model_;

 private:
  std::unique_ptr<Session> session_;
  std::vector<SharedProgram> programs_;
  GlBuffer found_;
  InputTransform place_;  // of the current run
};

class RowsFinder : public OneStageFinder {
 public:
  RowsFinder(const GlApi& gl, const PoseModel& model, std::unique_ptr<Session> session,
             std::vector<SharedProgram> programs)
      : OneStageFinder(gl, model, std::move(session), std::move(programs)), decoder_(gl, model, program(0)) {}

 private:
  Status decode(const InputTransform& place, const FindOptions& options) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange numbers, output(Role::kPoints));
    RowsDecoder::Rows rows{numbers, numbers, numbers};
    if (model_.has(Role::kPointScores)) {
      SIGHTGLASS_ASSIGN_OR_RETURN(rows.scores, output(Role::kPointScores));
      SIGHTGLASS_ASSIGN_OR_RETURN(rows.people, output(Role::kScore));
    }
    decoder_.decode(rows, place, options, found());
    return {};
  }

  RowsDecoder decoder_;
};

// The boxes of people are detections; a second pass reads the keypoints of their rows.
class YoloFinder : public OneStageFinder {
 public:
  YoloFinder(const GlApi& gl, const PoseModel& model, std::unique_ptr<Session> session,
             std::vector<SharedProgram> programs, std::unique_ptr<YoloDecoder> decoder)
      : OneStageFinder(gl, model, std::move(session), std::move(programs)), decoder_(std::move(decoder)), block_(gl) {}

 private:
  struct Block {  // Decoder of shaders/pose/yolo_persons.comp
    std::array<float, 8> place{};
    std::array<float, 4> size{};
    std::array<int32_t, 4> steps{}, points{};
    bool operator==(const Block&) const = default;
  };

  Status decode(const InputTransform& place, const FindOptions& options) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange numbers, output(Role::kPoints));
    SIGHTGLASS_RETURN_IF_ERROR(
        decoder_->decode(numbers, place, {options.person_score, kYoloOverlap, false, options.max_persons}));
    const YoloLayout& layout = decoder_->layout();
    const YoloModel& yolo = *model_.yolo;
    Pass pass(gl_);
    pass.uniforms(kParamsBinding, block_,
                  {rows_of(place),
                   {static_cast<float>(layout.width), static_cast<float>(layout.height), 0, 0},
                   {layout.box_step(), layout.value_step(), layout.first_further(), 0},
                   {yolo.points, yolo.values_of_point, 0, 0}});
    pass.storage({numbers, {decoder_->detections(), 0, sizeof(Detections)}, found()});
    pass.dispatch(program(0));
    return {};
  }

  std::unique_ptr<YoloDecoder> decoder_;
  UniformBlock<Block> block_;
};

class SimCcFinder : public OneStageFinder {
 public:
  SimCcFinder(const GlApi& gl, const PoseModel& model, std::unique_ptr<Session> session,
              std::vector<SharedProgram> programs)
      : OneStageFinder(gl, model, std::move(session), std::move(programs)), block_(gl) {}

 private:
  struct Block {  // Decoder of shaders/pose/simcc.comp
    std::array<float, 8> place{};
    std::array<float, 4> score{};
    std::array<int32_t, 4> layout{};
    bool operator==(const Block&) const = default;
  };

  Status decode(const InputTransform& place, const FindOptions& options) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange columns, output(Role::kPoints));
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange rows, output(Role::kRowScores));
    Pass pass(gl_);
    pass.uniforms(kParamsBinding, block_,
                  {rows_of(place),
                   {options.person_score, static_cast<float>(model_.width), static_cast<float>(model_.height), 0},
                   {static_cast<int32_t>(model_.skeleton->points.size()), model_.columns, model_.rows, 0}});
    pass.storage({columns, rows, found()});
    pass.dispatch(program(0));
    return {};
  }

  UniformBlock<Block> block_;
};

class CellsFinder : public OneStageFinder {
 public:
  CellsFinder(const GlApi& gl, const PoseModel& model, std::unique_ptr<Session> session,
              std::vector<SharedProgram> programs)
      : OneStageFinder(gl, model, std::move(session), std::move(programs)),
        block_(gl),
        cells_(make_storage(gl, bytes())) {}

 private:
  struct Block {  // Decoder of shaders/pose/cells.glsl
    std::array<float, 8> place{};
    std::array<float, 4> score{}, input{};
    std::array<int32_t, 4> grid{};
    bool operator==(const Block&) const = default;
  };

  int32_t count() const { return model_.columns * model_.rows * static_cast<int32_t>(model_.skeleton->points.size()); }
  GLsizeiptr bytes() const { return GLsizeiptr{4} * sizeof(float) * count(); }

  // Distance between cells in pixels. PoseNet cells are on pixels, the outermost cells on the outermost pixels; heatmap
  // cells are areas.
  float pitch(int32_t pixels, int32_t cells) const {
    if (model_.kind == PoseKind::kHeatMaps) return static_cast<float>(pixels) / static_cast<float>(cells);
    return cells > 1 ? std::round(static_cast<float>(pixels - 1) / static_cast<float>(cells - 1)) : 1;
  }

  Status decode(const InputTransform& place, const FindOptions& options) override {
    constexpr float kRootScore = 0.5F;  // this and the next one: defaults of tfjs-models
    constexpr float kSamePixels = 20;
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange scores, output(Role::kHeat));
    BufferRange offsets = scores;  // not read if the model has no offsets
    if (model_.has(Role::kOffsets)) {
      SIGHTGLASS_ASSIGN_OR_RETURN(offsets, output(Role::kOffsets));
    }
    const Block block{
        rows_of(place),
        {options.person_score, kRootScore, kSamePixels * kSamePixels, model_.scores_are_logits ? 1.0F : 0.0F},
        {static_cast<float>(model_.width), static_cast<float>(model_.height), pitch(model_.width, model_.columns),
         pitch(model_.height, model_.rows)},
        {model_.columns, model_.rows, static_cast<int32_t>(model_.skeleton->points.size()), options.max_persons}};
    const BufferRange cells{cells_.id(), 0, bytes()};
    Pass pass(gl_);
    pass.uniforms(kParamsBinding, block_, block);
    pass.storage({scores, offsets, cells});
    pass.dispatch(program(0), groups_of(count()));
    if (model_.kind != PoseKind::kPoseNetMulti || options.max_persons == 1) {
      pass.storage({cells, found()});
      pass.dispatch(program(1));
      return {};
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange forward, output(Role::kForward));
    BufferRange backward = forward;
    if (model_.has(Role::kBackward)) {
      SIGHTGLASS_ASSIGN_OR_RETURN(backward, output(Role::kBackward));
    }
    pass.storage({cells, forward, backward, found()});
    pass.dispatch(program(2));
    return {};
  }

  UniformBlock<Block> block_;
  GlBuffer cells_;
};

}  // namespace

Status PersonFinder::find(const UprightFrame& frame, const FindOptions& options) {
  set_options(options);
  size_t number = 0;
  do {
    SIGHTGLASS_ASSIGN_OR_RETURN(const ModelStage stage, begin_stage(number, frame));
    const BufferRange& flag = stage.flag;
    SIGHTGLASS_RETURN_IF_ERROR(flag.buffer != 0 ? stage.session->run_if(flag.buffer, flag.offset)
                                                : stage.session->run());
    SIGHTGLASS_RETURN_IF_ERROR(end_stage(number));
  } while (++number < stages());
  return {};
}

float usual_person_score(PoseKind kind) {
  // The MediaPipe default for BlazePose. Scores of other models are means over points, many of which may be occluded.
  if (kind == PoseKind::kBlazePose) return 0.5F;
  return kind == PoseKind::kYolo ? 0.25F : 0.2F;  // the default of Ultralytics, whose scores are those of boxes
}

Result<std::unique_ptr<PersonFinder>> make_one_stage_finder(const std::shared_ptr<ShareGroup>& group,
                                                            const PoseModel& model, std::shared_ptr<const Plan> plan) {
  if (model.kind == PoseKind::kMoveNet) return make_movenet_finder(group, model, std::move(plan));
  const bool has_cells = model.has(Role::kHeat);
  std::vector<ProgramKey> keys;
  if (has_cells) {
    keys.push_back({model.has(Role::kOffsets) ? kOffsetCellsShader : kScoreCellsShader});
    keys.push_back({kBestCellsShader});
    if (model.kind == PoseKind::kPoseNetMulti) {
      keys.push_back({model.has(Role::kBackward) ? kGrowPersonsShader : kGrowBothWaysShader});
    }
  } else if (model.kind == PoseKind::kSimCc) {
    keys.push_back({kSimCcShader});
  } else {
    keys.push_back({model.yolo ? kYoloPersonsShader : kMoveNetMultiShader});
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::create(group, std::move(plan)));
  clear_gl_errors(group->gl());
  std::unique_ptr<PersonFinder> finder;
  if (has_cells) {
    GST_DEBUG_OBJECT(log_object(), "finder: %dx%d cells, %s offsets, %s displacements", model.columns, model.rows,
                     model.has(Role::kOffsets) ? "with" : "without", model.has(Role::kForward) ? "with" : "without");
    finder = std::make_unique<CellsFinder>(group->gl(), model, std::move(session), std::move(programs));
  } else if (model.kind == PoseKind::kSimCc) {
    GST_DEBUG_OBJECT(log_object(), "finder: scores of %d columns and %d rows", model.columns, model.rows);
    finder = std::make_unique<SimCcFinder>(group->gl(), model, std::move(session), std::move(programs));
  } else if (model.yolo) {
    GST_DEBUG_OBJECT(log_object(), "finder: %d keypoints for each of %d boxes", model.yolo->points,
                     model.yolo->layout.boxes);
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<YoloDecoder> decoder, YoloDecoder::create(group, model.yolo->layout));
    finder =
        std::make_unique<YoloFinder>(group->gl(), model, std::move(session), std::move(programs), std::move(decoder));
  } else {
    GST_DEBUG_OBJECT(log_object(), "finder: keypoints of up to %d people", model.rows);
    finder = std::make_unique<RowsFinder>(group->gl(), model, std::move(session), std::move(programs));
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating person detector buffers"));
  return finder;
}

}  // namespace sightglass
