// Class labels and percentages as text that shaders select (shaders/draw/labels.glsl).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "draw/text_atlas.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"

namespace sightglass {

// The storage blocks Labels, and LabelPlaces of shaders/draw/label_places.glsl.
inline constexpr uint32_t kLabelsBinding = 2, kLabelPlacesBinding = 3;
inline constexpr int32_t kLabelPlaces = 8;  // of a label around its box
// The lines of the table: percentages, the digits of numbers and their sign, then the classes.
inline constexpr int32_t kMostPercent = 100;
inline constexpr int32_t kFirstDigit = kMostPercent + 1, kNumberSign = kFirstDigit + 10, kFirstClass = kNumberSign + 1;
// Number of primitives of a text line with a class and its score, and of a box with such a line, including its outline.
inline constexpr int32_t kLabelledScore = 3, kLabelledBox = 1 + kLabelledScore;
inline constexpr int32_t kRotatedSides = 4;  // lines of a rotated box, in place of its outline
// Of a number with its sign; of larger numbers, the last digits are shown.
inline constexpr int32_t kMostDigits = 5, kNumberTexts = 1 + kMostDigits;

// All calls, including the destructor, need the context current.
class LabelTable {
 public:
  // `labels` (UTF-8) by class index. Has no text before set_height().
  LabelTable(const GlApi& gl, std::span<const std::string> labels);

  // Rasterizes and uploads all text for lines of `height` frame pixels, at least 1, if the height has changed. 1000
  // labels take about a tenth of a second. Labels are at most twelve times as wide as high.
  void set_height(int32_t height);

  // R8, for PrimitiveRange::text.
  GLuint texture() const { return atlas_.texture(); }
  // The storage block Labels.
  BufferRange block() const { return block_; }

 private:
  void upload();

  const GlApi* gl_;
  std::vector<std::string> lines_;
  TextAtlas atlas_;
  GlBuffer buffer_;
  BufferRange block_;
};

// The places of labels of boxes, which shaders/draw/label_places.glsl keeps from frame to frame.
// All calls, including the destructor, need the context current.
class LabelPlaces {
 public:
  explicit LabelPlaces(const GlApi& gl);
  // The storage block LabelPlaces.
  BufferRange block() const;

 private:
  GlBuffer buffer_;
};

}  // namespace sightglass
