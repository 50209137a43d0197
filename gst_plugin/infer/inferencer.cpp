#include "infer/inferencer.h"

#include <utility>

#include "gl/gl_state_guard.h"

namespace sightglass {

Result<std::unique_ptr<Inferencer>> Inferencer::create(std::shared_ptr<ShareGroup> group, const DeviceInfo& device,
                                                       std::shared_ptr<const Plan> plan, const InferModel& model,
                                                       FrameKind kind, const std::optional<Detector>& detector) {
  std::unique_ptr<Inferencer> result(new Inferencer(std::move(group), kind));
  const GlStateGuard guard(result->gl_, kind);
  clear_gl_errors(result->gl_);
  result->model_width_ = model.width;
  result->model_height_ = model.height;
  result->own_size_ = model.own_size;
  SessionOptions session_options;
  session_options.gated = detector.has_value();
  SG_ASSIGN_OR_RETURN(result->session_, Session::create(result->group_, std::move(plan), session_options));
  if (detector) {
    FirstStage first;
    first.width = detector->model.width;
    first.height = detector->model.height;
    SG_ASSIGN_OR_RETURN(first.session, Session::create(result->group_, detector->plan));
    SG_ASSIGN_OR_RETURN(first.decoder, make_decoder(result->group_, detector->model));
    SG_ASSIGN_OR_RETURN(first.region, Region::create(result->group_));
    result->first_.emplace(std::move(first));
  }
  const auto& inputs = model.model->inputs();
  for (size_t i = 1; i < inputs.size(); ++i) {
    const std::vector<std::byte> zeros(static_cast<size_t>(inputs[i].shape.elements()) * size_of(inputs[i].type));
    SG_RETURN_IF_ERROR(result->session_->write_input(i, zeros));
  }
  SG_ASSIGN_OR_RETURN(result->decoder_, make_decoder(result->group_, model));
  SG_ASSIGN_OR_RETURN(result->overlay_, OverlayPainter::create(result->group_));
  const FrameKind read = FrameReader::planned_kind(device, kind);
  SG_ASSIGN_OR_RETURN(FramePainter frames, FramePainter::create(result->group_, read));
  result->frames_.emplace(std::move(frames));
  SG_ASSIGN_OR_RETURN(FramePainter pictures, FramePainter::create(result->group_, FrameKind::kRgba));
  result->pictures_.emplace(std::move(pictures));
  SG_ASSIGN_OR_RETURN(FrameReader reader, FrameReader::create(result->group_, device, kind));
  result->reader_.emplace(std::move(reader));
  result->timer_.emplace(result->gl_, device.es);
  const std::string what = "allocating what " + model.model->name() + " and its results need";
  SG_RETURN_IF_ERROR(check_gl(result->gl_, what.c_str()));
  return result;
}

void Inferencer::resize(int32_t width, int32_t height) {
  width_ = width;
  height_ = height;
  forget();
}

void Inferencer::forget() {
  has_results_ = false;
  if (decoder_) decoder_->forget();
}

// The model sees where the detector has found something, and runs if it has.
Status Inferencer::infer_in_region(const FrameRef& frame, const InputTransform& upright_to_stored,
                                   const InferLook& look) {
  const InputTransform letterbox =
      make_input_transform(width_, height_, first_->width, first_->height, Fit::kLetterbox);
  SG_RETURN_IF_ERROR(first_->session->set_input_frame(0, frame, letterbox.then(upright_to_stored)));
  SG_RETURN_IF_ERROR(first_->session->run());
  InferLook best = look;
  best.max_results = 1;
  SG_RETURN_IF_ERROR(first_->decoder->decode(*first_->session, letterbox, best));
  const BufferRange found = first_->decoder->results();
  first_->region->find(found, frame, upright_to_stored, width_, height_);
  SG_RETURN_IF_ERROR(session_->set_input_frame(0, frame, first_->region->place()));
  SG_RETURN_IF_ERROR(session_->run_if(found.buffer));  // how many were found comes first
  ++inferences_;
  has_results_ = true;
  decoder_->set_region(first_->region->rows());
  return decoder_->decode(*session_, {}, look);
}

Status Inferencer::infer(const FrameRef& frame, const InputTransform& upright_to_stored, Fit fit,
                         const InferLook& look) {
  if (first_) return infer_in_region(frame, upright_to_stored, look);
  input_to_upright_ = make_input_transform(width_, height_, model_width_, model_height_, fit);
  SG_RETURN_IF_ERROR(session_->set_input_frame(0, frame, input_to_upright_.then(upright_to_stored)));
  SG_RETURN_IF_ERROR(session_->run());
  ++inferences_;
  has_results_ = true;
  return decoder_ ? decoder_->decode(*session_, input_to_upright_, look) : Status();
}

Status Inferencer::show(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output,
                        const InferLook& look) {
  const TextureRef picture = decoder_ && has_results_ ? decoder_->picture() : TextureRef();
  const TextureRef target{output, GL_TEXTURE_2D, own_size_ ? picture.width : width_,
                          own_size_ ? picture.height : height_};
  if (picture.id != 0 && look.draw) {
    return pictures_->draw(picture, own_size_ ? InputTransform() : input_to_upright_.inverse(), target);
  }
  const InputTransform shown = own_size_ ? input_to_upright_.then(upright_to_stored) : upright_to_stored;
  SG_RETURN_IF_ERROR(frames_->draw(frame, shown, target));
  if (!decoder_ || !has_results_ || !look.draw) return {};
  const PrimitiveRange shapes[] = {decoder_->primitives(width_, height_, look)};
  return shapes[0].count > 0 ? overlay_->draw(target, shapes) : Status();
}

Status Inferencer::process(const FrameRef& frame, const InputTransform& upright_to_stored, GLuint output, Fit fit,
                           const InferLook& look, bool run) {
  const GlStateGuard guard(gl_, kind_);
  clear_gl_errors(gl_);
  timer_->start();
  SG_ASSIGN_OR_RETURN(const FrameRef read, reader_->readable(frame));
  const bool runs = run || !has_results_;
  if (runs) SG_RETURN_IF_ERROR(infer(read, upright_to_stored, fit, look));
  timer_->middle();
  SG_RETURN_IF_ERROR(show(read, upright_to_stored, output, look));
  timer_->end({.model_first = true, .model_share = runs ? 1.0 : 0.0});
  return check_gl(gl_, "running a model on a frame");
}

}  // namespace sightglass
