// A panel in a corner of the picture with what an element measures of itself.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "draw/overlay_painter.h"
#include "draw/text_atlas.h"

namespace sightglass {

struct HudFigures {
  double frames_per_second = 0, inferences_per_second = 0;
  double gpu_ms_p50 = 0, gpu_ms_p95 = 0;  // of a frame; 0: the driver does not tell
  double latency_ms = 0;
  uint64_t dropped = 0;  // frames
};

enum class HudPosition : uint8_t { kTopLeft, kTopRight, kBottomLeft, kBottomRight };

// The texts that a panel is composed of: its title, the names of the figures, digits and units.
std::vector<std::string> hud_texts(const std::string& title);
// These texts, as large as they are read well in a picture of width × height pixels and a panel of them fits. The
// context must be current.
TextAtlas hud_atlas(const GlApi& gl, const std::string& title, int32_t width, int32_t height);
// The panel in that corner of the picture, from that atlas; empty if the atlas has no text.
std::vector<Primitive> hud_primitives(const TextAtlas& atlas, const HudFigures& figures, HudPosition position,
                                      int32_t width, int32_t height);

// All calls, the destructor included, need the context current.
class Hud {
 public:
  static constexpr uint64_t kRenewal = 250'000'000;  // nanoseconds that figures are shown for

  // `title` names the element and its model.
  Hud(const GlApi& gl, std::string title) : gl_(&gl), title_(std::move(title)), list_(gl) {}
  // What OverlayPainter is to draw over a picture of width × height pixels at a monotonic time. Text is rasterized once
  // for each size. New figures are written (some 2 KB are uploaded) once they have changed, no more than four times a
  // second, and when the size or the position has changed.
  PrimitiveRange update(const HudFigures& figures, HudPosition position, uint64_t now_ns, int32_t width,
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

}  // namespace sightglass
