// Draws lines, discs, boxes, text and masks over an image in a texture.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "draw/primitive.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "sightglass/gl_objects.h"
#include "sightglass/input_transform.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"
#include "sightglass/texture_ref.h"

namespace sightglass {

// Tightly packed primitives in a GL buffer. `offset` is in bytes, a multiple of 16.
struct PrimitiveRange {
  GLuint buffer = 0;
  GLintptr offset = 0;
  GLsizei count = 0;
  GLuint text = 0;  // TextAtlas::texture() for text primitives; 0: none of them is text
};

// A buffer of primitives for compute shaders to fill; until then, nothing is drawn. All calls, including the
// destructor, need the context current.
class PrimitiveBuffer {
 public:
  PrimitiveBuffer(const GlApi& gl, GLsizei count);
  // The first `count` primitives, or all.
  BufferRange storage(GLsizei count) const { return {buffer_.id(), 0, count * GLsizeiptr{sizeof(Primitive)}}; }
  BufferRange storage() const { return storage(count_); }
  PrimitiveRange range() const { return {buffer_.id(), 0, count_}; }

 private:
  GlBuffer buffer_;
  GLsizei count_;
};

// Primitives created on the CPU, uploaded when they change.
class PrimitiveList {
 public:
  explicit PrimitiveList(const GlApi& gl);
  // Uploads `primitives`, which may be empty, if they have changed.
  void set(std::span<const Primitive> primitives);
  PrimitiveRange range() const { return {buffer_.id(), 0, static_cast<GLsizei>(primitives_.size())}; }

 private:
  const GlApi* gl_;
  GlBuffer buffer_;
  std::vector<Primitive> primitives_;
};

// All calls, including the destructor, need the context current and restore GL state.
class OverlayPainter {
 public:
  // Compiles the programs that the share group does not have yet, and draws once, so that drivers finish compiling.
  static Result<std::unique_ptr<OverlayPainter>> create(const std::shared_ptr<ShareGroup>& group);

  // Draws the ranges in order over `picture`, which must be renderable. Their coordinates are in pixels, or, if
  // `shown_width` is above 0, in units of which the picture is that wide and height high: pixels are not square. Blends
  // colors with the image; in images with an alpha channel (not premultiplied), drawing adds to alpha. The caller needs
  // no barrier for compute shader writes. Uploads only the image size, when it changes.
  Status draw(const TextureRef& picture, std::span<const PrimitiveRange> ranges, int32_t shown_width = 0);

 private:
  using Block = std::array<float, 4>;  // shaders/draw/primitive.vert
  OverlayPainter(std::shared_ptr<ShareGroup> group, SharedProgram program);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const GlApi* gl_;
  Painting<Block> painting_;
};

// Tints the pixels of masks (shaders/draw/masks.frag). All calls, including the destructor, need the context current
// and restore GL state.
class MaskPainter {
 public:
  // Compiles the programs that the share group does not have yet, and draws once, so that drivers finish compiling.
  static Result<MaskPainter> create(const std::shared_ptr<ShareGroup>& group);

  // Blends `masks`, an image of colors multiplied by the probabilities in A, over `picture`, which must be renderable.
  // `picture_to_masks` maps coordinates, both in fractions.
  Status draw(const TextureRef& picture, const TextureRef& masks, const InputTransform& picture_to_masks);

 private:
  struct Block {  // shaders/draw/masks.frag
    std::array<float, 8> place{};
    std::array<float, 4> look{};
    bool operator==(const Block&) const = default;
  };
  MaskPainter(const GlApi& gl, SharedProgram program);

  const GlApi* gl_;
  Painting<Block> painting_;
};

}  // namespace sightglass
