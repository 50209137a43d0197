// Runs a model on the objects that an upstream element has found, one or several at a time: selects them, samples their
// boxes, and keeps what the model says of each object, all on the GPU (shaders/infer/*object*).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detect/detections.h"
#include "draw/label_table.h"
#include "draw/overlay_painter.h"
#include "gl/compute.h"
#include "gl/frame_format.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "infer/landmarks.h"
#include "meta/inference_results.h"
#include "sightglass/frame_ref.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

// Which objects the model runs on, and how it samples them. May change with every frame.
struct ObjectChoice {
  int32_t most = 4;      // objects per frame, 1 to kMaxObjectRuns
  int32_t interval = 1;  // frames between the runs on an object
  int32_t min_size = 0;  // of both sides, in frame pixels
  float scale = 1;       // of the sampled part relative to the box
  Fit fit = Fit::kStretch;
  std::array<uint32_t, kRegionClasses / 32> classes{};  // bit c: class c counts
  bool all_classes = true;
  bool operator==(const ObjectChoice&) const = default;
};

// All calls, including the destructor, need the context current and leave GL state as the engine's sessions do. They
// never wait, read back, or allocate.
class ObjectRegions {
 public:
  // `count` values of each object; the model input has `images` of width x height pixels.
  struct Layout {
    ObjectValues kind = ObjectValues::kClasses;
    int32_t count = 2 * kMaxObjectClasses;
    int32_t width = 0, height = 0;
    int32_t images = 1;
  };
  static Result<ObjectRegions> create(const std::shared_ptr<ShareGroup>& group, const Layout& layout);

  // Begins a frame with the objects in a buffer of Detections, or none if there is no buffer. `is_new`: they are
  // unrelated to those of the previous frame.
  void begin(const BufferRange& found, const UprightFrame& frame, const ObjectChoice& choice, bool is_new);
  // Selects the next objects, as many as the input has images, and makes them the input of `session`. The flag in
  // is_somebody() is set if there is one. Images without an object show nothing of the frame.
  Status next(const UprightFrame& frame, Session& session);
  BufferRange is_somebody() const { return {flag_.id(), 0, kFlagBytes}; }
  // Keeps the values of the object in that image: the content of a buffer of Detections or LandmarkObjects, or an
  // output of all images. Those with a score below `threshold` do not count; at most `most` classes do.
  void store(const BufferRange& decoded, int32_t image, float threshold, int32_t most);
  // Completes results() after the last object.
  void finish();

  // The objects with their values (Detection::values_count). Always the same buffer: Detections, then `count` floats
  // of each object.
  BufferRange results() const { return {results_.id(), 0, results_bytes()}; }
  const Layout& layout() const { return layout_; }

 private:
  enum Program : size_t { kSelect, kNext, kStore, kPublish };
  struct Block {  // Objects of shaders/infer/objects.glsl
    std::array<float, 4> frame{}, sample{};
    std::array<int32_t, 4> choice{}, counts{};
    std::array<uint32_t, kRegionClasses / 32> classes{};
    bool operator==(const Block&) const = default;
  };
  ObjectRegions(const std::shared_ptr<ShareGroup>& group, std::vector<SharedProgram> programs, const Layout& layout);
  GLsizeiptr values_bytes(int32_t objects) const { return GLsizeiptr{4} * layout_.count * objects; }
  GLsizeiptr results_bytes() const { return sizeof(Detections) + values_bytes(kMaxDetections); }
  BufferRange state() const;

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  std::vector<SharedProgram> programs_;
  Layout layout_;
  Block content_;
  UniformBlock<Block> block_;
  std::vector<UniformBlock<std::array<float, 4>>> store_blocks_;  // one per image: their content stays
  UniformBlock<FrameBlock> frame_block_;
  GlBuffer state_, values_, results_, place_, flag_, nothing_;
  BufferRange found_;
};

// Shows the objects with their boxes, and what a model has said of them.
// All calls, including the destructor, need the context current.
class ObjectPainter {
 public:
  // Labels of the objects, and of the classes of the model.
  static Result<ObjectPainter> create(const std::shared_ptr<ShareGroup>& group, const ObjectRegions::Layout& layout,
                                      const std::vector<std::string>& object_labels,
                                      const std::vector<std::string>& labels);

  // The primitives that show ObjectRegions::results() over a frame of that size in pixels, with at most `lines` lines
  // of text in each box. Rasterizes the labels if the text height has changed.
  struct Style {
    float point_radius = 1, text_height = 16;  // frame pixels
    int32_t lines = 1;
  };
  PrimitiveRange primitives(const BufferRange& results, int32_t width, int32_t height, const Style& style);

 private:
  struct Block {  // Params of draw_objects.comp
    std::array<float, 4> picture{};
    std::array<int32_t, 4> counts{}, labels{};
    bool operator==(const Block&) const = default;
  };
  ObjectPainter(const std::shared_ptr<ShareGroup>& group, SharedProgram program, const ObjectRegions::Layout& layout,
                int32_t object_labels, const std::vector<std::string>& labels);
  static GLsizei primitives_of_values(const ObjectRegions::Layout& layout);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  SharedProgram program_;
  ObjectRegions::Layout layout_;
  int32_t object_labels_;
  GLsizei of_each_;
  int32_t objects_;  // at most
  LabelTable labels_;
  PrimitiveBuffer primitives_;
  LabelPlaces places_;
  UniformBlock<Block> block_;
};

// Converts the bytes of ObjectRegions::results() of that frame. Labels are those of the objects, and of the classes of
// the model.
std::vector<ResultObject> objects_of(std::span<const std::byte> bytes, const ObjectRegions::Layout& layout,
                                     std::span<const std::string> object_labels, std::span<const std::string> labels,
                                     const FrameStamp& frame);

}  // namespace sightglass
