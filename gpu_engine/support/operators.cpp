#include "gpu_engine/operators.h"

#include <algorithm>

#include "graph/op_types.h"
#include "kernel/kernel.h"
#include "ops/registry.h"
#include "tflite/operator_table.h"

namespace sightglass {
namespace {

OperatorSupport describe(const tflite::NamedRule& named) {
  const tflite::OperatorRule& rule = *named.rule;
  OperatorSupport entry;
  entry.name = named.name;
  entry.min_inputs = rule.min_inputs;
  entry.max_inputs = rule.max_inputs;
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
