// Between the samples of YCbCr pictures and R'G'B'. Plain arithmetic, no GL.
#pragma once

#include <array>

namespace sightglass {

// How much R' and B' weigh in Y' (ITU-T H.273, table 4); G' has the rest.
struct LumaWeights {
  double kr = 0, kb = 0;
};
inline constexpr LumaWeights kBt601{0.299, 0.114};
inline constexpr LumaWeights kBt709{0.2126, 0.0722};
inline constexpr LumaWeights kBt2020{0.2627, 0.0593};  // non-constant luminance
inline constexpr LumaWeights kSmpte240m{0.212, 0.087};
inline constexpr LumaWeights kFcc{0.30, 0.11};

enum class SampleRange { kLimited, kFull };

// Rows R, G, B of (first, second, third, 1), where the samples are codes of eight bits divided by 255.
struct ColorMatrix {
  std::array<float, 12> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  bool operator==(const ColorMatrix&) const = default;
};

// For samples in the order Y' Cb Cr, from the definition (ITU-T H.273, 8.3): what is a multiple of 219 or 224 steps
// above 16 or about 128 in the limited range, of 255 in the full one.
ColorMatrix ycbcr_to_rgb(const LumaWeights& weights, SampleRange range);
// The way back: rows Y', Cb, Cr of (R', G', B', 1), as codes of eight bits divided by 255.
ColorMatrix rgb_to_ycbcr(const LumaWeights& weights, SampleRange range);
// ycbcr_to_rgb() for samples in the order Y' Cr Cb.
ColorMatrix with_chroma_swapped(ColorMatrix matrix);

}  // namespace sightglass
