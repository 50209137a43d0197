// The plugin side of the metadata in include/sightglass/gst: registration and creation.
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "meta/inference_results.h"
#include "sightglass/gst/mask_meta.h"
#include "sightglass/gst/results_meta.h"
#include "sightglass/gst/tensor_meta.h"
#include "sightglass/input_transform.h"

namespace sightglass {

// The plugin side of mask_meta.h.

// Registers the type on the first call.
const GstMetaInfo* mask_meta_info();
// Adds a meta with a reference to `mask`, which covers `place` of the frame. The buffer must be writable.
SightglassMaskMeta* add_mask_meta(GstBuffer* buffer, GstBuffer* mask, const CropRect& place);

// The plugin side of results_meta.h.

// Registers the type on the first call.
const GstMetaInfo* results_meta_info();
// Adds a meta that shares `results`; null on failure. The buffer must be writable.
SightglassResultsMeta* add_results_meta(GstBuffer* buffer, const SharedResults& results);

// The plugin side of tensor_meta.h.
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

// Metadata with the objects that glinfer has found in a frame, on the GPU, for another one with regions=upstream.
// Internal to glinfer: applications get results.
class AttachedObjects {
 public:
  using Labels = std::shared_ptr<const std::vector<std::string>>;
  // Takes the reference to `memory`, a GstGLBuffer of Detections (detect/detections.h). `source` is the number of what
  // has found them, unique in the process: track IDs of one source are comparable.
  AttachedObjects(GstMemory* memory, Labels labels, uint64_t source, bool drawn)
      : memory_(memory), labels_(std::move(labels)), source_(source), drawn_(drawn) {}
  ~AttachedObjects() { gst_memory_unref(memory_); }
  AttachedObjects(const AttachedObjects&) = delete;
  AttachedObjects& operator=(const AttachedObjects&) = delete;

  GstMemory* memory() const { return memory_; }
  const Labels& labels() const { return labels_; }  // by class
  uint64_t source() const { return source_; }
  bool drawn() const { return drawn_; }  // over the frame

 private:
  GstMemory* memory_;
  Labels labels_;
  uint64_t source_;
  bool drawn_;
};
using SharedObjects = std::shared_ptr<const AttachedObjects>;

// Registers the type on the first call.
const GstMetaInfo* objects_meta_info();
// Adds a meta in place of earlier ones; the buffer must be writable.
void add_objects_meta(GstBuffer* buffer, SharedObjects objects);
// Null if the buffer has none.
SharedObjects objects_of(GstBuffer* buffer);
// An event for upstream: elements that find objects attach them to frames from now on.
GstEvent* objects_request();
bool is_objects_request(GstEvent* event);

// Metadata that a background matcher attaches to frames, for glsegment to show behind their foreground. Internal to
// these two elements, which glsegmentbin links directly.
struct BackgroundMeta {
  GstMeta meta;
  GstBuffer* frame;  // one GLMemory, 2D, RGBA
  GstVideoInfo info;
};

// Registers the type on the first call.
const GstMetaInfo* background_meta_info();
// Adds a meta with a reference to `frame`. The buffer must be writable.
void add_background_meta(GstBuffer* buffer, GstBuffer* frame, const GstVideoInfo& info);
// Null if the buffer has none. The buffer owns it.
const BackgroundMeta* background_meta_of(GstBuffer* buffer);

}  // namespace sightglass
