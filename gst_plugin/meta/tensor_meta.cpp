#include "sightglass/gst/tensor_meta.h"

#include <algorithm>
#include <utility>

#include "gobject/guarded.h"
#include "meta/meta_types.h"

namespace sightglass {

namespace {

using SharedTensors = std::shared_ptr<const AttachedTensors>;

// Without tags: tensors describe the frame that the model ran on, whatever happens to it downstream.
GType api_type() {
  static const gchar* tags[] = {nullptr};
  static const GType type = gst_meta_api_type_register(SIGHTGLASS_TENSOR_META_API_NAME, tags);
  return type;
}

SightglassTensorMeta* tensors_of(GstMeta* meta) { return reinterpret_cast<SightglassTensorMeta*>(meta); }

gboolean init(GstMeta* meta, gpointer /*params*/, GstBuffer* /*buffer*/) {
  SightglassTensorMeta* tensors = tensors_of(meta);
  tensors->model = nullptr;
  tensors->tensors_count = 0;
  tensors->tensors = nullptr;
  tensors->owner = nullptr;
  return TRUE;
}

void release(GstMeta* meta, GstBuffer* /*buffer*/) { delete static_cast<SharedTensors*>(tensors_of(meta)->owner); }

gboolean transform(GstBuffer* destination, GstMeta* meta, GstBuffer* /*buffer*/, GQuark type, gpointer data) {
  if (GST_META_TRANSFORM_IS_COPY(type) && static_cast<GstMetaTransformCopy*>(data)->region != FALSE) return FALSE;
  return add_tensor_meta(destination, *static_cast<SharedTensors*>(tensors_of(meta)->owner)) != nullptr;
}

}  // namespace

AttachedTensors::AttachedTensors(std::string model, size_t count) : model_(std::move(model)) {
  names_.reserve(count);  // keeps pointers to elements valid
  tensors_.reserve(count);
}

AttachedTensors::~AttachedTensors() {
  for (const SightglassTensor& tensor : tensors_) gst_memory_unref(tensor.memory);
}

void AttachedTensors::add(std::string name, const std::vector<guint>& dims, GstMemory* memory) {
  names_.push_back(std::move(name));
  SightglassTensor tensor{names_.back().c_str(), static_cast<guint>(dims.size()), {}, memory};
  std::ranges::copy(dims, tensor.dims);
  tensors_.push_back(tensor);
}

const GstMetaInfo* tensor_meta_info() {
  static const GstMetaInfo* const info =
      gst_meta_register(api_type(), "SightglassTensorMeta", sizeof(SightglassTensorMeta), guarded<init>,
                        guarded<release>, guarded<transform>);
  return info;
}

SightglassTensorMeta* add_tensor_meta(GstBuffer* buffer, std::shared_ptr<const AttachedTensors> tensors) {
  SightglassTensorMeta* meta = tensors_of(gst_buffer_add_meta(buffer, tensor_meta_info(), nullptr));
  if (meta == nullptr) return nullptr;
  meta->model = tensors->model().c_str();
  meta->tensors_count = static_cast<guint>(tensors->tensors().size());
  meta->tensors = tensors->tensors().data();
  meta->owner = new SharedTensors(std::move(tensors));
  return meta;
}

}  // namespace sightglass
