#include "tflite/operator_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "graph/operator_table.h"

namespace sightglass::tflite {
namespace {

struct Row {
  schema::BuiltinOperator code;
  OperatorRule rule;
};

using B = schema::BuiltinOperator;
using enum OptionalInputs;

constexpr auto kOperators = std::to_array<Row>({
#define BUILTIN(type, name, decoder, ...) \
  {B::name, {.op = OpType::type, .decode = decode_##decoder __VA_OPT__(, ) __VA_ARGS__}},
#include "graph/operators.h"
});

struct CustomRow {
  const char* name;
  OperatorRule rule;
};
constexpr auto kCustomOperators = std::to_array<CustomRow>({
#define CUSTOM(type, name, decoder, ...) \
  {#name, {.op = OpType::type, .decode = decode_##decoder __VA_OPT__(, ) __VA_ARGS__}},
#include "graph/operators.h"
});

// Whether a row creates such nodes. Rules that only apply while loading create none.
constexpr bool is_made(OpType op) {
  const auto makes = [op](const auto& row) { return row.rule.op == op && !row.rule.while_loading; };
  return std::ranges::any_of(kOperators, makes) || std::ranges::any_of(kCustomOperators, makes);
}
static_assert(std::ranges::all_of(operators::kTable,
                                  [](const operators::Row& row) {
                                    return is_made(row.op) != operators::has(row, operators::kNotInFiles);
                                  }),
              "every operator is imported, except those that only rewrites and the importer make");

// Postprocessing operators that select from the network outputs.
bool selects(B code) {
  return code == B::NON_MAX_SUPPRESSION_V4 || code == B::NON_MAX_SUPPRESSION_V5 || code == B::UNIQUE;
}

std::string reason_of_custom(std::string_view name) {
  // What compilers for other processors leave of a model: the rest of it is a program in their instructions.
  constexpr std::pair<std::string_view, const char*> kCompiled[] = {
      {"edgetpu-custom-op", "the Edge TPU"}, {"ethos-u", "Arm Ethos-U"}, {"QNNOp", "Qualcomm NPUs"}};
  for (const auto& [code, processor] : kCompiled) {
    if (name != code) continue;
    return std::string("this part of the model is compiled for ") + processor +
           "; use the file from before that compiler";
  }
  if (name.starts_with("Flex")) {
    return "the TensorFlow operator " + quote(name.substr(4)) +
           " has no counterpart in TensorFlow Lite; convert the model without SELECT_TF_OPS";
  }
  return "the custom operator " + quote(name) +
         " is unknown; express it with built-in operators, or end the model before it";
}

}  // namespace

const OperatorRule* find_rule(schema::BuiltinOperator code, std::string_view custom_code) {
  if (code == B::CUSTOM) {
    const auto* custom = std::ranges::find(kCustomOperators, custom_code, &CustomRow::name);
    return custom == kCustomOperators.end() ? nullptr : &custom->rule;
  }
  const auto* row = std::ranges::find(kOperators, code, &Row::code);
  return row == kOperators.end() ? nullptr : &row->rule;
}

std::vector<NamedRule> all_rules() {
  std::vector<NamedRule> rules;
  for (const B code : schema::EnumValuesBuiltinOperator()) {
    const auto* row = std::ranges::find(kOperators, code, &Row::code);
    if (row != kOperators.end()) rules.push_back({schema::EnumNameBuiltinOperator(code), &row->rule});
  }
  for (const CustomRow& row : kCustomOperators) rules.push_back({"CUSTOM " + quote(row.name), &row.rule});
  return rules;
}

std::vector<RefusedOperator> refused_operators() {
  // Enumerators that do not name one operator.
  constexpr std::array kNone{B::CUSTOM, B::DELEGATE, B::PLACEHOLDER_FOR_GREATER_OP_CODES};
  std::vector<RefusedOperator> refused;
  for (const B code : schema::EnumValuesBuiltinOperator()) {
    if (std::ranges::find(kNone, code) != kNone.end() || find_rule(code, {}) != nullptr) continue;
    refused.push_back({schema::EnumNameBuiltinOperator(code), unsupported_reason(code, {})});
  }
  return refused;
}

std::string unsupported_reason(schema::BuiltinOperator code, std::string_view custom_code) {
  if (code == B::CUSTOM) {
    return reason_of_custom(custom_code);
  }
  if (code == B::WHERE) {
    return "its number of outputs depends on the data; use SELECT_V2 with masks, or end the model before it";
  }
  if (selects(code)) {
    return "the size or order of its output depends on the data; end the model before it and select from its "
           "outputs on the CPU";
  }
  return "this operator is not supported; replace it, or end the model before it";
}

}  // namespace sightglass::tflite
