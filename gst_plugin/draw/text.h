// Text as primitives.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "draw/primitive.h"

namespace sightglass {

struct TextStyle {
  float height = 24;                       // of a line, in pixels; capitals are half as high
  std::array<float, 4> color{1, 1, 1, 1};  // R G B A in [0,1], not premultiplied
  float weight = 1;                        // of strokes; 1 is normal
};

// Width of a line of so many characters, in pixels.
float text_width(size_t characters, float height);

// Adds one line of UTF-8 with its top left corner at (x,y), one primitive a character that is no space; what is no
// printable ASCII character is shown as '?'. Returns the x where a text would go on.
float append_text(std::vector<Primitive>& primitives, std::string_view utf8, float x, float y, const TextStyle& style);

}  // namespace sightglass
