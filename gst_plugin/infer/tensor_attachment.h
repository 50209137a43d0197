// Attaches model outputs and objects to buffers, in GStreamer memory.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <vector>

#include "infer/inferencer.h"
#include "meta/meta_types.h"
#include "sightglass/model.h"
#include "sightglass/share_group.h"

namespace sightglass {

// GL buffers of one size that other elements hold for a while. All calls, including the destructor, need the context
// current.
class HeldBuffers {
 public:
  HeldBuffers(GstGLContext* context, gsize bytes);
  ~HeldBuffers();
  HeldBuffers(HeldBuffers&& other) noexcept;
  HeldBuffers& operator=(HeldBuffers&&) = delete;

  // A reference to a memory that nothing else refers to, with a copy of that range, which the GPU makes. Reuses
  // released GL buffers, and allocates only when more are held than ever before. The error calls the content `what`.
  Result<GstMemory*> copy(const GlApi& gl, const BufferRange& from, const std::string& what);
  gsize bytes() const { return bytes_; }

 private:
  GstMemory* free_memory();

  GstGLContext* context_;  // owned reference
  gsize bytes_;
  std::vector<GstMemory*> memories_;  // all allocated ones; owned references
};

// Attaches the objects of a detector, for elements downstream. All calls, including the destructor, need the context
// current.
class ObjectAttachment {
 public:
  ObjectAttachment(GstGLContext* context, std::shared_ptr<ShareGroup> group, std::vector<std::string> labels);
  // Attaches `found`, a buffer of Detections. Copies it if `run` is another one than before.
  Status attach(GstBuffer* picture, const BufferRange& found, uint64_t run, bool drawn);

 private:
  const std::shared_ptr<ShareGroup> group_;
  const AttachedObjects::Labels labels_;
  const uint64_t source_;
  HeldBuffers buffers_;
  SharedObjects latest_;
  uint64_t latest_run_ = 0;
};

// All calls, including the destructor, need the context current.
class TensorAttachment {
 public:
  TensorAttachment(GstGLContext* context, std::shared_ptr<ShareGroup> group, const Model& model);

  // Attaches the outputs of the model's last run to `picture`, which must be writable. Copies them on the GPU if there
  // was a new run, otherwise attaches the same ones again. Restores GL state.
  Status attach(GstBuffer* picture, const Inferencer& inferencer);

 private:
  struct Output {
    std::string name;
    std::vector<guint> dims;
    HeldBuffers buffers;
  };

  const std::shared_ptr<ShareGroup> group_;
  std::string model_;
  std::vector<Output> outputs_;
  std::shared_ptr<const AttachedTensors> latest_;
  uint64_t latest_run_ = 0;  // Inferencer::inferences()
};

}  // namespace sightglass
