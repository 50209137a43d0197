#include "infer/tensor_attachment.h"

#include <gst/gl/gstglbuffer.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "detect/detections.h"
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

HeldBuffers::HeldBuffers(GstGLContext* context, gsize bytes)
    : context_(GST_GL_CONTEXT(gst_object_ref(context))), bytes_(bytes) {}

HeldBuffers::HeldBuffers(HeldBuffers&& other) noexcept
    : context_(std::exchange(other.context_, nullptr)),
      bytes_(other.bytes_),
      memories_(std::exchange(other.memories_, {})) {}

HeldBuffers::~HeldBuffers() {
  for (GstMemory* memory : memories_) gst_memory_unref(memory);
  gst_clear_object(&context_);
}

// Returns a memory that only this object references; null if GL is out of memory.
GstMemory* HeldBuffers::free_memory() {
  const auto found =
      std::ranges::find_if(memories_, [](GstMemory* memory) { return GST_MINI_OBJECT_REFCOUNT_VALUE(memory) == 1; });
  if (found != memories_.end()) return *found;
  GstMemory* memory = allocate(context_, bytes_);
  if (memory == nullptr) return nullptr;
  memories_.push_back(memory);
  return memory;
}

Result<GstMemory*> HeldBuffers::copy(const GlApi& gl, const BufferRange& from, const std::string& what) {
  const size_t before = memories_.size();
  GstMemory* memory = free_memory();
  if (memory == nullptr) {
    return resource_exhausted("cannot allocate a GL buffer of " + std::to_string(bytes_) + " bytes for " + what);
  }
  if (memories_.size() > before) {
    GST_DEBUG_OBJECT(log_object(), "GL buffer %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes for %s",
                     memories_.size(), bytes_, what.c_str());
  }
  GstMapInfo info;
  // Mapping for writing invalidates the CPU copy of the memory.
  if (gst_memory_map(memory, &info, static_cast<GstMapFlags>(GST_MAP_WRITE | GST_MAP_GL)) == FALSE) {
    return device_error("cannot map the GL buffer of " + what);
  }
  const GLuint to = *reinterpret_cast<const guint*>(info.data);
  copy_buffer(gl, from, to);
  gst_memory_unmap(memory, &info);
  return gst_memory_ref(memory);
}

namespace {

uint64_t next_source() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

}  // namespace

ObjectAttachment::ObjectAttachment(GstGLContext* context, std::shared_ptr<ShareGroup> group,
                                   std::vector<std::string> labels)
    : group_(std::move(group)),
      labels_(std::make_shared<const std::vector<std::string>>(std::move(labels))),
      source_(next_source()),
      buffers_(context, sizeof(Detections)) {}

Status ObjectAttachment::attach(GstBuffer* picture, const BufferRange& found, uint64_t run, bool drawn) {
  if (std::exchange(latest_run_, run) != run || latest_ == nullptr) {
    latest_.reset();  // now only earlier frames hold it
    const GlApi& gl = group_->gl();
    gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    SIGHTGLASS_ASSIGN_OR_RETURN(GstMemory * memory, buffers_.copy(gl, found, "objects"));
    latest_ = std::make_shared<const AttachedObjects>(memory, labels_, source_, drawn);
  }
  add_objects_meta(picture, latest_);
  return {};
}

TensorAttachment::TensorAttachment(GstGLContext* context, std::shared_ptr<ShareGroup> group, const Model& model)
    : group_(std::move(group)), model_(model.name()) {
  for (const TensorInfo& info : model.outputs()) {
    std::vector<guint> dims;
    for (const int32_t dim : info.shape.dims()) dims.push_back(static_cast<guint>(dim));
    const auto bytes = static_cast<gsize>(info.shape.elements()) * sizeof(float);
    outputs_.push_back({info.name, std::move(dims), HeldBuffers(context, bytes)});
  }
}

Status TensorAttachment::attach(GstBuffer* picture, const Inferencer& inferencer) {
  if (std::exchange(latest_run_, inferencer.inferences()) != inferencer.inferences() || latest_ == nullptr) {
    latest_.reset();  // now only earlier frames hold it
    auto tensors = std::make_shared<AttachedTensors>(model_, outputs_.size());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange numbers, inferencer.tensor(i));
      Result<GstMemory*> memory = outputs_[i].buffers.copy(group_->gl(), numbers, "output " + quote(outputs_[i].name));
      if (!memory.ok()) return memory.status().with_context("attach-tensors");
      tensors->add(outputs_[i].name, outputs_[i].dims, *memory);
    }
    latest_ = std::move(tensors);
  }
  GST_LOG_OBJECT(log_object(), "attach-tensors: %" G_GSIZE_FORMAT " tensors of inference %" G_GUINT64_FORMAT,
                 outputs_.size(), latest_run_);
  return add_tensor_meta(picture, latest_) != nullptr ? Status()
                                                      : internal_error("attach-tensors: cannot add the metadata");
}

}  // namespace sightglass
