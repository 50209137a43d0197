// Text over the frame: the HUD, a panel with statistics, and a notice.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "draw/overlay_painter.h"
#include "draw/text_atlas.h"
#include "sightglass/status.h"

namespace sightglass {

// The HUD: a panel in a corner of the frame with statistics of the element.
struct HudFigures {
  double frames_per_second = 0, inferences_per_second = 0;
  double gpu_ms_p50 = 0, gpu_ms_p95 = 0;  // per frame; 0: the driver does not report it
  double latency_ms = 0;
  uint64_t dropped = 0;  // frames
};

enum class HudPosition : uint8_t { kTopLeft, kTopRight, kBottomLeft, kBottomRight };

// The texts of a panel: title, names of the values, digits and units.
std::vector<std::string> hud_texts(const std::string& title);
// An atlas of these texts, at a size that is readable in a frame of width × height pixels and lets the panel fit. The
// context must be current.
TextAtlas hud_atlas(const GlApi& gl, const std::string& title, int32_t width, int32_t height);
// The panel in that corner of the frame, with text from `atlas`; empty if the atlas has no text.
std::vector<Primitive> hud_primitives(const TextAtlas& atlas, const HudFigures& figures, HudPosition position,
                                      int32_t width, int32_t height);

// All calls, including the destructor, need the context current.
class Hud {
 public:
  static constexpr uint64_t kRenewal = 250'000'000;  // nanoseconds between updates of the values

  // `title` names the element and its model.
  Hud(const GlApi& gl, std::string title) : gl_(&gl), title_(std::move(title)), list_(gl) {}
  // Returns the primitives for OverlayPainter to draw over a frame of width × height pixels at a monotonic time.
  // Rasterizes text once per size. Uploads changed values (about 2 KB) at most four times per second, and when the size
  // or the position changes. Fails if that has no memory.
  Result<PrimitiveRange> update(const HudFigures& figures, HudPosition position, uint64_t now_ns, int32_t width,
                                int32_t height);

 private:
  const GlApi* gl_;
  std::string title_;
  TextAtlas atlas_;
  PrimitiveList list_;
  uint64_t renewed_ns_ = 0;
  HudPosition position_ = HudPosition::kTopLeft;
  int32_t width_ = 0, height_ = 0;
};

// A line of text over the frame, such as a warning about the model.
enum class NoticeEdge : uint8_t { kLower, kUpper };

// An atlas of the text, at a size that fits a frame of width × height pixels if it stays readable. Longer text ends in
// an ellipsis. The context must be current.
TextAtlas notice_atlas(const GlApi& gl, const std::string& text, int32_t width, int32_t height);
// The text on a bar, centered at that edge; empty if the atlas has no text.
std::vector<Primitive> notice_primitives(const TextAtlas& atlas, NoticeEdge edge, int32_t width, int32_t height);

// All calls, including the destructor, need the context current.
class Notice {
 public:
  explicit Notice(const GlApi& gl) : gl_(&gl), list_(gl) {}
  // Returns the primitives for OverlayPainter to draw over a frame of width × height pixels. Rasterizes and uploads
  // only when something changes. Fails if that has no memory.
  Result<PrimitiveRange> update(const std::string& text, NoticeEdge edge, int32_t width, int32_t height);

 private:
  const GlApi* gl_;
  std::string text_;
  TextAtlas atlas_;
  PrimitiveList list_;
  NoticeEdge edge_ = NoticeEdge::kLower;
  int32_t width_ = 0, height_ = 0;
};

}  // namespace sightglass
