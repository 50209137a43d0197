#include "draw/notice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "gl/gl_state_guard.h"

namespace sightglass {

namespace {

// Margin between the text and the edges of the frame, and between the text and those of its bar.
struct NoticeSpacing {
  float margin, padding;
};
NoticeSpacing spacing_of(int32_t line) {
  return {std::round(0.5F * static_cast<float>(line)), std::round(0.4F * static_cast<float>(line))};
}

int32_t room_in(int32_t width, int32_t line) {
  const auto [margin, padding] = spacing_of(line);
  return std::max(1, width - 2 * static_cast<int32_t>(margin + padding));
}

}  // namespace

TextAtlas notice_atlas(const GlApi& gl, const std::string& text, int32_t width, int32_t height) {
  constexpr int32_t kLeastLine = 10;
  const std::span<const std::string> lines(&text, 1);
  int32_t line = std::clamp(std::max(12, height / 26), 1, std::max(1, height * 2 / 15));
  TextAtlas natural(gl, lines, line, std::numeric_limits<int16_t>::max());
  const int32_t room = room_in(width, line);
  if (natural.texture() == 0 || natural.places()[0].width <= room) return natural;
  const int64_t fitting = static_cast<int64_t>(line) * room / natural.places()[0].width;
  line = std::min(line, std::max(kLeastLine, static_cast<int32_t>(fitting)));
  return TextAtlas(gl, lines, line, room_in(width, line));
}

std::vector<Primitive> notice_primitives(const TextAtlas& atlas, NoticeEdge edge, int32_t width, int32_t height) {
  constexpr std::array<float, 4> kTextColor{1, 0.9F, 0.55F, 1}, kBarColor{0, 0, 0, 0.6F};
  if (atlas.texture() == 0 || atlas.places()[0].width == 0) return {};
  const auto line = static_cast<float>(atlas.height()), text = static_cast<float>(atlas.places()[0].width);
  const auto [margin, padding] = spacing_of(atlas.height());
  const float bar_height = line + padding, bar_width = text + 2 * padding;
  const float left = std::floor((static_cast<float>(width) - bar_width) / 2);
  const float top = edge == NoticeEdge::kLower ? static_cast<float>(height) - margin - bar_height : margin;
  return {{{left, top, left + bar_width, top + bar_height}, kBarColor, 0.15F * bar_height, PrimitiveKind::kRectangle},
          atlas.primitive(0, left + padding, top + std::floor(padding / 2), kTextColor)};
}

PrimitiveRange Notice::update(const std::string& text, NoticeEdge edge, int32_t width, int32_t height) {
  const bool resized = text != text_ || width != width_ || height != height_;
  if (resized) {
    const GlStateGuard guard(*gl_);
    atlas_ = notice_atlas(*gl_, text, width, height);
  }
  if (resized || edge != edge_) {
    list_.set(notice_primitives(atlas_, edge, width, height));
    text_ = text;
    edge_ = edge;
    width_ = width;
    height_ = height;
  }
  PrimitiveRange range = list_.range();
  range.text = atlas_.texture();
  return range;
}

}  // namespace sightglass
