// The primitives of OverlayPainter, one vertex buffer entry each. The CPU writes them as below, compute shaders through
// shaders/draw/primitive.glsl, which has the same layout (std430).
#pragma once

#include <array>
#include <cstdint>

namespace sightglass {

enum class PrimitiveKind : int32_t {
  kLine = 0,       // line between two ends, `radius` thick on each side, with round caps; a disc if the ends coincide
  kOutline = 1,    // outline of the box with these two corners; the line is 2 × `radius` wide, centered on the edge
  kRectangle = 2,  // filled box with these two corners, rounded by `radius`
  kText = 3,       // line of text in the box with these two corners, `radius` atlas texels per pixel
};

// Coordinates and lengths are in pixels of the target image: (0,0) is the top left corner of its first pixel, y points
// down. Edges are smoothed over one pixel, but text is drawn texel by texel, which is sharp if its corners are
// integers. Primitives without `radius` above 0 or without finite ends are not drawn.
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
