// A verified .tflite file: the structure of the flatbuffer has been checked, so its tables are safe to read. Readers
// must still check the values in them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gpu_engine/quoted.h"
#include "sightglass/model_metadata.h"
#include "sightglass/status.h"
#include "tflite/schema_generated.h"

namespace sightglass::tflite {

class ModelFile {
 public:
  // Checks size, identifier, flatbuffer structure and format version.
  static Result<ModelFile> open(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  // The subgraph to run: initially the first one.
  const schema::SubGraph& subgraph() const { return *subgraph_; }
  bool is_first() const { return subgraph_ == model_->subgraphs()->Get(0); }
  // Chooses the subgraph of a signature of the file; nothing if `signature` is empty. Fails with kInvalidArgument,
  // naming the signatures, if there is none of that name.
  Status choose(const std::string& signature);
  const schema::Model& model() const { return *model_; }
  std::span<const std::byte> bytes() const { return bytes_; }  // the whole file
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // The contents of a buffer, inside the file; empty if it has none.
  Result<std::span<const std::byte>> buffer(uint32_t index) const;

  // Flatbuffers may share parts, so a small file can reference more bytes than it has. Readers that copy from the file
  // charge the bytes here. Fails if the total is many times the file size.
  Status charge(size_t bytes);

 private:
  ModelFile() = default;

  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  const schema::Model* model_ = nullptr;
  const schema::SubGraph* subgraph_ = nullptr;
  size_t budget_ = 0;
};

// Recognizes files mistaken for models by their first bytes.

// "a JPEG image", with a fix if there is one; null if unknown.
const char* file_kind(std::string_view bytes);

// The contents of the named member of the archive that follows the flatbuffer, inside `file`. Fails if there is no
// archive or no such member, if it is compressed, or if the archive is inconsistent with the file.
Result<std::span<const std::byte>> attached_file(std::span<const std::byte> file, std::string_view name);

// Model metadata. Loading never fails because of it: errors become problems, for a warning.
ModelMetadata read_metadata(const ModelFile& file);

}  // namespace sightglass::tflite
