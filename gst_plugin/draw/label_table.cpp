#include "draw/label_table.h"

#include <algorithm>
#include <vector>

#include "draw/font.h"

namespace sightglass {

namespace {

// A label is so many texels in a row, its length and its glyphs; there are so many rows, and further columns of labels
// to the right of them (shaders/draw/labels.glsl).
constexpr size_t kLabelTexels = 32, kRows = 1024;
static_assert(LabelTable::kMostCharacters < kLabelTexels);

}  // namespace

Result<LabelTable> LabelTable::create(const GlApi& gl, std::span<const std::string> labels) {
  const size_t columns = std::max<size_t>(1, (labels.size() + kRows - 1) / kRows);
  const size_t rows = std::clamp<size_t>(labels.size(), 1, kRows), width = columns * kLabelTexels;
  GLint most = 0;
  gl.GetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  if (width > static_cast<size_t>(most)) {
    return resource_exhausted(std::to_string(labels.size()) + " labels are more than a texture of this device holds, " +
                              std::to_string(static_cast<size_t>(most) / kLabelTexels * kRows));
  }
  std::vector<uint8_t> texels(width * rows);
  for (size_t i = 0; i < labels.size(); ++i) {
    std::vector<uint8_t> glyphs = font::glyphs_of(labels[i]);
    if (glyphs.size() > kMostCharacters) {
      glyphs.resize(kMostCharacters);
      std::fill(glyphs.end() - 2, glyphs.end(), static_cast<uint8_t>('.' - font::kFirst));
    }
    uint8_t* texel = texels.data() + i % kRows * width + i / kRows * kLabelTexels;
    *texel = static_cast<uint8_t>(glyphs.size());
    std::ranges::copy(glyphs, texel + 1);
  }
  GlTexture texture = make_texture(gl, GL_R8UI, static_cast<GLsizei>(width), static_cast<GLsizei>(rows));
  gl.BindTexture(GL_TEXTURE_2D, texture.id());
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(rows), GL_RED_INTEGER,
                   GL_UNSIGNED_BYTE, texels.data());
  gl.BindTexture(GL_TEXTURE_2D, 0);
  return LabelTable(std::move(texture));
}

}  // namespace sightglass
