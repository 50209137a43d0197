#include "tflite/open_model.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sightglass::tflite {
namespace {

struct FileDescriptor {
  int fd = -1;
  ~FileDescriptor() {
    if (fd >= 0) close(fd);
  }
};

std::string system_message() { return std::strerror(errno); }

}  // namespace

Result<MappedFile> map_file(const std::string& path) {
  const FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return not_found("cannot open the model: " + system_message());
  struct stat info {};
  if (fstat(file.fd, &info) != 0) return not_found("cannot read the model: " + system_message());
  if (!S_ISREG(info.st_mode)) return invalid_argument("no regular file");
  if (info.st_size == 0) return invalid_model("no TensorFlow Lite model: the file is empty");
  const auto size = static_cast<size_t>(info.st_size);
  void* const address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (address == MAP_FAILED) return resource_exhausted("cannot map the model: " + system_message());
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
