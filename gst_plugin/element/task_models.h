// The models that an element takes from a .task bundle.
#pragma once

#include <string>

#include "sightglass/status.h"

namespace sightglass {

// Paths for SharedModel::load().
struct TaskModels {
  std::string model;                  // of a bundle: the landmark model
  std::string detector, blendshapes;  // empty: not in the bundle
  std::string warning;                // names the models in it that do not run; empty if all do
};

// The models for `element`, such as "glpose", behind a resolved `model` setting. Anything except a whole bundle is a
// single model. If the element cannot run the bundle, the error names its models and the element that can.
Result<TaskModels> task_models(const std::string& path, const std::string& element);

// The detector behind a resolved `detector` setting: of a bundle, the only one in it.
Result<std::string> task_detector(const std::string& path);

}  // namespace sightglass
