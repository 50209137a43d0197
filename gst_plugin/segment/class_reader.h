// Converts the class scores of a model to a texture for compositing, and lays out the legend.
#pragma once

#include <array>
#include <memory>
#include <vector>

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
  // Fills the texture after a run of the model, and counts pixels for the legend.
  void run();
  // Sets the frame height for the legend.
  void resize(int32_t frame_height);
  // Lays out the legend from the pixels counted since the previous call.
  void lay_out_legend();
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

}  // namespace sightglass
