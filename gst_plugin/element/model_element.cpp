#include "element/model_element.h"

#include <utility>

#include "draw/text_atlas.h"
#include "gobject/log.h"
#include "model_store.h"

#define GST_CAT_DEFAULT sightglass::base_log()

namespace sightglass {

Result<std::string> ModelElement::model_file(const ModelSettings& settings, const std::string& what) {
  if (settings.model.value_or("").empty()) {
    return invalid_argument("no model is set; set model to a " + what +
                            " model: FILE.tflite, a name from `sightglass models list`, or the bundled figure");
  }
  return ModelStore().resolve(*settings.model);
}

Status ModelElement::start() {
  const Stopwatch time;
  const std::shared_ptr<const ElementSettings> current = settings.start();
  // Also runs if loading throws.
  struct Undo {
    ModelElement* element;
    ~Undo() {
      if (element == nullptr) return;
      element->end();
      element->settings.stop();
    }
  } undo{this};
  SIGHTGLASS_RETURN_IF_ERROR(check(*current));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const LoadedModel> model, load(current));
  adopt(model);
  undo.element = nullptr;
  GST_INFO_OBJECT(log_object(), "model %s loaded in %s", current->model.model.value_or("(none)").c_str(),
                  time.text().c_str());
  gl.start(std::move(model), *current, GST_OBJECT_NAME(gst_element_get_factory(element_)));
  frame_settings_ = current;
  stats.restart();
  return {};
}

void ModelElement::stop() {
  gl.stop();
  adopt(nullptr);
  end();
  settings.stop();
}

std::vector<std::string> ModelElement::warnings() const {
  const std::shared_ptr<const LoadedModel> model = gl.model();
  if (model == nullptr) return {};
  std::vector<std::string> warnings = model->warnings();
  const std::shared_ptr<const ElementSettings> current = settings.snapshot();
  if (current->model.draws_texts()) {
    auto missing = missing_font_warning(current->model.hud ? "hud=true" : "notice");
    if (missing) warnings.push_back(std::move(*missing));
  }
  if (std::string unused = gl.cache_warning(); !unused.empty()) warnings.push_back(std::move(unused));
  return warnings;
}

Status ModelElement::update_frame_settings() {
  frame_settings_ = settings.snapshot();
  return complete(frame_settings_, nullptr);
}

Result<std::shared_ptr<const ElementSettings>> ModelElement::settings_on(const DeviceInfo& device) {
  frame_settings_ = settings.snapshot();
  SIGHTGLASS_RETURN_IF_ERROR(complete(frame_settings_, &device));
  return frame_settings_;
}

}  // namespace sightglass
