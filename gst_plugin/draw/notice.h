// A line of text over the frame, such as a warning about the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw/overlay_painter.h"
#include "draw/text_atlas.h"

namespace sightglass {

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
  // only when something changes.
  PrimitiveRange update(const std::string& text, NoticeEdge edge, int32_t width, int32_t height);

 private:
  const GlApi* gl_;
  std::string text_;
  TextAtlas atlas_;
  PrimitiveList list_;
  NoticeEdge edge_ = NoticeEdge::kLower;
  int32_t width_ = 0, height_ = 0;
};

}  // namespace sightglass
