#include "draw/hud.h"

#include <algorithm>
#include <cstdio>

#include "draw/panel.h"
#include "draw/text.h"

namespace sightglass {

namespace {

std::string with_digits(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string milliseconds(double value) { return with_digits(value, value < 99.95 ? 1 : 0); }

}  // namespace

std::vector<Primitive> hud_primitives(const HudFigures& figures, HudPosition position, int32_t width, int32_t height) {
  const std::string gpu = figures.gpu_ms_p50 > 0
                              ? milliseconds(figures.gpu_ms_p50) + " ms (p95 " + milliseconds(figures.gpu_ms_p95) + ")"
                              : "not told";
  const std::string lines[] = {
      figures.title,
      "frames/s     " + with_digits(figures.frames_per_second, 1),
      "inferences/s " + with_digits(figures.inferences_per_second, 1),
      "GPU          " + gpu,
      "latency      " + milliseconds(figures.latency_ms) + " ms",
      "dropped      " + std::to_string(figures.dropped),
  };
  size_t longest = 0;
  for (const std::string& line : lines) longest = std::max(longest, line.size());
  // As large as can be read, as long as it fits.
  const float across = static_cast<float>(width) / text_width(longest + 2, 1);
  const float line = std::min(panel_line_height(height), across);
  constexpr std::array<float, 4> kTitle{0.55F, 0.85F, 1, 1};
  std::vector<Primitive> primitives;
  const float columns = static_cast<float>(longest) + 1, rows = static_cast<float>(std::size(lines)) + 0.5F;
  const float margin = line * 0.5F, across_panel = columns * text_width(1, line), down_panel = rows * line;
  const bool right = position == HudPosition::kTopRight || position == HudPosition::kBottomRight;
  const bool bottom = position == HudPosition::kBottomLeft || position == HudPosition::kBottomRight;
  const float left = right ? static_cast<float>(width) - margin - across_panel : margin;
  const float top = bottom ? static_cast<float>(height) - margin - down_panel : margin;
  append_panel(primitives, left, top, across_panel, down_panel);
  float y = top + line * 0.25F;
  for (const std::string& text : lines) {
    TextStyle style{line};
    if (&text == lines) style.color = kTitle;
    append_text(primitives, text, left + line * 0.25F, y, style);
    y += line;
  }
  return primitives;
}

PrimitiveRange Hud::update(const HudFigures& figures, HudPosition position, uint64_t now_ns, int32_t width,
                           int32_t height) {
  const bool due = renewed_ns_ == 0 || now_ns - renewed_ns_ >= kRenewal;
  if (due || position != position_ || width != width_ || height != height_) {
    list_.set(hud_primitives(figures, position, width, height));
    renewed_ns_ = now_ns;
    position_ = position;
    width_ = width;
    height_ = height;
  }
  return list_.range();
}

}  // namespace sightglass
