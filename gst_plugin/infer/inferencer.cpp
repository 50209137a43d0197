#include "infer/inferencer.h"

#include <algorithm>
#include <utility>

#include "gl/gl_state_guard.h"
#include "gobject/log.h"
#include "infer/decoder.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

Result<std::unique_ptr<Inferencer>> Inferencer::create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                       std::shared_ptr<const Plan> plan, const InferModel& model,
                                                       FrameKind kind, const std::optional<Detector>& detector,
                                                       std::shared_ptr<const Plan> blendshapes) {
  std::unique_ptr<Inferencer> result(new Inferencer(std::move(group), device, kind));
  const GlStateGuard guard(result->gl_, kind);
  clear_gl_errors(result->gl_);
  result->model_width_ = model.width;
  result->model_height_ = model.height;
  result->own_size_ = model.own_size;
  SIGHTGLASS_RETURN_IF_ERROR(result->create_reader(device, life_of_frames(detector.has_value())));
  SIGHTGLASS_RETURN_IF_ERROR(result->create_sessions(std::move(plan), model, detector));
  SIGHTGLASS_ASSIGN_OR_RETURN(result->decoder_, make_decoder(result->group_, model));
  if (blendshapes != nullptr) {
    SIGHTGLASS_ASSIGN_OR_RETURN(result->blendshapes_, Blendshapes::create(result->group_, std::move(blendshapes)));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(result->overlay_, OverlayPainter::create(result->group_));
  SIGHTGLASS_ASSIGN_OR_RETURN(FramePainter frames, FramePainter::create(result->group_, result->read_kind()));
  result->frames_.emplace(std::move(frames));
  SIGHTGLASS_ASSIGN_OR_RETURN(FramePainter pictures, FramePainter::create(result->group_, FrameKind::kRgba));
  result->pictures_.emplace(std::move(pictures));
  const std::string what = "allocating buffers for " + model.model->name() + " and its results";
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(result->gl_, what.c_str()));
  return result;
}

Status Inferencer::create_sessions(std::shared_ptr<const Plan> plan, const InferModel& model,
                                   const std::optional<Detector>& detector) {
  SessionOptions options;
  options.gated = detector.has_value();
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

void Inferencer::resize(const FrameSize& size) {
  size_ = size;
  forget();
  const GlStateGuard guard(gl_, kind_);
  if (decoder_ && look_.draw) decoder_->primitives(size.shown_width(), size.height, look_);
}

void Inferencer::forget_results() {
  if (decoder_) decoder_->forget();
  if (first_) first_->is_new = true;
}

Result<ModelStage> Inferencer::begin_stage(size_t stage, const UprightFrame& frame) {
  if (is_blendshapes(stage)) {
    GST_LOG_OBJECT(log_object(), "blendshapes: run, if there is a face");
    return blendshapes_->begin(decoder_->unfinished_results(), first_->regions.state(), frame.shown_width(),
                               frame.height);
  }
  if (first_) return stage == 0 ? begin_detector(frame) : begin_in_region(frame);
  GST_LOG_OBJECT(log_object(), "model: runs");
  next_input_to_upright_ = frame.input_to_upright(model_width_, model_height_, fit_);
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
      region_params(frame, {regions_wanted_, look_.threshold, seconds}, model_width_, model_height_, first_->rule);
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
  input_to_upright_ = next_input_to_upright_;
  return decoder_ ? decoder_->decode(*session_, input_to_upright_, look_) : Status();
}

TextureRef Inferencer::target(GLuint output) const {
  if (!own_size_) return {output, GL_TEXTURE_2D, size_.width, size_.height};
  const TextureRef picture = decoder_->picture();
  return {output, GL_TEXTURE_2D, picture.width, picture.height};
}

Status Inferencer::draw_frame(const UprightFrame& frame, GLuint output, const InputTransform& input_to_upright) {
  const InputTransform shown = own_size_ ? input_to_upright.then(frame.upright_to_stored) : frame.upright_to_stored;
  return frames_->draw(frame.stored, shown, target(output));
}

Status Inferencer::draw(const UprightFrame& frame, GLuint output) {
  GST_LOG_OBJECT(log_object(), "draw: frame%s", look_.draw ? " and results" : "");
  const TextureRef picture = decoder_ ? decoder_->picture() : TextureRef();
  if (picture.id != 0 && look_.draw) {
    return pictures_->draw(picture, own_size_ ? InputTransform() : input_to_upright_.inverse(), target(output));
  }
  SIGHTGLASS_RETURN_IF_ERROR(draw_frame(frame, output, input_to_upright_));
  if (!decoder_ || !look_.draw) return {};
  const int32_t shown_width = size_.shown_width();
  const PrimitiveRange shapes[] = {decoder_->primitives(shown_width, size_.height, look_)};
  return shapes[0].count > 0 ? overlay_->draw(target(output), shapes, shown_width) : Status();
}

Status Inferencer::draw_without_result(const UprightFrame& frame, GLuint output, OnFailure /*policy*/) {
  return draw_frame(frame, output, frame.input_to_upright(model_width_, model_height_, fit_));
}

}  // namespace sightglass
