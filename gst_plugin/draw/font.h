// The letters of overlays: strokes on a grid, as a texture of distances that the GPU scales to any size.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sightglass::font {

// Characters are those of ASCII from the space on. A cell is 6 × 12 grid units; capitals reach from its unit 2 to 8,
// and lines below the base line to 10. All characters are equally wide.
inline constexpr int kFirst = 32, kCharacters = 95;
inline constexpr float kCellWidth = 6, kCellHeight = 12;
// Of strokes in normal weight, half their width in grid units.
inline constexpr float kStroke = 0.45F;

// The texture's layout (shaders/draw/primitive.frag): cells row by row, one byte a texel: the distance from the nearest
// stroke's middle line, 128 for 0 and 255 for kReach grid units and more.
inline constexpr int kColumns = 16, kRows = 6, kTexelsPerUnit = 4;
inline constexpr int kWidth = kColumns * static_cast<int>(kCellWidth) * kTexelsPerUnit;
inline constexpr int kHeight = kRows * static_cast<int>(kCellHeight) * kTexelsPerUnit;
inline constexpr float kReach = 1.5F;

// kWidth × kHeight bytes, computed by the first call of the process.
const std::vector<uint8_t>& texels();

// The glyphs (character codes less kFirst) that show a text of UTF-8: what is no printable ASCII character is one '?'.
std::vector<uint8_t> glyphs_of(std::string_view utf8);

}  // namespace sightglass::font
