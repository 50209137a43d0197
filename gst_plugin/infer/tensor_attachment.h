// Attaches model outputs to buffers, in GStreamer memory.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <vector>

#include "infer/inferencer.h"
#include "meta/meta_types.h"
#include "sightglass/model.h"
#include "sightglass/share_group.h"

namespace sightglass {

// All calls, including the destructor, need the context current.
class TensorAttachment {
 public:
  static Result<std::unique_ptr<TensorAttachment>> create(GstGLContext* context,
                                                          const std::shared_ptr<ShareGroup>& group, const Model& model);
  ~TensorAttachment();
  TensorAttachment(const TensorAttachment&) = delete;
  TensorAttachment& operator=(const TensorAttachment&) = delete;

  // Attaches the outputs of the model's last run to `picture`, which must be writable. Copies them on the GPU if there
  // was a new run, otherwise attaches the same ones again. Reuses released GL buffers, and allocates only when more are
  // held than ever before. Restores GL state.
  Status attach(GstBuffer* picture, const Inferencer& inferencer);

 private:
  struct Output {
    std::string name;
    std::vector<guint> dims;
    gsize bytes = 0;
    std::vector<GstMemory*> memories;  // all allocated ones; owned references
  };
  TensorAttachment(GstGLContext* context, std::shared_ptr<ShareGroup> group, const Model& model);
  GstMemory* free_memory(Output& output) const;
  Status copy(const BufferRange& from, GstMemory* memory) const;

  GstGLContext* context_;  // owned reference
  const std::shared_ptr<ShareGroup> group_;
  std::string model_;
  std::vector<Output> outputs_;
  std::shared_ptr<const AttachedTensors> latest_;
  uint64_t latest_run_ = 0;  // Inferencer::inferences()
};

}  // namespace sightglass
