// The plugin side of tensor_meta.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sightglass/gst/tensor_meta.h"

namespace sightglass {

// The tensors of one run, with a reference to the memory of each. Names and memories do not move.
class AttachedTensors {
 public:
  AttachedTensors(std::string model, size_t count);
  ~AttachedTensors();
  AttachedTensors(const AttachedTensors&) = delete;
  AttachedTensors& operator=(const AttachedTensors&) = delete;

  // Takes the reference.
  void add(std::string name, const std::vector<guint>& dims, GstMemory* memory);
  const std::string& model() const { return model_; }
  const std::vector<SightglassTensor>& tensors() const { return tensors_; }

 private:
  std::string model_;
  std::vector<std::string> names_;
  std::vector<SightglassTensor> tensors_;
};

// Registers the type on the first call.
const GstMetaInfo* tensor_meta_info();
// Adds a meta; the buffer must be writable. Null on failure.
SightglassTensorMeta* add_tensor_meta(GstBuffer* buffer, std::shared_ptr<const AttachedTensors> tensors);

}  // namespace sightglass
