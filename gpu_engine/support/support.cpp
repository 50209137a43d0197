#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "graph/analyses.h"
#include "graph/graph.h"
#include "graph/op_types.h"
#include "kernel/emitter.h"
#include "ops/ops.h"
#include "tflite/import.h"
#include "tflite/operator_table.h"

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

namespace {

OperatorSupport describe(const tflite::NamedRule& named) {
  const tflite::OperatorRule& rule = *named.rule;
  OperatorSupport entry;
  entry.name = named.name;
  entry.min_inputs = rule.inputs.least;
  entry.max_inputs = rule.inputs.most;
  entry.max_outputs = rule.max_outputs;
  entry.while_loading = rule.while_loading;
  if (*rule.limits != '\0') entry.limits.emplace_back(rule.limits);
  if (rule.while_loading) return entry;
  TypeNames types = type_names(rule.op);
  entry.takes = std::move(types.taken);
  entry.makes = std::move(types.made);
  entry.other_inputs = std::move(types.others);
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.op != rule.op) continue;
    entry.kernels.emplace_back(kernel.name);
    if (!kernel.limits.empty()) entry.limits.push_back(kernel.limits);
  }
  return entry;
}

}  // namespace

SupportTable supported_operators() {
  SupportTable table;
  for (TypeWord& type : type_words()) table.types.push_back({std::move(type.word), std::move(type.meaning)});
  for (const auto activation : tflite::schema::EnumValuesActivationFunctionType()) {
    if (!tflite::decode_activation(activation).ok()) continue;
    table.activations.emplace_back(tflite::schema::EnumNameActivationFunctionType(activation));
  }
  table.max_dimensions = kMostDimensions;
  table.max_dimensions_loading = Shape::kMaxRank;
  for (const tflite::NamedRule& rule : tflite::all_rules()) table.operators.push_back(describe(rule));
  for (tflite::RefusedOperator& refused : tflite::refused_operators()) {
    table.refused.push_back({std::move(refused.name), std::move(refused.reason)});
  }
  std::ranges::sort(table.operators, {}, &OperatorSupport::name);
  std::ranges::sort(table.refused, {}, &SupportTable::Entry::name);
  return table;
}

}  // namespace sightglass
