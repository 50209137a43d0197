// What OverlayPainter draws, one vertex buffer entry each: written by the CPU here, or by a compute shader through
// shaders/draw/primitive.glsl, which lays it out alike (std430).
#pragma once

#include <array>
#include <cstdint>

namespace sightglass {

enum class PrimitiveKind : int32_t {
  kLine = 0,       // from one end to the other, `radius` thick on each side, with round ends; a disc where both are one
  kOutline = 1,    // of the box with these two corners; the line is 2 × `radius` wide, its middle on the box
  kRectangle = 2,  // the box with these two corners, filled; its corners are rounded by `radius`
  kText = 3,       // a line of text in the box with these two corners, `radius` texels of the atlas per pixel
};

// Places and lengths are in pixels of the picture that is drawn over: (0,0) is the top left corner of its first pixel,
// y goes down. Edges are smoothed over one pixel, but text is drawn texel by texel, sharp where its corners are whole
// numbers. What has no `radius` above 0, or no finite ends, is not drawn.
struct Primitive {
  std::array<float, 4> ends{};   // x and y of the first end or the top left corner, then of the other one
  std::array<float, 4> color{};  // R G B A in [0,1], not premultiplied
  float radius = 0;
  PrimitiveKind kind = PrimitiveKind::kLine;
  int32_t text = 0;  // of kText: TextPlace::texel
  float unused = 0;
};
static_assert(sizeof(Primitive) == 48);

}  // namespace sightglass
