// The properties of a running element as JSON: read, and changed after validation.
#pragma once

#include <gst/gst.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "serve/routes.h"
#include "sightglass/status.h"
#include "video/task.h"

namespace sightglass::serve {

// Not for several threads at a time.
class LiveProperties {
 public:
  // `element` outlives this. It has the properties of the element of the task.
  static Result<LiveProperties> create(const video::VideoTask& task, GstElement* element);

  // One object per property: name, nick, type (number, integer, switch, choice, color, text), value, default, blurb,
  // live, and, depending on the type, minimum and maximum or words with their meanings. If a property cannot be changed
  // here, "live" is false and "reason" says why.
  nlohmann::ordered_json list() const;
  // Changes the properties that a JSON object names: all of them, or none if one is rejected.
  HttpError change(const std::string& json) const;

 private:
  LiveProperties(const video::VideoTask& task, GstElement* element, std::vector<GParamSpec*> specs)
      : task_(&task), element_(element), specs_(std::move(specs)), models_(video::installed_models(task)) {}
  nlohmann::ordered_json describe(GParamSpec* spec) const;
  HttpError check(GParamSpec* spec, const nlohmann::json& value, std::string& text) const;

  const video::VideoTask* task_;
  GstElement* element_;
  std::vector<GParamSpec*> specs_;
  std::vector<std::string> models_;  // at the start: looking for them reads their files
};

}  // namespace sightglass::serve
