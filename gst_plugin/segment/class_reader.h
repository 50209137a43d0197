// What a model says of its classes, as a texture that the composite reads, and the legend to it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "draw/label_table.h"
#include "draw/overlay_painter.h"
#include "gl/uniform_block.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"
#include "segment/class_layout.h"

namespace sightglass {

// All calls, the destructor included, need the context current. GL state afterwards is as sessions leave it.
class ClassReader {
 public:
  // `output` is the session's, planned as kBuffer, in that layout.
  static Result<ClassReader> create(const std::shared_ptr<ShareGroup>& group, const ClassLayout& layout,
                                    const BufferRange& output);

  // RGBA8: probability of the foreground in R, number of the class to show in G.
  TextureRef texture() const { return {texture_.id(), GL_TEXTURE_2D, layout_.width, layout_.height}; }
  // Fills it, behind a run of the model; and counts for the legend.
  void run();
  // For a legend over frames of that height.
  void resize(int32_t frame_height);
  // Lays the legend out, from what has been counted since the last time.
  void lay_out_legend();
  PrimitiveRange legend() const;

 private:
  struct ClassBlock {
    std::array<int32_t, 4> size{};
    ClassBits foreground{}, shown{};
    bool operator==(const ClassBlock&) const = default;
  };
  struct LegendBlock {
    std::array<float, 4> frame{};
    std::array<int32_t, 4> counting{};
    bool operator==(const LegendBlock&) const = default;
  };
  ClassReader(const GlApi& gl, const ClassLayout& layout, const BufferRange& output,
              std::vector<SharedProgram> programs);

  const GlApi* gl_;
  ClassLayout layout_;
  BufferRange output_;
  LabelTable labels_;
  std::vector<SharedProgram> programs_;  // classes, legend
  GlTexture texture_;
  GlBuffer seen_;
  PrimitiveBuffer legend_;
  ClassBlock class_content_;
  UniformBlock<ClassBlock> class_block_;
  UniformBlock<LegendBlock> legend_block_;
  int32_t frame_height_ = 0;
};

}  // namespace sightglass
