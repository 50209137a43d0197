#include "tflite/open_model.h"

#include <algorithm>
#include <array>

#include "gpu_engine/input_file.h"
#include "gpu_engine/memory_limit.h"
#include "gpu_engine/model_internals.h"
#include "tflite/file_kind.h"

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
  return import;
}

Result<Survey> survey_file(const std::string& path, const ModelOptions& options) {
  Result<FileContents> file = read_model_file(path, options);
  if (!file.ok()) return file.status().with_context(path);
  return survey(file->bytes, file->owner, path, import_options(options, file->bytes.size()));
}

}  // namespace tflite

}  // namespace sightglass
