#include "draw/text.h"

#include "draw/font.h"

namespace sightglass {

float text_width(size_t characters, float height) {
  return static_cast<float>(characters) * height * font::kCellWidth / font::kCellHeight;
}

float append_text(std::vector<Primitive>& primitives, std::string_view utf8, float x, float y, const TextStyle& style) {
  const float advance = text_width(1, style.height);
  Primitive glyph{
      {}, style.color, style.weight * font::kStroke * style.height / font::kCellHeight, PrimitiveKind::kGlyph};
  for (const uint8_t number : font::glyphs_of(utf8)) {
    glyph.ends = {x, y, x + advance, y + style.height};
    glyph.glyph = number;
    if (number != 0) primitives.push_back(glyph);
    x += advance;
  }
  return x;
}

}  // namespace sightglass
