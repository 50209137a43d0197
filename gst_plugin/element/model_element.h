// What an element with a model has besides its GObject: settings, statistics, its attachment to a GL context, and the
// change of its model; and what differs between such elements.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "element/element_settings.h"
#include "element/element_stats.h"
#include "element/gl_attachment.h"
#include "element/loaded_model.h"
#include "element/model_swap.h"
#include "gl/frame_caps.h"
#include "sightglass/device.h"
#include "sightglass/status.h"

namespace sightglass {

class ModelElement {
 public:
  // `element` outlives this.
  ModelElement(GstElement* element, std::unique_ptr<const OwnProperties> own)
      : settings(std::move(own)), gl(*this), swap(*this), element_(element) {}
  virtual ~ModelElement() = default;
  ModelElement(const ModelElement&) = delete;
  ModelElement& operator=(const ModelElement&) = delete;

  SettingsStore settings;  // any thread
  ElementStats stats;      // any thread
  GlAttachment gl;
  ModelSwap swap;
  std::atomic<bool> objects_wanted = false;  // by an element downstream

  GstElement* element() const { return element_; }

  // Streaming or application thread, no GL. Loads the model and checks that it can run.
  Status start();
  void stop();  // not on a GL thread
  // After start(): warnings for the application.
  std::vector<std::string> warnings() const;

  // Streaming thread, before each frame: the settings with which it is processed. A failure is a warning.
  Status update_frame_settings();
  const std::shared_ptr<const ElementSettings>& frame_settings() const { return frame_settings_; }
  // On a GL thread, while the streaming thread waits, before the first effect is created on its context: the settings
  // of the first frame.
  Result<std::shared_ptr<const ElementSettings>> settings_on(const DeviceInfo& device);

  // Any thread. As set; an element may show the value in effect instead.
  virtual bool get_property(guint id, GValue* value) const { return settings.get(id, value); }
  // Any thread. The output size, if it is not the upright frame size.
  virtual std::optional<OwnSize> own_size() const { return {}; }
  // Any thread. Whether output frames may show a part of the frame, which results of upstream elements do not fit.
  virtual bool crops() const { return false; }

  // Streaming thread. Whether elements upstream are to attach the objects that they find.
  virtual bool wants_objects() const { return false; }

  // Any thread, between start() and stop(): loads the model that the settings name.
  virtual Result<std::shared_ptr<const LoadedModel>> load(
      const std::shared_ptr<const ElementSettings>& settings) const = 0;
  // Streaming thread or start(): frames are drawn with this model from now on. Null from stop().
  virtual void adopt(const std::shared_ptr<const LoadedModel>& /*model*/) {}

 protected:
  // Called by start(), before a model is loaded.
  virtual Status check(const ElementSettings& /*settings*/) { return {}; }
  // Called by stop(), or if start() fails after check().
  virtual void end() {}
  // Completes the settings of the next frame with what they name, such as an image. `device` is set when it may be
  // another one than before. A failure is a warning, or an error if `device` is set.
  virtual Status complete(std::shared_ptr<const ElementSettings>& /*settings*/, const DeviceInfo* /*device*/) {
    return {};
  }

  // The file that settings.model names. If it names none, fails with an error that says what to set; `what` is the kind
  // of model needed, such as "segmentation".
  static Result<std::string> model_file(const ModelSettings& settings, const std::string& what);

 private:
  GstElement* const element_;
  std::shared_ptr<const ElementSettings> frame_settings_;
};

}  // namespace sightglass
