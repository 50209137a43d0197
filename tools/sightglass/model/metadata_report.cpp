#include "model/metadata_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpu_engine/quoted.h"
#include "model/report_format.h"

namespace sightglass {
namespace {

constexpr size_t kLabelsShown = 4;

std::string list(const std::vector<float>& numbers) {
  std::string text;
  for (const float x : numbers) append(text, "%s%g", text.empty() ? "" : ", ", static_cast<double>(x));
  return text;
}

void append_tensor(std::string& text, const char* title, size_t index, const TensorMetadata& tensor) {
  if (tensor.mean.empty() && tensor.labels().empty()) return;
  append(text, "            %s %zu %s:", title, index, sightglass::quote(tensor.name).c_str());
  if (!tensor.mean.empty()) {
    append(text, " (x - %s) / %s", list(tensor.mean).c_str(), list(tensor.deviation).c_str());
  }
  if (!tensor.labels().empty()) {
    append(text, "%s %zu labels: ", tensor.mean.empty() ? "" : ",", tensor.labels().size());
    for (size_t i = 0; i < std::min(tensor.labels().size(), kLabelsShown); ++i) {
      append(text, "%s%s", i == 0 ? "" : ", ", printable(tensor.labels()[i]).c_str());
    }
    if (tensor.labels().size() > kLabelsShown) text += ", …";
  }
  text += "\n";
}

nlohmann::ordered_json tensors_json(const std::vector<TensorMetadata>& tensors) {
  auto list = nlohmann::ordered_json::array();
  for (const TensorMetadata& tensor : tensors) {
    list.push_back({{"name", tensor.name},
                    {"description", tensor.description},
                    {"mean", tensor.mean},
                    {"deviation", tensor.deviation},
                    {"labels", tensor.labels()}});
  }
  return list;
}

}  // namespace

void append_metadata(std::string& text, const ModelMetadata& metadata) {
  if (!metadata.name.empty()) append(text, "metadata    %s\n", sightglass::quote(metadata.name).c_str());
  for (size_t i = 0; i < metadata.inputs.size(); ++i) append_tensor(text, "input", i, metadata.inputs[i]);
  for (size_t i = 0; i < metadata.outputs.size(); ++i) append_tensor(text, "output", i, metadata.outputs[i]);
  for (const std::string& problem : metadata.problems) append(text, "warning     %s\n", problem.c_str());
}

nlohmann::ordered_json metadata_json(const ModelMetadata& metadata) {
  return {{"name", metadata.name},
          {"description", metadata.description},
          {"version", metadata.version},
          {"author", metadata.author},
          {"license", metadata.license},
          {"inputs", tensors_json(metadata.inputs)},
          {"outputs", tensors_json(metadata.outputs)},
          {"problems", metadata.problems}};
}

}  // namespace sightglass
