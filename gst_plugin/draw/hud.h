// A panel in a corner of the picture with what an element measures of itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw/overlay_painter.h"

namespace sightglass {

struct HudFigures {
  std::string title;  // the element and its model
  double frames_per_second = 0, inferences_per_second = 0;
  double gpu_ms_p50 = 0, gpu_ms_p95 = 0;  // of a frame; 0: the driver does not tell
  double latency_ms = 0;
  uint64_t dropped = 0;  // frames
};

enum class HudPosition : uint8_t { kTopLeft, kTopRight, kBottomLeft, kBottomRight };

// The panel in that corner of a picture of width × height pixels.
std::vector<Primitive> hud_primitives(const HudFigures& figures, HudPosition position, int32_t width, int32_t height);

// All calls, the destructor included, need the context current.
class Hud {
 public:
  static constexpr uint64_t kRenewal = 250'000'000;  // nanoseconds that figures are shown for

  explicit Hud(const GlApi& gl) : list_(gl) {}
  // What OverlayPainter is to draw over a picture of width × height pixels at a monotonic time. New figures are written
  // (some 5 KB are uploaded) once they have changed, no more than four times a second, and when the size or the
  // position has changed.
  PrimitiveRange update(const HudFigures& figures, HudPosition position, uint64_t now_ns, int32_t width,
                        int32_t height);

 private:
  PrimitiveList list_;
  uint64_t renewed_ns_ = 0;
  HudPosition position_ = HudPosition::kTopLeft;
  int32_t width_ = 0, height_ = 0;
};

}  // namespace sightglass
