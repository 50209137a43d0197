// What the engine, its tools and its tests see of a plan, and what the tuner and tests can force on one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sightglass/plan.h"

namespace sightglass {

struct ForcedPlanOptions : PlanOptions {
  ForcedPlanOptions() = default;
  ForcedPlanOptions(PlanOptions options) : PlanOptions(std::move(options)) {}  // NOLINT(google-explicit-constructor)

  int variant = 0;  // steps without a choice use their variant of this index, or their last one
  // Tile of a Winograd kernel that runs whatever `exact` and its cost say, for every node that it supports.
  std::optional<ConvTile> winograd = {};
  int32_t sentinel_bytes = 0;                      // guard bands around every tensor of the arena; a multiple of 16
  std::vector<std::string> hidden_operators = {};  // "CONV_2D": treated as having no kernel
};

struct PlanInternals {
  static const PlanData& data(const Plan& plan) { return *plan.data_; }
  static Result<std::shared_ptr<const Plan>> build(std::shared_ptr<const Model> model, const DeviceLimits& limits,
                                                   const ForcedPlanOptions& options, std::vector<Obstacle>* obstacles);
};

// plan/plan_data.h
inline const PlanData& data_of(const Plan& plan) { return PlanInternals::data(plan); }

// Plan::build() with forced choices.
inline Result<std::shared_ptr<const Plan>> build_plan(std::shared_ptr<const Model> model, const DeviceLimits& limits,
                                                      const ForcedPlanOptions& options,
                                                      std::vector<Obstacle>* obstacles = nullptr) {
  return PlanInternals::build(std::move(model), limits, options, obstacles);
}

}  // namespace sightglass
