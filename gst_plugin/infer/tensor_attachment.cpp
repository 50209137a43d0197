#include "infer/tensor_attachment.h"

#include <gst/gl/gstglbuffer.h>

#include <algorithm>
#include <utility>

#include "gl/objects.h"
#include "gobject/log.h"
#include "gpu_engine/quoted.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

namespace {

// Target and usage of a GL buffer that shaders write and read.
constexpr guint kTarget = GL_SHADER_STORAGE_BUFFER, kUsage = GL_DYNAMIC_COPY;

// Returns null if GL is out of memory.
GstMemory* allocate(GstGLContext* context, gsize bytes) {
  gst_gl_buffer_init_once();
  GstGLBufferAllocationParams* params = gst_gl_buffer_allocation_params_new(context, bytes, nullptr, kTarget, kUsage);
  GstAllocator* allocator = gst_allocator_find(GST_GL_BUFFER_ALLOCATOR_NAME);
  GstGLBaseMemory* memory = allocator == nullptr
                                ? nullptr
                                : gst_gl_base_memory_alloc(GST_GL_BASE_MEMORY_ALLOCATOR(allocator),
                                                           reinterpret_cast<GstGLAllocationParams*>(params));
  gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams*>(params));
  if (allocator != nullptr) gst_object_unref(allocator);
  return GST_MEMORY_CAST(memory);
}

}  // namespace

Result<std::unique_ptr<TensorAttachment>> TensorAttachment::create(GstGLContext* context,
                                                                   const std::shared_ptr<ShareGroup>& group,
                                                                   const Model& model) {
  return std::unique_ptr<TensorAttachment>(new TensorAttachment(context, group, model));
}

TensorAttachment::TensorAttachment(GstGLContext* context, std::shared_ptr<ShareGroup> group, const Model& model)
    : context_(GST_GL_CONTEXT(gst_object_ref(context))), group_(std::move(group)), model_(model.name()) {
  for (const TensorInfo& info : model.outputs()) {
    Output output;
    output.name = info.name;
    for (const int32_t dim : info.shape.dims()) output.dims.push_back(static_cast<guint>(dim));
    output.bytes = static_cast<gsize>(info.shape.elements()) * sizeof(float);
    outputs_.push_back(std::move(output));
  }
}

TensorAttachment::~TensorAttachment() {
  latest_.reset();
  for (const Output& output : outputs_) {
    for (GstMemory* memory : output.memories) gst_memory_unref(memory);
  }
  gst_object_unref(context_);
}

// Returns a memory that only this object references.
GstMemory* TensorAttachment::free_memory(Output& output) const {
  const auto found = std::ranges::find_if(
      output.memories, [](GstMemory* memory) { return GST_MINI_OBJECT_REFCOUNT_VALUE(memory) == 1; });
  if (found != output.memories.end()) return *found;
  GstMemory* memory = allocate(context_, output.bytes);
  if (memory == nullptr) return nullptr;
  output.memories.push_back(memory);
  GST_DEBUG_OBJECT(log_object(), "attach-tensors: GL buffer %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes for %s",
                   output.memories.size(), output.bytes, output.name.c_str());
  return memory;
}

Status TensorAttachment::copy(const BufferRange& from, GstMemory* memory) const {
  const GlApi& gl = group_->gl();
  GstMapInfo info;
  // Mapping for writing invalidates the CPU copy of the memory.
  if (gst_memory_map(memory, &info, static_cast<GstMapFlags>(GST_MAP_WRITE | GST_MAP_GL)) == FALSE) {
    return device_error("attach-tensors: cannot map the GL buffer of a tensor");
  }
  const GLuint to = *reinterpret_cast<const guint*>(info.data);
  copy_buffer(gl, from, to);
  gst_memory_unmap(memory, &info);
  return {};
}

Status TensorAttachment::attach(GstBuffer* picture, const Inferencer& inferencer) {
  if (std::exchange(latest_run_, inferencer.inferences()) != inferencer.inferences() || latest_ == nullptr) {
    latest_.reset();  // now only earlier frames hold it
    auto tensors = std::make_shared<AttachedTensors>(model_, outputs_.size());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange numbers, inferencer.tensor(i));
      GstMemory* memory = free_memory(outputs_[i]);
      if (memory == nullptr) {
        return resource_exhausted("attach-tensors: cannot allocate a GL buffer of " +
                                  std::to_string(outputs_[i].bytes) + " bytes for output " +
                                  sightglass::quote(outputs_[i].name));
      }
      SIGHTGLASS_RETURN_IF_ERROR(copy(numbers, memory));
      tensors->add(outputs_[i].name, outputs_[i].dims, gst_memory_ref(memory));
    }
    latest_ = std::move(tensors);
  }
  GST_LOG_OBJECT(log_object(), "attach-tensors: %" G_GSIZE_FORMAT " tensors of inference %" G_GUINT64_FORMAT,
                 outputs_.size(), latest_run_);
  return add_tensor_meta(picture, latest_) != nullptr ? Status()
                                                      : internal_error("attach-tensors: cannot add the metadata");
}

}  // namespace sightglass
