#include "tflite/import.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>

#include "gpu_engine/files.h"
#include "gpu_engine/internals.h"
#include "gpu_engine/quoted.h"
#include "graph/analyses.h"
#include "graph/graph.h"
#include "sightglass/model.h"
#include "tflite/importer.h"
#include "tflite/model_file.h"

namespace sightglass::tflite {
namespace {

// One error that names all obstacles.
Status refuse(const std::vector<Obstacle>& obstacles) {
  const bool operators = std::ranges::none_of(obstacles, &std::string::empty, &Obstacle::where);
  if (!operators && obstacles.size() == 1) return unsupported(obstacles[0].reason);
  const std::string count = std::to_string(obstacles.size());
  std::string message = !operators              ? count + " parts are not supported:"
                        : obstacles.size() == 1 ? "1 operator is not supported:"
                                                : count + " operators are not supported:";
  for (const Obstacle& obstacle : obstacles) message += "\n  " + to_string(obstacle);
  return unsupported(message);
}

}  // namespace

Result<Survey> survey(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                      const ImportOptions& options) {
  Result<ModelFile> file = ModelFile::open(bytes, std::move(owner));
  if (!file.ok()) return file.status().with_context(name);
  SIGHTGLASS_RETURN_IF_ERROR(file->choose(options.signature).with_context(name));
  ModelMetadata metadata = read_metadata(*file);
  Result<Survey> result = Importer(std::move(file).value(), options).run(name);
  if (!result.ok()) return result.status().with_context(name);
  result->metadata = std::move(metadata);
  return result;
}

Result<Survey> import_whole(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                            const std::string& name, const ImportOptions& options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Survey result, survey(bytes, std::move(owner), name, options));
  if (!result.obstacles.empty()) return refuse(result.obstacles).with_context(name);
  return result;
}

Result<Graph> import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                     const ImportOptions& options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Survey result, import_whole(bytes, std::move(owner), name, options));
  return std::move(result.graph);
}

}  // namespace sightglass::tflite

namespace sightglass {

namespace {

// Other files mistaken for models, such as videos, are often larger than the limit: the error names their kind.
Status check_size(InputFile& file, int64_t limit) {
  if (file.size() <= limit) return {};
  std::array<std::byte, 512> beginning{};
  SIGHTGLASS_ASSIGN_OR_RETURN(const size_t count, file.read(beginning));
  if (const char* kind = tflite::file_kind({reinterpret_cast<const char*>(beginning.data()), count})) {
    return invalid_model(std::string("not a TensorFlow Lite model: this is ") + kind);
  }
  return beyond_memory_limit("the file has", file.size(), limit);
}

}  // namespace

Result<FileContents> read_model_file(const std::string& path, const ModelOptions& options) {
  {
    SIGHTGLASS_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
    if (file.size() == 0) return invalid_model("not a TensorFlow Lite model: the file is empty");
    SIGHTGLASS_RETURN_IF_ERROR(check_size(file, options.memory_limit));
  }
  return read_file(path, options.memory_limit);
}

namespace tflite {

// Few models have constants to evaluate, and their results are about as large as the constants in the file.
ImportOptions import_options(const ModelOptions& options, size_t file_bytes) {
  constexpr int64_t kSmallShare = 16, kGrowth = 8;
  ImportOptions import;
  import.quantized_models = options.quantized_models == QuantizedModels::kAllowed;
  import.input_shapes = options.input_shapes;
  const int64_t whole = options.memory_limit;
  const int64_t grown =
      static_cast<int64_t>(file_bytes) < whole / kGrowth ? kGrowth * static_cast<int64_t>(file_bytes) : whole;
  import.max_folded_bytes = std::min(import.max_folded_bytes, whole / kSmallShare + grown);
  import.open_size = options.open_size;
  import.open_batch = options.open_batch;
  import.signature = options.signature;
  return import;
}

Result<Survey> survey_file(const std::string& path, const ModelOptions& options) {
  Result<FileContents> file = read_model_file(path, options);
  if (!file.ok()) return file.status().with_context(path);
  return survey(file->bytes, file->owner, path, import_options(options, file->bytes.size()));
}

}  // namespace tflite

namespace {

std::string list(const std::vector<TensorInfo>& tensors) {
  std::string text;
  for (const TensorInfo& tensor : tensors) {
    text +=
        (text.empty() ? "" : ", ") + quote(tensor.name) + " " + to_string(tensor.type) + " " + tensor.shape.to_string();
  }
  return text;
}

// "CONV_2D ×31, ADD ×8".
std::string count_operators(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const NodeId id : graph.order()) ++counts[to_string(graph.node(id).op)];
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + name + " ×" + std::to_string(count);
  }
  return text;
}

// Every application holds the inputs and outputs at once.
Status check_ends(const Model& model, int64_t limit) {
  int64_t bytes = 0;
  for (const auto* tensors : {&model.inputs(), &model.outputs()}) {
    for (const TensorInfo& tensor : *tensors) {
      const int64_t more = tensor.shape.elements() * static_cast<int64_t>(size_of(tensor.type));
      if (__builtin_add_overflow(bytes, more, &bytes)) bytes = std::numeric_limits<int64_t>::max();
    }
  }
  return bytes <= limit ? Status() : beyond_memory_limit(model.name() + ": its inputs and outputs need", bytes, limit);
}

// The contents of a file that count in the memory limit.
struct CountedFile {
  std::shared_ptr<const void> owner;
  MemoryShare share;
};

void log_import(const Model& model, size_t bytes, const Stopwatch& time, const Log& log) {
  log.info([&] {
    return model.name() + ": " + std::to_string(graph_of(model).order().size()) + " operators, " +
           std::to_string(bytes) + " bytes, imported in " + time.text();
  });
  log.debug([&] { return model.name() + ": operators: " + count_operators(graph_of(model)); });
  log.debug([&] { return model.name() + ": inputs: " + list(model.inputs()) + "; outputs: " + list(model.outputs()); });
}

}  // namespace

Result<std::shared_ptr<const Model>> Model::load(const std::string& path, const ModelOptions& options) try {
  Result<FileContents> file = read_model_file(path, options);
  if (!file.ok()) return file.status().with_context(path);
  return ModelInternals::load(*file, path, options);
} catch (...) {
  return status_of_exception(path, "load the model");
}

Result<std::shared_ptr<const Model>> Model::load(std::span<const std::byte> bytes, const std::string& name,
                                                 const ModelOptions& options) try {
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  return ModelInternals::load({*copy, copy}, name, options);
} catch (...) {
  return status_of_exception(name, "load the model");
}

Result<std::shared_ptr<const Model>> ModelInternals::load(const FileContents& file, const std::string& name,
                                                          const ModelOptions& options) try {
  const Stopwatch time;
  SIGHTGLASS_ASSIGN_OR_RETURN(
      MemoryShare share,
      MemoryShare::take(name + ": the model needs", static_cast<int64_t>(file.bytes.size()), options.memory_limit));
  const auto owner = std::make_shared<const CountedFile>(CountedFile{file.owner, std::move(share)});
  SIGHTGLASS_ASSIGN_OR_RETURN(
      tflite::Survey whole,
      tflite::import_whole(file.bytes, owner, name, tflite::import_options(options, file.bytes.size())));
  arrange_images(whole.graph, options.image_order);
  SIGHTGLASS_ASSIGN_OR_RETURN(auto model, make(std::move(whole.graph), std::move(whole.metadata)));
  SIGHTGLASS_RETURN_IF_ERROR(check_ends(*model, options.memory_limit));
  log_import(*model, file.bytes.size(), time, options.log);
  return model;
} catch (...) {
  return status_of_exception(name, "load the model");
}

ValueRange Model::output_range(size_t output, const ValueRange& input) const {
  if (output >= graph_->outputs.size()) return {};
  return value_ranges(*graph_, std::span(&input, 1))[static_cast<size_t>(graph_->outputs[output])];
}

bool Model::output_holds_indices(size_t output) const {
  return output < graph_->outputs.size() && holds_indices(*graph_, graph_->outputs[output]);
}

std::optional<std::array<size_t, 4>> Model::detection_outputs() const {
  for (const NodeId id : graph_->order()) {
    const Node& node = graph_->node(id);
    if (node.op != OpType::kDetectionPostprocess) continue;
    std::array<size_t, detection::kOutputs> found{};
    for (size_t i = 0; i < found.size(); ++i) {
      const auto place = std::ranges::find(graph_->outputs, node.outputs[i]);
      if (place == graph_->outputs.end()) return std::nullopt;
      found[i] = static_cast<size_t>(place - graph_->outputs.begin());
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace sightglass
