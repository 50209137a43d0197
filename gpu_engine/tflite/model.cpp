#include "gpu_engine/model.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "graph/graph.h"
#include "tflite/importer.h"

namespace sightglass {
namespace {

struct FileDescriptor {
  int fd = -1;
  ~FileDescriptor() {
    if (fd >= 0) close(fd);
  }
};

std::string system_message() { return std::strerror(errno); }

struct MappedFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

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

// The one input that a node passes on with its numbers, apart from their places or a mean of neighbours.
bool keeps_probabilities(OpType op) {
  switch (op) {
    case OpType::kReshape:
    case OpType::kResizeBilinear:
    case OpType::kDepthToSpace:
    case OpType::kStridedSlice:
      return true;
    default:
      return false;
  }
}

tflite::ImportOptions import_options(const ModelOptions& options) {
  tflite::ImportOptions import;
  import.quantized_models = options.quantized_models == QuantizedModels::kAllowed;
  return import;
}

}  // namespace

Result<std::shared_ptr<const Model>> Model::load(const std::string& path, const ModelOptions& options) {
  Result<MappedFile> file = map_file(path);
  if (!file.ok()) return file.status().with_context(path);
  SG_ASSIGN_OR_RETURN(Graph graph, tflite::import(file->bytes, file->owner, path, import_options(options)));
  return from_graph(std::move(graph));
}

Result<std::shared_ptr<const Model>> Model::load(std::span<const std::byte> bytes, const std::string& name,
                                                 const ModelOptions& options) {
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  SG_ASSIGN_OR_RETURN(Graph graph, tflite::import(*copy, copy, name, import_options(options)));
  return from_graph(std::move(graph));
}

OutputActivation Model::output_activation(size_t output) const {
  if (output >= graph_->outputs.size()) return OutputActivation::kNone;
  ValueId id = graph_->outputs[output];
  while (graph_->value(id).producer != kNone) {
    const Node& node = graph_->node(graph_->value(id).producer);
    if (node.activation == Activation::kLogistic) return OutputActivation::kSigmoid;
    if (node.activation != Activation::kNone) return OutputActivation::kNone;
    if (node.op == OpType::kLogistic) return OutputActivation::kSigmoid;
    if (node.op == OpType::kSoftmax) return OutputActivation::kSoftmax;
    if (!keeps_probabilities(node.op)) return OutputActivation::kNone;
    id = node.inputs[0];
  }
  return OutputActivation::kNone;
}

}  // namespace sightglass
