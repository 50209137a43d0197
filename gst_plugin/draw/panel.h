// What texts lie on.
#pragma once

#include <algorithm>
#include <vector>

#include "draw/primitive.h"

namespace sightglass {

// Height of a line of text, in pixels, that is read well in a picture of this height.
inline float panel_line_height(int32_t picture_height) {
  return std::clamp(static_cast<float>(picture_height) / 26, 12.0F, 56.0F);
}

// A dark, see-through plate with its top left corner at (x,y).
inline void append_panel(std::vector<Primitive>& primitives, float x, float y, float width, float height) {
  primitives.push_back(
      {{x, y, x + width, y + height}, {0, 0, 0, 0.6F}, std::min(width, height) * 0.06F, PrimitiveKind::kRectangle});
}

}  // namespace sightglass
