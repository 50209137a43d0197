#include "infer/inferencer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gl/gl_state_guard.h"
#include "gobject/log.h"
#include "gobject/properties.h"
#include "infer/decoder.h"
#include "infer/labels.h"
#include "infer/landmarks.h"
#include "infer/tensor_attachment.h"
#include "model_store.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

Inferencer::Inferencer(const GlTarget& target, const InferModel& model)
    : Effect(target.group), model_(model), context_(target.context) {}
Inferencer::~Inferencer() = default;

Result<std::unique_ptr<Inferencer>> Inferencer::create(const GlTarget& target, std::shared_ptr<const Plan> plan,
                                                       const InferModel& model, const std::optional<Detector>& detector,
                                                       std::shared_ptr<const Plan> blendshapes) {
  std::unique_ptr<Inferencer> result(new Inferencer(target, model));
  const GlStateGuard guard(result->gl_, target.frame);
  clear_gl_errors(result->gl_);
  const FrameLife life = life_of_frames(detector.has_value() || model.on_objects);
  SIGHTGLASS_RETURN_IF_ERROR(result->create_sessions(std::move(plan), model, detector));
  SIGHTGLASS_ASSIGN_OR_RETURN(result->decoder_, make_decoder(target.group, model));
  if (model.on_objects) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const ObjectRegions::Layout layout, layout_of_objects(model));
    SIGHTGLASS_ASSIGN_OR_RETURN(ObjectRegions regions, ObjectRegions::create(target.group, layout));
    result->objects_.emplace(std::move(regions));
  }
  if (blendshapes != nullptr) {
    SIGHTGLASS_ASSIGN_OR_RETURN(result->blendshapes_, Blendshapes::create(target.group, std::move(blendshapes)));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(result->overlay_, OverlayPainter::create(target.group));
  if (result->decoder_ && result->decoder_->masks().id != 0) {
    SIGHTGLASS_ASSIGN_OR_RETURN(MaskPainter masks, MaskPainter::create(target.group));
    result->masks_.emplace(std::move(masks));
  }
  const FrameKind read = FrameReader::planned_kind(target.device, target.frame, life);
  SIGHTGLASS_ASSIGN_OR_RETURN(FramePainter frames, FramePainter::create(target.group, read));
  result->frames_.emplace(std::move(frames));
  SIGHTGLASS_ASSIGN_OR_RETURN(FramePainter pictures, FramePainter::create(target.group, FrameKind::kRgba));
  result->pictures_.emplace(std::move(pictures));
  const std::string what = "allocating buffers for " + model.model->name() + " and its results";
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(result->gl_, what.c_str()));
  result->traits_.life = life;
  if (result->decoder_) result->traits_.found = result->decoder_->results();
  if (result->objects_) result->traits_.found = result->objects_->regions.results();
  if (result->decoder_) result->traits_.mask = result->decoder_->numbered_masks();
  result->traits_.decode = [self = result.get()](std::span<const std::byte> bytes, const FrameStamp& frame) {
    if (self->objects_) {
      const AttachedObjects::Labels& labels = self->objects_->current.labels;
      return InferenceResults{
          model_title(self->model_.model->name()),
          {},
          objects_of(bytes, self->objects_->regions.layout(),
                     labels != nullptr ? std::span<const std::string>(*labels) : std::span<const std::string>(),
                     self->model_.labels, frame),
          {}};
    }
    return infer_results(self->model_, bytes, self->look_.threshold, frame);
  };
  return result;
}

void Inferencer::attach_tensors() { tensors_ = std::make_unique<TensorAttachment>(context_, group_, *model_.model); }

Status Inferencer::create_sessions(std::shared_ptr<const Plan> plan, const InferModel& model,
                                   const std::optional<Detector>& detector) {
  SessionOptions options;
  options.gated = detector.has_value() || model.on_objects;
  SIGHTGLASS_ASSIGN_OR_RETURN(session_, Session::create(group_, std::move(plan), options));
  if (detector) {
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Session> finder,
                                Session::create(group_, detector->plan, {.gated = true}));
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Decoder> found, make_decoder(group_, detector->model));
    SIGHTGLASS_ASSIGN_OR_RETURN(Regions regions, Regions::create(group_, Regions::Source::kDetections));
    first_.emplace(FirstStage{std::move(finder),
                              std::move(found),
                              std::move(regions),
                              first_region_rule(model.points.subject),
                              detector->model.width,
                              detector->model.height,
                              {}});
  }
  const auto& inputs = model.model->inputs();
  for (size_t i = 1; i < inputs.size(); ++i) {
    const std::vector<std::byte> zeros(static_cast<size_t>(inputs[i].shape.elements()) * size_of(inputs[i].type));
    SIGHTGLASS_RETURN_IF_ERROR(session_->write_input(i, zeros));
  }
  return {};
}

void Inferencer::set_look(const InferSettings& settings) {
  look_ = settings.look;
  look_.blendshapes = settings.results.mode != ResultsMode::kNone;
  const bool is_one = model_.in_region || model_.on_objects;
  look_.max_results = settings.max_results.value_or(is_one ? 1 : InferSettings::kUsualResults);
  const float overlap = model_.yolo ? kYoloOverlap : InferSettings::kUsualOverlap;
  look_.iou_threshold = settings.iou_threshold.value_or(overlap);
  // Points need the proportions of the object.
  const bool keeps_shape = model_.letterbox || (model_.on_objects && model_.task == InferTask::kLandmarks);
  fit_ = settings.fit.value_or(keeps_shape ? Fit::kLetterbox : Fit::kStretch);
  if (!objects_) return;
  const ObjectChoice before = objects_->choice;
  objects_->choice = settings.objects;
  objects_->choice.fit = fit_;
  objects_->choice.classes = before.classes;
  objects_->choice.all_classes = before.all_classes;
  objects_->classes = settings.region_classes;
}

Status Inferencer::resize(const FrameSize& size, const ElementSettings& settings) {
  set_look(static_cast<const InferSettings&>(settings));
  size_ = size;
  if (!decoder_) return {};
  SIGHTGLASS_RETURN_IF_ERROR(decoder_->prepare(look_, -1));
  if (look_.draw) decoder_->primitives(size.shown_width(), size.height, look_);
  return {};
}

void Inferencer::forget() {
  clock_.forget();
  if (objects_) objects_->is_new = true;
  if (decoder_) decoder_->forget();
  if (first_) first_->is_new = true;
}

Status Inferencer::prepare(FrameJob& job) {
  set_look(static_cast<const InferSettings&>(*job.settings));
  if (objects_ && job.input != nullptr) SIGHTGLASS_RETURN_IF_ERROR(take_objects(job.input));
  if (!look_.tracking) return {};
  job.is_new_scene = clock_.is_new_at(job.time);
  return {};
}

Result<std::optional<ShownMask>> Inferencer::attach(const FrameJob& job) {
  if (tensors_) SIGHTGLASS_RETURN_IF_ERROR(tensors_->attach(job.output_buffer, *this));
  if (job.objects_wanted && model_.task == InferTask::kDetection) {
    if (!attached_objects_) attached_objects_ = std::make_unique<ObjectAttachment>(context_, group_, model_.labels);
    SIGHTGLASS_RETURN_IF_ERROR(
        attached_objects_->attach(job.output_buffer, decoder_->results(), inferences(), look_.draw));
  }
  if (traits_.mask.id == 0) return std::optional<ShownMask>();
  return std::optional(ShownMask{traits_.mask, input_to_upright_, 0.5F, kMaxDetections});
}

Result<ModelStage> Inferencer::begin_stage(size_t stage, const UprightFrame& frame) {
  if (is_blendshapes(stage)) {
    GST_LOG_OBJECT(log_object(), "blendshapes: run, if there is a face");
    return blendshapes_->begin(decoder_->unfinished_results(), first_->regions.state(), frame.shown_width(),
                               frame.height);
  }
  if (first_) return stage == 0 ? begin_detector(frame) : begin_in_region(frame);
  if (objects_) return begin_on_object(stage, frame);
  if (decoder_) SIGHTGLASS_RETURN_IF_ERROR(decoder_->prepare(look_, clock_.seconds_of_run()));
  GST_LOG_OBJECT(log_object(), "model: runs");
  next_input_to_upright_ = frame.input_to_upright(model_.width, model_.height, fit_);
  SIGHTGLASS_RETURN_IF_ERROR(
      session_->set_input_frame(0, frame.stored, next_input_to_upright_.then(frame.upright_to_stored)));
  return ModelStage{session_.get(), {}, 0};
}

// The detector runs if fewer regions are tracked than requested.
Result<ModelStage> Inferencer::begin_detector(const UprightFrame& frame) {
  GST_LOG_OBJECT(log_object(), "detector: runs, if a region is missing");
  regions_wanted_ = std::clamp(look_.max_results, 1, kMaxRegions);
  runs_blendshapes_ = blendshapes_ != nullptr && look_.blendshapes;
  const float seconds = std::exchange(first_->is_new, false) ? -1.0f : 0.0f;
  first_->params =
      region_params(frame, {regions_wanted_, look_.threshold, seconds}, model_.width, model_.height, first_->rule);
  first_->regions.begin(first_->params);
  next_input_to_upright_ = frame.input_to_upright(first_->width, first_->height, Fit::kLetterbox);
  SIGHTGLASS_RETURN_IF_ERROR(
      first_->session->set_input_frame(0, frame.stored, next_input_to_upright_.then(frame.upright_to_stored)));
  return ModelStage{first_->session.get(), first_->regions.detector_runs(), 0};
}

// The model runs on one region after another in the same session. For an empty region, none of its steps runs.
Result<ModelStage> Inferencer::begin_in_region(const UprightFrame& frame) {
  GST_LOG_OBJECT(log_object(), "model: runs, if there is another region");
  SIGHTGLASS_RETURN_IF_ERROR(first_->regions.next(frame, first_->params, *session_));
  return ModelStage{session_.get(), first_->regions.is_somebody(), 1};
}

Status Inferencer::end_detector() {
  // More than requested, because the best ones may be tracked already.
  InferLook candidates = look_;
  candidates.max_results = 2 * kMaxRegions;
  SIGHTGLASS_RETURN_IF_ERROR(first_->decoder->decode(*first_->session, next_input_to_upright_, candidates));
  first_->regions.add(first_->decoder->results(), first_->params);
  return {};
}

Status Inferencer::end_in_region() {
  const auto& [width, height, seconds, unused] = first_->params.frame;
  decoder_->set_region({first_->regions.state(), width, height, regions_wanted_});
  return decoder_->decode(*session_, {}, look_);
}

Status Inferencer::end_stage(size_t stage) {
  if (decoder_) GST_TRACE_OBJECT(log_object(), "pass: decoding %s", first_ && stage == 0 ? "detections" : "results");
  if (first_) {
    SIGHTGLASS_RETURN_IF_ERROR(is_blendshapes(stage)
                                   ? blendshapes_->end(decoder_->unfinished_results(), first_->regions.state())
                               : stage == 0 ? end_detector()
                                            : end_in_region());
    if (stage + 1 == stages()) decoder_->finish_regions();
    return {};
  }
  if (objects_) return end_on_object(stage);
  input_to_upright_ = next_input_to_upright_;
  if (!decoder_) return {};
  SIGHTGLASS_RETURN_IF_ERROR(decoder_->decode(*session_, input_to_upright_, look_));
  traits_.found = decoder_->results();
  return {};
}

size_t Inferencer::stages() const {
  if (objects_) return static_cast<size_t>((regions_wanted_ + model_.images - 1) / model_.images);
  return first_ ? 1 + stages_per_region() * static_cast<size_t>(regions_wanted_) : 1;
}

// The model runs on objects that an upstream element found.

Result<ObjectRegions::Layout> layout_of_objects(const InferModel& model) {
  ObjectRegions::Layout layout{.width = model.width, .height = model.height, .images = model.images};
  if (model.task == InferTask::kLandmarks) {
    layout.kind = ObjectValues::kPoints;
    layout.count = 4 * model.points.count;
  } else if (model.task == InferTask::kVector) {
    layout.kind = ObjectValues::kVector;
    layout.count = static_cast<int32_t>(model.numbers_of(model.output));
  } else if (model.task != InferTask::kClassification) {
    return invalid_argument("regions=upstream: " + model.model->name() + " is decoded as " + to_string(model.task) +
                            "; use a model whose task is classification, landmarks, or vector");
  }
  return layout;
}

Status Inferencer::take_objects(GstBuffer* input) {
  SharedObjects found = objects_of(input);
  if (found == nullptr) {
    if (!std::exchange(objects_->told_of_none, true) && log_object() != nullptr) {
      post_warning(log_object(), unsupported("regions=upstream: frames carry no objects; put a glinfer with a detector "
                                             "upstream, with no element between them that changes the frame"));
    }
    objects_->next = {};
    return {};
  }
  if (found == objects_->next.held) return {};
  if (found->drawn() && (objects_->next.held == nullptr || !objects_->next.held->drawn())) {
    GST_WARNING_OBJECT(log_object(), "the detector upstream draws over what this model reads; set draw=false there");
  }
  GstMapInfo info;
  if (gst_memory_map(found->memory(), &info, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_GL)) == FALSE) {
    return device_error("regions=upstream: cannot map the GL buffer of the objects");
  }
  const GLuint buffer = *reinterpret_cast<const guint*>(info.data);
  gst_memory_unmap(found->memory(), &info);
  objects_->next = {{buffer, 0, sizeof(Detections)}, found->labels(), found->source(), std::move(found)};
  return {};
}

// Turns the names of `region-classes` into numbers.
Status Inferencer::choose_classes() {
  Objects& objects = *objects_;
  const AttachedObjects::Labels& labels = objects.current.labels;
  if (objects.chosen_from == objects.classes && objects.chosen_among == labels) return {};
  objects.chosen_from = objects.classes;
  objects.chosen_among = labels;
  objects.choice.classes = {};
  objects.choice.all_classes = objects.classes.value_or("").empty();
  if (objects.choice.all_classes) return {};
  for (const std::string& name : split_labels(*objects.classes)) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const int32_t number, region_class(name, labels.get()));
    objects.choice.classes[static_cast<size_t>(number / 32)] |= 1U << (number % 32);
  }
  return {};
}

Result<ModelStage> Inferencer::begin_on_object(size_t stage, const UprightFrame& frame) {
  Objects& objects = *objects_;
  if (stage == 0) {
    const uint64_t source = objects.current.source;
    objects.current = objects.next;
    regions_wanted_ = std::clamp(objects.choice.most, 1, kMaxObjectRuns);
    if (objects.current.labels != nullptr) SIGHTGLASS_RETURN_IF_ERROR(choose_classes());
    const bool is_new = std::exchange(objects.is_new, false) || source != objects.current.source;
    objects.regions.begin(objects.current.buffer, frame, objects.choice, is_new);
  }
  GST_LOG_OBJECT(log_object(), "model: runs, if there is another object");
  SIGHTGLASS_RETURN_IF_ERROR(objects.regions.next(frame, *session_));
  return ModelStage{session_.get(), objects.regions.is_somebody(), 0};
}

Status Inferencer::end_on_object(size_t stage) {
  const int32_t left = regions_wanted_ - static_cast<int32_t>(stage) * model_.images;
  for (int32_t image = 0; image < std::min(left, model_.images); ++image) {
    BufferRange said;
    if (decoder_) {
      decoder_->set_image(image);
      SIGHTGLASS_RETURN_IF_ERROR(decoder_->decode(*session_, {}, look_));
      said = decoder_->results();
    } else {
      SIGHTGLASS_ASSIGN_OR_RETURN(said, session_->output_buffer(model_.output));
    }
    objects_->regions.store(said, image, look_.threshold, look_.max_results);
  }
  if (stage + 1 == stages()) objects_->regions.finish();
  return {};
}

Status Inferencer::draw_objects(GLuint output) {
  Objects& objects = *objects_;
  const AttachedObjects::Labels& labels = objects.current.labels;
  if (!objects.painter || objects.painted != labels) {
    objects.painted = labels;
    SIGHTGLASS_ASSIGN_OR_RETURN(
        ObjectPainter painter,
        ObjectPainter::create(group_, objects.regions.layout(),
                              labels != nullptr ? *labels : std::vector<std::string>(), drawn_labels(model_)));
    objects.painter.emplace(std::move(painter));
  }
  const int32_t shown_width = size_.shown_width();
  const PrimitiveRange shapes[] = {objects.painter->primitives(objects.regions.results(), shown_width, size_.height,
                                                               {.point_radius = line_width_in(size_.height, look_),
                                                                .text_height = text_height_in(size_.height, look_),
                                                                .lines = look_.max_results})};
  return overlay_->draw(target(output), shapes, shown_width);
}

TextureRef Inferencer::target(GLuint output) const {
  if (!model_.own_size) return {output, GL_TEXTURE_2D, size_.width, size_.height};
  const TextureRef picture = decoder_->picture();
  return {output, GL_TEXTURE_2D, picture.width, picture.height};
}

Status Inferencer::draw_frame(const UprightFrame& frame, GLuint output, const InputTransform& input_to_upright) {
  const InputTransform shown =
      model_.own_size ? input_to_upright.then(frame.upright_to_stored) : frame.upright_to_stored;
  return frames_->draw(frame.stored, shown, target(output));
}

Status Inferencer::draw(const UprightFrame& frame, GLuint output, Shown shown) {
  if (shown != Shown::kResult) {
    return draw_frame(frame, output, frame.input_to_upright(model_.width, model_.height, fit_));
  }
  GST_LOG_OBJECT(log_object(), "draw: frame%s", look_.draw ? " and results" : "");
  const TextureRef picture = decoder_ ? decoder_->picture() : TextureRef();
  if (picture.id != 0 && look_.draw) {
    return pictures_->draw(picture, model_.own_size ? InputTransform() : input_to_upright_.inverse(), target(output));
  }
  SIGHTGLASS_RETURN_IF_ERROR(draw_frame(frame, output, input_to_upright_));
  if (objects_) return look_.draw ? draw_objects(output) : Status();
  if (!decoder_ || !look_.draw) return {};
  if (masks_) SIGHTGLASS_RETURN_IF_ERROR(masks_->draw(target(output), decoder_->masks(), input_to_upright_.inverse()));
  const int32_t shown_width = size_.shown_width();
  const PrimitiveRange shapes[] = {decoder_->primitives(shown_width, size_.height, look_)};
  return shapes[0].count > 0 ? overlay_->draw(target(output), shapes, shown_width) : Status();
}

// Converts the GPU buffers of decoders, after readback, to results for applications.

namespace {

// Names the object by the subject of the landmarks.
void name_subject(const InferModel::PointsLayout& points, const Landmarks& landmarks, ResultObject& object) {
  object.class_id = 0;
  switch (points.subject) {
    case InferModel::Subject::kFace:
      object.label = "face";
      break;
    case InferModel::Subject::kEye:
      object.label = "eye";
      break;
    case InferModel::Subject::kHand:
      object.label = "hand";
      object.skeleton = &hand_skeleton();
      if (!points.handedness) break;
      object.class_id = landmarks.right >= 0.5f ? 1 : 0;
      object.label = object.class_id == 1 ? "right_hand" : "left_hand";
      break;
    case InferModel::Subject::kUnknown:
      break;
  }
}

// Adds a face, hand or eye as an object whose box encloses all of its points.
void add_landmarks(const Landmarks& landmarks, size_t blendshapes, const InferModel& model, float threshold,
                   InferenceResults& results) {
  const int32_t count = std::clamp(landmarks.count, 0, kMaxLandmarks);
  if (count == 0 || !(landmarks.score >= threshold)) return;
  ResultObject object;
  name_subject(model.points, landmarks, object);
  object.score = landmarks.score;
  object.id = landmarks.id;
  object.box = {landmarks.points[0][0], landmarks.points[0][1], landmarks.points[0][0], landmarks.points[0][1]};
  for (int32_t i = 0; i < count; ++i) {
    const auto& [x, y, z, unused] = landmarks.points[static_cast<size_t>(i)];
    object.points.push_back({x, y, z, landmarks.score, landmarks.score, 0, 0, 0});
    object.box = {std::min(object.box[0], x), std::min(object.box[1], y), std::max(object.box[2], x),
                  std::max(object.box[3], y)};
  }
  for (size_t i = 0; i < blendshapes; ++i) {
    object.classifications.push_back({kBlendshapeNames[i], static_cast<int32_t>(i), landmarks.blendshapes[i]});
  }
  results.objects.push_back(std::move(object));
}

void add_landmarks(std::span<const std::byte> bytes, const InferModel& model, float threshold,
                   InferenceResults& results) {
  const auto found = std::make_unique<LandmarkObjects>();
  std::memcpy(found.get(), bytes.data(), std::min(bytes.size(), sizeof(*found)));
  const auto count = static_cast<size_t>(std::clamp(found->count, 0, kMaxLandmarkObjects));
  const auto blendshapes = static_cast<size_t>(std::clamp(found->blendshapes, 0, kBlendshapes));
  for (size_t i = 0; i < count; ++i) add_landmarks(found->objects[i], blendshapes, model, threshold, results);
}

}  // namespace

InferenceResults infer_results(const InferModel& model, std::span<const std::byte> bytes, float threshold,
                               const FrameStamp& frame) {
  InferenceResults results;
  results.frame = frame;
  results.model = model_title(model.model->name());
  switch (model.task) {
    case InferTask::kDetection:
      results.objects = detections_of(bytes, model.labels, frame);
      break;
    case InferTask::kClassification:
      for (ResultObject& object : detections_of(bytes, model.labels, frame)) {
        results.classifications.push_back({std::move(object.label), object.class_id, object.score});
      }
      break;
    case InferTask::kLandmarks:
      add_landmarks(bytes, model, threshold, results);
      break;
    default:
      break;
  }
  return results;
}

}  // namespace sightglass
