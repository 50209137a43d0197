// Draws lines, discs, boxes and text over a picture in a texture.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "draw/primitive.h"
#include "gl/draw_target.h"
#include "gl/uniform_block.h"
#include "gpu_engine/gl_objects.h"
#include "gpu_engine/share_group.h"
#include "gpu_engine/status.h"
#include "gpu_engine/texture_ref.h"

namespace sightglass {

// Primitives in a GL buffer, dense. `offset` is in bytes, a multiple of 16.
struct PrimitiveRange {
  GLuint buffer = 0;
  GLintptr offset = 0;
  GLsizei count = 0;
  GLuint text = 0;  // TextAtlas::texture() of those that are text; 0: none is
};

// A buffer of primitives for compute shaders to fill: not drawn until they have. All calls, the destructor included,
// need the context current.
class PrimitiveBuffer {
 public:
  PrimitiveBuffer(const GlApi& gl, GLsizei count);
  GLuint id() const { return buffer_.id(); }
  PrimitiveRange range() const { return {buffer_.id(), 0, count_}; }

 private:
  GlBuffer buffer_;
  GLsizei count_;
};

// Primitives that the CPU makes, uploaded when they change.
class PrimitiveList {
 public:
  explicit PrimitiveList(const GlApi& gl);
  // Uploads them, unless they are what they were; `primitives` may be empty.
  void set(std::span<const Primitive> primitives);
  PrimitiveRange range() const { return {buffer_.id(), 0, static_cast<GLsizei>(primitives_.size())}; }

 private:
  const GlApi* gl_;
  GlBuffer buffer_;
  std::vector<Primitive> primitives_;
};

// All calls, the destructor included, need the context current. GL state is as found.
class OverlayPainter {
 public:
  // Compiles what no other holder in the group has compiled yet, and draws once, so that drivers finish compiling.
  static Result<std::unique_ptr<OverlayPainter>> create(const std::shared_ptr<ShareGroup>& group);

  // Draws over `picture`, a texture that can be drawn into, all of one range after the other. Colours are blended with
  // what is there; in pictures with an alpha channel (not premultiplied) what is drawn adds to it. What compute shaders
  // have written needs no barrier by the caller. Nothing is uploaded, but for the picture's size when it has changed.
  Status draw(const TextureRef& picture, std::span<const PrimitiveRange> ranges);

 private:
  using Block = std::array<float, 4>;  // shaders/draw/primitive.vert
  OverlayPainter(std::shared_ptr<ShareGroup> group, SharedProgram program);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  SharedProgram program_;
  UniformBlock<Block> block_;
  GlVertexArray vertex_array_;
  DrawTarget target_;
  GlSampler sampler_;
};

}  // namespace sightglass
