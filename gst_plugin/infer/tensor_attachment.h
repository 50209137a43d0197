// Gives buffers the outputs of a model, in memory of GStreamer's.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <vector>

#include "gpu_engine/model.h"
#include "gpu_engine/share_group.h"
#include "infer/inferencer.h"
#include "meta/tensor_meta_type.h"

namespace sightglass {

// All calls, the destructor included, need the context current.
class TensorAttachment {
 public:
  static Result<std::unique_ptr<TensorAttachment>> create(GstGLContext* context,
                                                          const std::shared_ptr<ShareGroup>& group, const Model& model);
  ~TensorAttachment();
  TensorAttachment(const TensorAttachment&) = delete;
  TensorAttachment& operator=(const TensorAttachment&) = delete;

  // Attaches what the model's last run gave to `picture`, which must be writable: copied on the GPU if it is another
  // run than before, else the same as before. What nobody holds any more is used again; GL buffers are allocated only
  // where more are held than ever before. GL state is as found.
  Status attach(GstBuffer* picture, const Inferencer& inferencer);

 private:
  struct Output {
    std::string name;
    std::vector<guint> dims;
    gsize bytes = 0;
    std::vector<GstMemory*> memories;  // all that there are; a reference to each
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
