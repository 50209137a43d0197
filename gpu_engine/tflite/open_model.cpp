#include "tflite/open_model.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "gpu_engine/input_file.h"

namespace sightglass::tflite {

Result<MappedFile> map_file(const std::string& path) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const InputFile file, InputFile::open(path));
  if (file.size() == 0) return invalid_model("not a TensorFlow Lite model: the file is empty");
  const auto size = static_cast<size_t>(file.size());
  void* const address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED) {
    return resource_exhausted(std::string("cannot map the model: ") + std::strerror(errno));
  }
  std::shared_ptr<const void> owner(address, [size](const void* p) { munmap(const_cast<void*>(p), size); });
  return MappedFile{{static_cast<const std::byte*>(address), size}, std::move(owner)};
}

ImportOptions import_options(const ModelOptions& options) {
  ImportOptions import;
  import.quantized_models = options.quantized_models == QuantizedModels::kAllowed;
  import.input_shapes = options.input_shapes;
  return import;
}

Result<Survey> survey_file(const std::string& path, const ModelOptions& options) {
  Result<MappedFile> file = map_file(path);
  if (!file.ok()) return file.status().with_context(path);
  return survey(file->bytes, file->owner, path, import_options(options));
}

}  // namespace sightglass::tflite
