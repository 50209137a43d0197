#include "model/model_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "model/report_format.h"
#include "model_store.h"
#include "plan/plan_data.h"

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
  const ExporterNotes& notes = metadata.exporter;
  if (!notes.task.empty() || !notes.class_names.empty()) {
    append(text, "exporter    task %s, %zu classes, images of %dx%d\n", sightglass::quote(notes.task).c_str(),
           notes.class_names.size(), notes.width, notes.height);
  }
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
          {"exporter",
           {{"task", metadata.exporter.task},
            {"names", metadata.exporter.class_names},
            {"width", metadata.exporter.width},
            {"height", metadata.exporter.height},
            {"stride", metadata.exporter.stride}}},
          {"problems", metadata.problems}};
}

Result<CheckReport> check_model(const CheckOptions& asked) {
  CheckOptions options = asked;
  SIGHTGLASS_ASSIGN_OR_RETURN(options.model, ModelStore().resolve(asked.model));
  PlanOptions plan_options;
  plan_options.precision = options.precision;
  plan_options.fallback = options.fallback;
  plan_options.resources = options.resources;
  const DeviceLimits limits = options.minimum_limits ? DeviceLimits{} : DeviceLimits::typical();
  const ModelPath at = split_model_path(options.model);
  if (at.member.empty()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(SupportReport support,
                                check_support(options.model, options.model_options, limits, plan_options));
    const auto known = recognize_model(options.model);
    return CheckReport{std::move(options), std::move(support), known};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const FileContents file, read_member(at));
  SIGHTGLASS_ASSIGN_OR_RETURN(SupportReport support,
                              check_support(file, options.model, options.model_options, limits, plan_options));
  return CheckReport{std::move(options), std::move(support), recognize_model(file.bytes)};
}

Result<std::vector<std::string>> models_to_check(const std::string& model) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string path, ModelStore().resolve(model));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<std::string> models, models_at(path));
  // Not a bundle: as given.
  return models.size() == 1 && models[0] == path ? std::vector{model} : models;
}

// Formats a CheckReport as text and as JSON. Scripts read the JSON: keys are only ever added.

namespace {

int count(const std::vector<OperatorCount>& operators, int OperatorCount::*field) {
  int sum = 0;
  for (const OperatorCount& entry : operators) sum += entry.*field;
  return sum;
}

const char* limits_of(const CheckReport& report) { return report.options.minimum_limits ? "minimum" : "typical"; }

struct KernelCount {
  std::string name;
  int dispatches = 0;
};

// The shaders that run, most frequent first.
std::vector<KernelCount> count_kernels(const Plan& plan) {
  std::vector<KernelCount> counts;
  for (const Step& step : data_of(plan).steps) {
    const std::string name = step.kernel.substr(0, step.kernel.find('.'));
    auto entry = std::ranges::find(counts, name, &KernelCount::name);
    if (entry == counts.end()) entry = counts.insert(counts.end(), {name, 0});
    ++entry->dispatches;
  }
  std::ranges::stable_sort(counts, std::ranges::greater(), &KernelCount::dispatches);
  return counts;
}

std::string describe(const Quantization& quantization) {
  if (quantization.empty()) return {};
  if (quantization.scale.size() > 1) return ", scales along dimension " + std::to_string(quantization.axis);
  std::string text;
  append(text, ", real = %.6g * (q - %lld)", static_cast<double>(quantization.scale[0]),
         static_cast<long long>(quantization.zero_point[0]));
  return text;
}

// Dimensions after the batch that the file leaves open.
std::vector<int> open_dimensions(const TensorInfo& info) {
  std::vector<int> open;
  for (int d = 1; d < info.shape.rank(); ++d) {
    if ((info.open_dims >> d & 1U) != 0) open.push_back(d);
  }
  return open;
}

std::string describe_open(const TensorInfo& info) {
  std::string text;
  for (const int d : open_dimensions(info)) text += (text.empty() ? "" : " and ") + std::to_string(d);
  return text;
}

// The first input of which the file supposes a dimension of 1, which is no size of an image; -1: none.
int unsized_input(const std::vector<TensorInfo>& inputs) {
  const auto found = std::ranges::find_if(inputs, [](const TensorInfo& info) {
    return std::ranges::any_of(open_dimensions(info), [&](int d) { return info.shape.dim(d) == 1; });
  });
  return found == inputs.end() ? -1 : static_cast<int>(found - inputs.begin());
}

// "1x256x256x3" for the shape 1x1x1x3 with open height and width.
std::string sized(const TensorInfo& info) {
  constexpr int32_t kSide = 256;
  Shape shape = info.shape;
  for (const int d : open_dimensions(info)) shape.set_dim(d, kSide);
  return shape.to_string();
}

void append_tensors(std::string& text, const char* title, const std::vector<TensorInfo>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& info = tensors[i];
    append(text, "%-6s %zu    %s %s %s%s\n", title, i, to_string(info.type), info.shape.to_string().c_str(),
           sightglass::quote(info.name).c_str(), describe(info.quantization).c_str());
    if (const std::string open = describe_open(info); !open.empty()) {
      text.pop_back();
      append(text, ", dimensions %s are open\n", open.c_str());
    }
  }
}

void append_operators(std::string& text, const SupportReport& support) {
  const int total = count(support.operators, &OperatorCount::count);
  append(text, "operators   %d of %zu kinds\n", total, support.operators.size());
  for (const OperatorCount& entry : support.operators) {
    append(text, "            %5d  %s", entry.count, entry.name.c_str());
    if (entry.obstructed > 0) append(text, "  (%d cannot run)", entry.obstructed);
    text += "\n";
  }
}

void append_plan(std::string& text, const Plan& plan) {
  append(text, "plan        %d dispatches, %d barriers, %d programs\n", plan.dispatches(), plan.barriers(),
         plan.programs());
  text += "kernels     ";
  bool first = true;
  for (const KernelCount& entry : count_kernels(plan)) {
    append(text, "%s%s %d", first ? "" : ", ", entry.name.c_str(), entry.dispatches);
    first = false;
  }
  const MemoryReport& memory = plan.memory();
  append(text, "\narena       %.1f KiB; lower bound %.1f KiB (ratio %.3f)\n", kib(memory.arena_bytes),
         kib(memory.lower_bound_bytes), arena_ratio(memory));
  append(text, "weights     %.1f KiB on the GPU; other constants %.1f KiB\n", kib(memory.weight_bytes),
         kib(memory.constant_bytes));
}

// Operators of one kind that cannot run for the same reason share a line: "DENSIFY #8, #16: …".
void append_obstacles(std::string& text, const std::vector<Obstacle>& obstacles) {
  std::vector<bool> done(obstacles.size());
  for (size_t i = 0; i < obstacles.size(); ++i) {
    if (done[i]) continue;
    const std::string& where = obstacles[i].where;
    const std::string kind = where.substr(0, where.find(" #") + 1);
    std::string line = to_string(obstacles[i]), numbers;
    for (size_t j = i; j < obstacles.size() && !kind.empty(); ++j) {
      const std::string& other = obstacles[j].where;
      if (!other.starts_with(kind + "#") || obstacles[j].reason != obstacles[i].reason) continue;
      const size_t end = other.find(" (", kind.size());
      numbers += (j == i ? "" : ", ") + other.substr(kind.size(), end - kind.size());
      if (j > i) line = to_string(Obstacle{kind + numbers, obstacles[i].reason, obstacles[i].nearest});
      done[j] = true;
    }
    text += "  " + line + "\n";
  }
}

nlohmann::ordered_json quantization_json(const Quantization& quantization) {
  return {{"scale", quantization.scale}, {"zero_point", quantization.zero_point}, {"axis", quantization.axis}};
}

nlohmann::ordered_json tensors_json(const std::vector<TensorInfo>& tensors) {
  auto list = nlohmann::ordered_json::array();
  for (const TensorInfo& info : tensors) {
    nlohmann::ordered_json entry = tensor_json(info);
    if (const std::vector<int> open = open_dimensions(info); !open.empty()) entry["open_dimensions"] = open;
    if (!info.quantization.empty()) entry["quantization"] = quantization_json(info.quantization);
    list.push_back(std::move(entry));
  }
  return list;
}

void append_fallback(std::string& text, const FallbackReport& fallback) {
  append(text, "verdict     runs, with %zu operators on the CPU; %.1f KiB read back and %.1f KiB uploaded per run:\n",
         fallback.operators.size(), kib(fallback.bytes_read), kib(fallback.bytes_written));
  for (const std::string& operation : fallback.operators) text += "  " + operation + "\n";
}

nlohmann::ordered_json fallback_json(const FallbackReport& fallback) {
  return {{"operators", fallback.operators},
          {"bytes_read", fallback.bytes_read},
          {"bytes_written", fallback.bytes_written}};
}

nlohmann::ordered_json plan_json(const Plan& plan) {
  auto kernels = nlohmann::ordered_json::array();
  for (const KernelCount& entry : count_kernels(plan)) {
    kernels.push_back({{"name", entry.name}, {"dispatches", entry.dispatches}});
  }
  return {{"dispatches", plan.dispatches()},
          {"barriers", plan.barriers()},
          {"programs", plan.programs()},
          {"kernels", std::move(kernels)},
          {"memory", memory_json(plan.memory())}};
}

nlohmann::ordered_json report_json(const CheckReport& report) {
  using nlohmann::ordered_json;
  const SupportReport& support = report.support;
  ordered_json root;
  root["model"] = report.options.model;
  root["runs"] = support.obstacles.empty();
  root["precision"] = name_of(report.options.precision);
  root["limits"] = limits_of(report);
  if (report.known) root["known_as"] = {{"name", report.known->title}, {"task", to_string(report.known->task)}};
  root["inputs"] = tensors_json(support.inputs);
  root["outputs"] = tensors_json(support.outputs);
  root["metadata"] = metadata_json(support.metadata);
  root["operators"] = ordered_json::array();
  for (const OperatorCount& entry : support.operators) {
    root["operators"].push_back({{"name", entry.name}, {"count", entry.count}, {"obstructed", entry.obstructed}});
  }
  root["obstacles"] = ordered_json::array();
  for (const Obstacle& obstacle : support.obstacles) {
    root["obstacles"].push_back(
        {{"where", obstacle.where}, {"reason", obstacle.reason}, {"nearest", obstacle.nearest}});
  }
  root["multiply_adds"] = support.multiply_adds;
  root["constant_bytes"] = support.constant_bytes;
  if (support.plan) {
    root["fallback"] = fallback_json(support.plan->fallback());
    root["plan"] = plan_json(*support.plan);
  }
  return root;
}

}  // namespace

std::string format_text(const CheckReport& report) {
  const SupportReport& support = report.support;
  std::string text;
  append(text, "model       %s\n", report.options.model.c_str());
  append(text, "assumed     %s of OpenGL ES 3.1, %s\n",
         report.options.minimum_limits ? "the minimums" : "typical limits", name_of(report.options.precision));
  if (report.known)
    append(text, "known as    %s, a model for %s\n", report.known->title, to_string(report.known->task));
  append_tensors(text, "input", support.inputs);
  append_tensors(text, "output", support.outputs);
  append_metadata(text, support.metadata);
  append_operators(text, support);
  append(text, "arithmetic  %.3f million multiply-adds%s\n", static_cast<double>(support.multiply_adds) / 1e6,
         support.obstacles.empty() ? "" : ", of the operators that were understood");
  append(text, "constants   %.1f KiB in the file\n", kib(support.constant_bytes));
  if (support.plan) append_plan(text, *support.plan);
  if (support.plan && !support.plan->fallback().operators.empty()) {
    append_fallback(text, support.plan->fallback());
    return text;
  }
  if (const int input = unsized_input(support.inputs); support.obstacles.empty() && input >= 0) {
    const TensorInfo& info = support.inputs[static_cast<size_t>(input)];
    append(
        text,
        "verdict     needs a size: dimensions %s of input %d are open; check one with --input-shape %d=%s, and set it "
        "in elements with input-size=256x256\n",
        describe_open(info).c_str(), input, input, sized(info).c_str());
    return text;
  }
  if (support.obstacles.empty()) return text + "verdict     runs entirely on the GPU\n";
  append(text, "verdict     does not run; %zu unsupported:\n", support.obstacles.size());
  append_obstacles(text, support.obstacles);
  return text;
}

std::string format_json(const CheckReport& report) { return to_text(report_json(report)); }

std::string format_json(const std::vector<CheckReport>& reports) {
  auto list = nlohmann::ordered_json::array();
  for (const CheckReport& report : reports) list.push_back(report_json(report));
  return to_text(list);
}

}  // namespace sightglass
