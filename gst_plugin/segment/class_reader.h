// Converts the class scores or the objects of a model to a texture for compositing, and lays out the legend.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "detect/yolo_decoder.h"
#include "draw/label_table.h"
#include "draw/overlay_painter.h"
#include "gl/objects.h"
#include "segment/mask_model.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// All calls, including the destructor, need the context current. They leave GL state as sessions do.
class ClassReader {
 public:
  // `output` is a session output, planned as kBuffer, with that layout.
  static Result<ClassReader> create(const std::shared_ptr<ShareGroup>& group, const ClassLayout& layout,
                                    const BufferRange& output);

  // RGBA8: foreground probability in R, index of the class to show in G.
  TextureRef texture() const { return {texture_.id(), GL_TEXTURE_2D, layout_.width, layout_.height}; }
  // Fills the texture after a run of the model, and lays out the legend of its classes.
  void run();
  // Sets the frame height for the legend.
  void resize(int32_t frame_height);
  PrimitiveRange legend() const;

 private:
  struct ClassBlock {
    std::array<int32_t, 4> size{};
    std::array<float, 4> map{};
    ClassBits foreground{}, shown{};
    bool operator==(const ClassBlock&) const = default;
  };
  struct LegendBlock {
    std::array<float, 4> frame{};
    std::array<int32_t, 4> counting{};
    bool operator==(const LegendBlock&) const = default;
  };
  // From the pixels counted since the previous call.
  void lay_out_legend();
  BufferRange seen() const;
  ClassReader(const GlApi& gl, const ClassLayout& layout, const BufferRange& output,
              std::vector<SharedProgram> programs);

  const GlApi* gl_;
  ClassLayout layout_;
  BufferRange output_;
  LabelTable labels_;
  std::vector<SharedProgram> programs_;  // classes, legend
  GlTexture texture_;
  GlBuffer seen_;  // counted pixels of each class
  PrimitiveBuffer legend_;
  ClassBlock class_content_;
  UniformBlock<ClassBlock> class_block_;
  UniformBlock<LegendBlock> legend_block_;
  int32_t frame_height_ = 0;
};

// The same for models that find objects: the foreground is the masks of objects of some classes.
class ObjectReader {
 public:
  // `session` runs the model of `mask`, and outlives this.
  static Result<ObjectReader> create(const std::shared_ptr<ShareGroup>& group, const MaskModel& mask,
                                     const Session& session);

  // RGBA8: foreground probability in R.
  TextureRef texture() const { return masks_.texture(); }
  Status run();

 private:
  ObjectReader(std::unique_ptr<YoloDecoder> decoder, YoloMasks masks, const BufferRange& boxes,
               const BufferRange& prototypes)
      : decoder_(std::move(decoder)), masks_(std::move(masks)), boxes_(boxes), prototypes_(prototypes) {}

  std::unique_ptr<YoloDecoder> decoder_;
  YoloMasks masks_;
  BufferRange boxes_, prototypes_;
};

}  // namespace sightglass
