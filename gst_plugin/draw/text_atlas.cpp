#include "draw/text_atlas.h"

#include <gst/gst.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "draw/typesetter.h"
#include "gpu_engine/quoted.h"

namespace sightglass {

namespace {

// Lines side by side in rows of equal height. A column and a row of empty texels behind each keep neighbors apart when
// lines are scaled.
struct Page {
  int32_t width = 0, height = 0;
  std::vector<uint8_t> texels;
  std::vector<TextPlace> places;  // widths in texels; as many as there was room for
};

Page set_page(std::span<const std::string> lines, int32_t height, int32_t most_width, int32_t most_size) {
  constexpr int32_t kGap = 1;
  const Typesetter typesetter(height);
  Page page{most_size, 0, {}, {}};
  int32_t x = 0, y = 0;
  for (const std::string& line : lines) {
    const TextPicture picture = typesetter.set(line, std::min(most_width, most_size - kGap));
    if (x + picture.width + kGap > most_size) {
      x = 0;
      y += height + kGap;
    }
    if (y + height + kGap > most_size) break;
    if (picture.width > 0 && y + height + kGap > page.height) {
      page.height = y + height + kGap;
      page.texels.resize(static_cast<size_t>(page.width) * static_cast<size_t>(page.height));
    }
    for (int32_t row = 0; row < picture.height; ++row) {
      std::copy_n(picture.coverage.data() + static_cast<size_t>(row) * static_cast<size_t>(picture.width),
                  picture.width,
                  page.texels.data() + static_cast<size_t>(y + row) * static_cast<size_t>(page.width) + x);
    }
    page.places.push_back({x | y << 16, picture.width});
    if (picture.width > 0) x += picture.width + kGap;
  }
  return page;
}

void warn_of_left_out(std::span<const std::string> lines, size_t placed) {
  GST_WARNING("cannot draw %zu of %zu labels, from %s on: they exceed a texture of this device; use fewer labels",
              lines.size() - placed, lines.size(), quoted(lines[placed]).c_str());
}

}  // namespace

TextAtlas::TextAtlas(const GlApi& gl, std::span<const std::string> lines, int32_t height, int32_t most_width)
    : height_(height) {
  GLint device_limit = 0;
  gl.GetIntegerv(GL_MAX_TEXTURE_SIZE, &device_limit);
  const int32_t most_size = std::min<int32_t>(device_limit, kMostSize);
  Page page;
  int32_t texels = std::min(height, most_size / 2);  // height of a rasterized line
  for (;;) {
    const double scale = static_cast<double>(texels) / height;
    page = set_page(lines, texels, static_cast<int32_t>(most_width * scale), most_size);
    if (page.places.size() == lines.size() || texels <= kLeastHeight) break;
    // The area grows with the square of the height.
    const double share = static_cast<double>(page.places.size()) / static_cast<double>(lines.size());
    texels = std::clamp(static_cast<int32_t>(texels * std::sqrt(share) * 0.97), kLeastHeight, texels - 1);
  }
  if (page.places.size() < lines.size()) warn_of_left_out(lines, page.places.size());
  places_ = std::move(page.places);
  places_.resize(lines.size());
  scale_ = static_cast<float>(texels) / static_cast<float>(height);
  for (TextPlace& place : places_) {
    place.width = static_cast<int32_t>(std::lround(static_cast<float>(place.width) / scale_));
  }
  if (page.texels.empty()) return;
  texture_ = make_texture(gl, GL_R8, page.width, page.height);
  gl.BindTexture(GL_TEXTURE_2D, texture_.id());
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, page.width, page.height, GL_RED, GL_UNSIGNED_BYTE, page.texels.data());
  gl.BindTexture(GL_TEXTURE_2D, 0);
}

Primitive TextAtlas::primitive(size_t line, float x, float y, const std::array<float, 4>& color) const {
  const TextPlace& place = places_[line];
  const float right = x + static_cast<float>(place.width), bottom = y + static_cast<float>(height_);
  if (place.width == 0) return {};
  return {{x, y, right, bottom}, color, scale_, PrimitiveKind::kText, place.texel, 0};
}

}  // namespace sightglass
