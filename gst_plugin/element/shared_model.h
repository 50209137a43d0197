// Models and plans shared by the elements of a process, kept while an element holds them. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "known_models.h"
#include "sightglass/plan.h"

namespace sightglass {

// A model and its plans for the devices that elements use.
class SharedModel {
 public:
  // Returns the same object for the same file (by device, inode, size and modification time), the same member of it
  // (stored_model.h), and the same options. Fails as load_stored_model() does.
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

}  // namespace sightglass
