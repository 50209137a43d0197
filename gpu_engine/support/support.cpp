#include "gpu_engine/support.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "gpu_engine/exceptions.h"
#include "gpu_engine/model_internals.h"
#include "graph/graph.h"
#include "graph/multiply_adds.h"
#include "tflite/import.h"
#include "tflite/open_model.h"

namespace sightglass {
namespace {

// Returns "CONV_2D" for "CONV_2D #12 (output 'x')".
std::string operator_name(const std::string& where) { return where.substr(0, where.find(" #")); }

std::vector<OperatorCount> count_operators(const std::vector<std::string>& names) {
  std::vector<OperatorCount> counts;
  std::unordered_map<std::string_view, size_t> place;
  for (const std::string& name : names) {
    const auto [entry, fresh] = place.try_emplace(name, counts.size());
    if (fresh) counts.push_back({name, 0, 0});
    ++counts[entry->second].count;
  }
  return counts;
}

void count_obstructed(SupportReport& report) {
  std::set<std::string> seen;
  std::unordered_map<std::string_view, OperatorCount*> by_name;
  for (OperatorCount& entry : report.operators) by_name.emplace(entry.name, &entry);
  for (const Obstacle& obstacle : report.obstacles) {
    const auto entry = by_name.find(operator_name(obstacle.where));
    if (entry != by_name.end() && seen.insert(obstacle.where).second) ++entry->second->obstructed;
  }
}

bool is_obstacle(const Status& status) {
  return status.code() == ErrorCode::kUnsupported || status.code() == ErrorCode::kResourceExhausted;
}

int64_t constant_bytes(const Graph& graph) {
  int64_t bytes = 0;
  for (ValueId id = 0; id < static_cast<ValueId>(graph.value_count()); ++id) {
    const Value& value = graph.value(id);
    if (value.constant && !value.users.empty()) bytes += static_cast<int64_t>(value.constant->bytes.size());
  }
  return bytes;
}

Result<SupportReport> report_on(tflite::Survey survey, const DeviceLimits& limits, const PlanOptions& options) {
  SupportReport report;
  report.metadata = std::move(survey.metadata);
  report.inputs = std::move(survey.inputs);
  report.outputs = std::move(survey.outputs);
  report.operators = count_operators(survey.operators);
  report.obstacles = std::move(survey.obstacles);
  report.multiply_adds = multiply_adds(survey.graph);
  report.constant_bytes = constant_bytes(survey.graph);

  // For a partly imported model, plans the imported part: the planner may find more obstacles.
  const bool whole = report.obstacles.empty();
  PlanOptions plain;
  plain.precision = options.precision;
  SIGHTGLASS_ASSIGN_OR_RETURN(auto model, model_from_graph(std::move(survey.graph)));
  std::vector<Obstacle> obstacles;
  auto plan = Plan::build(std::move(model), limits, whole ? options : plain, &obstacles);
  std::ranges::move(obstacles, std::back_inserter(report.obstacles));
  if (plan.ok()) {
    if (whole) report.plan = std::move(plan).value();
  } else if (!is_obstacle(plan.status())) {
    return plan.status();
  } else if (report.obstacles.empty()) {
    report.obstacles.push_back(make_obstacle("", plan.status().message()));  // concerns the whole plan
  }
  count_obstructed(report);
  return report;
}

}  // namespace

Result<SupportReport> check_support(const std::string& path, const ModelOptions& model_options,
                                    const DeviceLimits& limits, const PlanOptions& options) try {
  SIGHTGLASS_ASSIGN_OR_RETURN(tflite::Survey survey, tflite::survey_file(path, model_options));
  return report_on(std::move(survey), limits, options);
} catch (...) {
  return status_of_exception(path, "check the model");
}

Result<SupportReport> check_support(const FileContents& file, const std::string& name,
                                    const ModelOptions& model_options, const DeviceLimits& limits,
                                    const PlanOptions& options) try {
  SIGHTGLASS_ASSIGN_OR_RETURN(
      tflite::Survey survey,
      tflite::survey(file.bytes, file.owner, name, tflite::import_options(model_options, file.bytes.size())));
  return report_on(std::move(survey), limits, options);
} catch (...) {
  return status_of_exception(name, "check the model");
}

}  // namespace sightglass
