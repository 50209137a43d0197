#include "draw/hud.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

#include "gl/gl_state_guard.h"
#include "gpu_engine/allocation_scope.h"

namespace sightglass {

namespace {

// Indices into hud_texts(); the digits follow kDigits.
enum Text : size_t {
  kTitle,
  kFrames,
  kInferences,
  kGpu,
  kLatency,
  kDropped,
  kPoint,
  kMilliseconds,
  kPercentile,
  kPercentileEnd,
  kNotTold,
  kDigits,
};

using Texts = std::vector<size_t>;

struct Row {
  size_t name;
  Texts value;
};

void append(Texts& texts, double value, int digits) {
  char number[32];
  std::snprintf(number, sizeof number, "%.*f", digits, value);
  for (const char* c = number; *c != '\0'; ++c) {
    if (*c == '.') texts.push_back(kPoint);
    if (*c >= '0' && *c <= '9') texts.push_back(kDigits + static_cast<size_t>(*c - '0'));
  }
}

Texts number(double value, int digits) {
  Texts texts;
  append(texts, value, digits);
  return texts;
}

void append_milliseconds(Texts& texts, double value) { append(texts, value, value < 99.95 ? 1 : 0); }

Texts gpu_time(const HudFigures& figures) {
  if (figures.gpu_ms_p50 <= 0) return {kNotTold};
  Texts texts;
  append_milliseconds(texts, figures.gpu_ms_p50);
  texts.push_back(kMilliseconds);
  texts.push_back(kPercentile);
  append_milliseconds(texts, figures.gpu_ms_p95);
  texts.push_back(kPercentileEnd);
  return texts;
}

std::array<Row, 5> rows_of(const HudFigures& figures) {
  Texts latency;
  append_milliseconds(latency, figures.latency_ms);
  latency.push_back(kMilliseconds);
  return {{{kFrames, number(figures.frames_per_second, 1)},
           {kInferences, number(figures.inferences_per_second, 1)},
           {kGpu, gpu_time(figures)},
           {kLatency, std::move(latency)},
           {kDropped, number(static_cast<double>(figures.dropped), 0)}}};
}

float width_of(const TextAtlas& atlas, const Texts& texts) {
  int32_t width = 0;
  for (const size_t text : texts) width += atlas.places()[text].width;
  return static_cast<float>(width);
}

// Whole pixels, relative to the top left corner of the panel.
struct Layout {
  float line = 0, padding = 0, values = 0;  // `values`: left edge of that column
  float width = 0, height = 0;
};

Layout lay_out(const TextAtlas& atlas, std::span<const Row> rows) {
  Layout layout;
  layout.line = static_cast<float>(atlas.height());
  layout.padding = std::round(0.3F * layout.line);
  // Wide enough for typical values, so that the width does not change with every value.
  float names = 0, values = width_of(atlas, gpu_time({.gpu_ms_p50 = 88.8, .gpu_ms_p95 = 88.8}));
  for (const Row& row : rows) {
    names = std::max(names, width_of(atlas, {row.name}));
    values = std::max(values, width_of(atlas, row.value));
  }
  layout.values = layout.padding + names + layout.line;
  layout.width = std::max(layout.values + values, layout.padding + width_of(atlas, {kTitle})) + layout.padding;
  layout.height = static_cast<float>(rows.size() + 1) * layout.line + 2 * std::round(0.25F * layout.line);
  return layout;
}

void append_text(std::vector<Primitive>& primitives, const TextAtlas& atlas, const Texts& texts, float x, float y,
                 const std::array<float, 4>& color) {
  for (const size_t text : texts) {
    primitives.push_back(atlas.primitive(text, x, y, color));
    x += static_cast<float>(atlas.places()[text].width);
  }
}

}  // namespace

std::vector<std::string> hud_texts(const std::string& title) {
  std::vector<std::string> texts{title, "frames/s", "inferences/s", "GPU", "latency", "dropped",
                                 ".",   " ms",      " (p95 ",       ")",   "unknown"};
  for (char digit = '0'; digit <= '9'; ++digit) texts.emplace_back(1, digit);
  return texts;
}

TextAtlas hud_atlas(const GlApi& gl, const std::string& title, int32_t width, int32_t height) {
  constexpr int32_t kLeast = 6;
  const std::vector<std::string> texts = hud_texts(title);
  const std::array<Row, 5> rows = rows_of({});
  int32_t line = std::clamp(std::max(12, height / 26), 1, std::max(1, height * 2 / 15));
  for (;;) {
    TextAtlas atlas(gl, texts, line, width / 2);
    const float across = lay_out(atlas, rows).width + static_cast<float>(line);
    if (across <= static_cast<float>(width) || line <= kLeast) return atlas;
    const auto fitting = static_cast<int32_t>(static_cast<float>(line) * static_cast<float>(width) / across);
    line = std::clamp(fitting, kLeast, line - 1);
  }
}

std::vector<Primitive> hud_primitives(const TextAtlas& atlas, const HudFigures& figures, HudPosition position,
                                      int32_t width, int32_t height) {
  constexpr std::array<float, 4> kTitleColor{0.55F, 0.85F, 1, 1}, kColor{1, 1, 1, 1}, kPanelColor{0, 0, 0, 0.6F};
  if (atlas.texture() == 0) return {};
  const std::array<Row, 5> rows = rows_of(figures);
  const Layout layout = lay_out(atlas, rows);
  const float margin = std::round(0.5F * layout.line);
  const bool right = position == HudPosition::kTopRight || position == HudPosition::kBottomRight;
  const bool bottom = position == HudPosition::kBottomLeft || position == HudPosition::kBottomRight;
  const float left = right ? static_cast<float>(width) - margin - layout.width : margin;
  const float top = bottom ? static_cast<float>(height) - margin - layout.height : margin;
  std::vector<Primitive> primitives{{{left, top, left + layout.width, top + layout.height},
                                     kPanelColor,
                                     std::min(layout.width, layout.height) * 0.06F,
                                     PrimitiveKind::kRectangle}};
  float y = top + std::round(0.25F * layout.line);
  append_text(primitives, atlas, {kTitle}, left + layout.padding, y, kTitleColor);
  for (const Row& row : rows) {
    y += layout.line;
    append_text(primitives, atlas, {row.name}, left + layout.padding, y, kColor);
    append_text(primitives, atlas, row.value, left + layout.values, y, kColor);
  }
  return primitives;
}

Result<PrimitiveRange> Hud::update(const HudFigures& figures, HudPosition position, uint64_t now_ns, int32_t width,
                                   int32_t height) {
  const bool resized = width != width_ || height != height_;
  const bool due = renewed_ns_ == 0 || now_ns - renewed_ns_ >= kRenewal;
  if (due || resized || position != position_) {
    const AllocationScope allocations(*gl_);
    if (resized) {
      const GlStateGuard guard(*gl_);
      atlas_ = hud_atlas(*gl_, title_, width, height);
    }
    list_.set(hud_primitives(atlas_, figures, position, width, height));
    SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the HUD"));
    renewed_ns_ = now_ns;
    position_ = position;
    width_ = width;
    height_ = height;
  }
  PrimitiveRange range = list_.range();
  range.text = atlas_.texture();
  return range;
}

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

Result<PrimitiveRange> Notice::update(const std::string& text, NoticeEdge edge, int32_t width, int32_t height) {
  const bool resized = text != text_ || width != width_ || height != height_;
  if (resized || edge != edge_) {
    const AllocationScope allocations(*gl_);
    if (resized) {
      const GlStateGuard guard(*gl_);
      atlas_ = notice_atlas(*gl_, text, width, height);
    }
    list_.set(notice_primitives(atlas_, edge, width, height));
    SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating for the notice"));
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
