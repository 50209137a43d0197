// Formats a SupportTable as Markdown and as JSON. Scripts read the JSON: keys are only ever added.
#include "model/operator_report.h"

#include <algorithm>
#include <cstdint>

#include "model/report_format.h"

namespace sightglass {
namespace {

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string runs_as(const OperatorSupport& entry) {
  if (entry.while_loading) return "evaluated while loading";
  return entry.kernels.empty() ? "CPU only (`fallback=cpu`)" : join(entry.kernels, ", ");
}

void append_row(std::string& text, const OperatorSupport& entry, size_t all_types) {
  const bool any = entry.takes.empty() || entry.takes.size() == all_types;
  std::string takes = any ? "any" : join(entry.takes, ", ");
  if (!entry.other_inputs.empty()) takes += "; " + entry.other_inputs;
  const std::string makes = entry.while_loading          ? "–"
                            : entry.makes == entry.takes ? "the same"
                                                         : join(entry.makes, ", ");
  text += "| " + entry.name + " | " + takes + " | " + makes + " | " + runs_as(entry) + " | " +
          join(entry.limits, "; ") + " |\n";
}

// Operators that are rejected for the same reason share a row.
void append_refused(std::string& text, const std::vector<SupportTable::Entry>& refused) {
  std::vector<SupportTable::Entry> rows;
  for (const SupportTable::Entry& entry : refused) {
    auto row = std::ranges::find(rows, entry.meaning, &SupportTable::Entry::meaning);
    if (row == rows.end()) {
      rows.push_back(entry);
    } else {
      row->name += ", " + entry.name;
    }
  }
  for (const SupportTable::Entry& row : rows) text += "| " + row.name + " | " + row.meaning + " |\n";
}

// SIZE_MAX means any number.
nlohmann::ordered_json count_json(size_t count) {
  return count == SIZE_MAX ? nlohmann::ordered_json("any") : nlohmann::ordered_json(count);
}

}  // namespace

std::string format_markdown(const SupportTable& table) {
  std::string text =
      "# Operators\n\n"
      "Which of TensorFlow Lite's operators run, on tensors of which types, and within which limits. This page is made "
      "by\n"
      "`sightglass operators --markdown` from the tables that the engine decides by; a test compares the two.\n\n"
      "`sightglass check MODEL.tflite` applies all of it to a model.\n\n"
      "## For all operators\n\n"
      "- An operator's version does not matter: its options, shapes and types do.\n"
      "- Sizes, axes, paddings and bounds that a file carries as tensors must be constant.\n"
      "- Operators on constants alone are evaluated while loading, whatever their types.\n";
  append(text, "- Tensors on the GPU have at most %d dimensions, those used while loading %d; none is empty.\n",
         table.max_dimensions, table.max_dimensions_loading);
  text += "- Fused activations: " + join(table.activations, ", ") + ".\n";
  text +=
      "- NaNs pass through, but MAXIMUM, MINIMUM, and MAX_POOL_2D may return the other operand, and TOPK_V2 does not "
      "rank\n"
      "  them.\n"
      "- Operators that move, compare, or average quantized numbers keep the numbers, whatever the scales of their "
      "tensors.\n";
  text +=
      "- What a device has of memory, work groups and loop iterations limits it further; `check` applies that.\n"
      "- Weights and biases may be float32, float16, 8-bit integers by tensor or by axis, or sparse; they are "
      "constant\n"
      "  unless the limits say otherwise.\n\n"
      "Types:\n\n";
  for (const auto& type : table.types) {
    if (type.name != type.meaning) text += "- *" + type.name + "*: " + type.meaning + "\n";
  }
  text += "- *float16* and *per-axis*: only constants, converted while loading\n";
  append(text, "\n## What runs: %zu operators\n\n", table.operators.size());
  text += "| operator | data | results | runs as | limits |\n|---|---|---|---|---|\n";
  for (const OperatorSupport& entry : table.operators) append_row(text, entry, table.types.size());
  append(text, "\n## What is refused: %zu operators, and custom ones beside those above\n\n", table.refused.size());
  text += "| operator | why, and what helps |\n|---|---|\n";
  append_refused(text, table.refused);
  return text;
}

std::string format_json(const SupportTable& table) {
  using nlohmann::ordered_json;
  ordered_json root;
  root["types"] = ordered_json::object();
  for (const auto& type : table.types) root["types"][type.name] = type.meaning;
  root["activations"] = table.activations;
  root["max_dimensions"] = table.max_dimensions;
  root["max_dimensions_loading"] = table.max_dimensions_loading;
  root["operators"] = ordered_json::array();
  for (const OperatorSupport& entry : table.operators) {
    root["operators"].push_back({{"name", entry.name},
                                 {"min_inputs", entry.min_inputs},
                                 {"max_inputs", count_json(entry.max_inputs)},
                                 {"max_outputs", count_json(entry.max_outputs)},
                                 {"takes", entry.takes},
                                 {"makes", entry.makes},
                                 {"other_inputs", entry.other_inputs},
                                 {"while_loading", entry.while_loading},
                                 {"kernels", entry.kernels},
                                 {"limits", entry.limits}});
  }
  root["refused"] = ordered_json::array();
  for (const auto& entry : table.refused) root["refused"].push_back({{"name", entry.name}, {"reason", entry.meaning}});
  return to_text(root);
}

}  // namespace sightglass
