// Models and plans shared by the elements of a process, and the models of a .task bundle.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "known_models.h"
#include "sightglass/plan.h"
#include "sightglass/status.h"

namespace sightglass {

// Models and plans shared by the elements of a process, kept while an element holds them. Any thread.
// A model and its plans for the devices that elements use.
class SharedModel {
 public:
  // Returns the same object for the same file (by device, inode, size and modification time), the same member of it
  // (model_store.h), and the same options. Fails as load_stored_model() does.
  static Result<std::shared_ptr<SharedModel>> load(const std::string& path, const ModelOptions& options);

  SharedModel(std::shared_ptr<const Model> model, std::optional<KnownModel> known)
      : model_(std::move(model)), known_(known) {}
  const std::shared_ptr<const Model>& model() const { return model_; }
  // The catalog entry of the model, if it is known.
  const std::optional<KnownModel>& known() const { return known_; }
  // Returns the same object for equal limits and options, which may include tuning.
  Result<std::shared_ptr<const Plan>> plan(const DeviceLimits& limits, PlanOptions options);

  // What an element measured for plans with these limits and options, or null. An element with another cache folder has
  // to write it there, and measures by itself. Without a folder, only this remembers it.
  std::shared_ptr<const Tuning> measured(const DeviceLimits& limits, const PlanOptions& options,
                                         const std::string& cache_folder);
  void remember(const DeviceLimits& limits, const PlanOptions& options, const std::string& cache_folder,
                std::shared_ptr<const Tuning> tuning);

 private:
  struct Measured {
    DeviceLimits limits;
    PlanOptions options;  // without tuning
    std::string cache_folder;
    std::shared_ptr<const Tuning> tuning;
  };
  struct Planned {
    DeviceLimits limits;
    PlanOptions options;
    std::weak_ptr<const Plan> plan;
  };
  const std::shared_ptr<const Model> model_;
  const std::optional<KnownModel> known_;
  std::mutex mutex_;
  std::vector<Planned> plans_;
  std::vector<Measured> measured_;
};

// The models that an element takes from a .task bundle.
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
