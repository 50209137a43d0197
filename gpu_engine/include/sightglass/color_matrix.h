// Conversion between YCbCr samples and R'G'B'. Plain arithmetic, no GL.
#pragma once

#include <array>

namespace sightglass {

// Weights of R' and B' in Y' (ITU-T H.273, table 4); G' has the rest.
struct LumaWeights {
  double kr = 0, kb = 0;
};
inline constexpr LumaWeights kBt601{0.299, 0.114};
inline constexpr LumaWeights kBt709{0.2126, 0.0722};
inline constexpr LumaWeights kBt2020{0.2627, 0.0593};  // non-constant luminance
inline constexpr LumaWeights kSmpte240m{0.212, 0.087};
inline constexpr LumaWeights kFcc{0.30, 0.11};

enum class SampleRange { kLimited, kFull };

// Rows R, G, B of (first, second, third, 1). Samples are 8-bit codes divided by 255.
struct ColorMatrix {
  std::array<float, 12> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  bool operator==(const ColorMatrix&) const = default;
};

// For samples in the order Y' Cb Cr, as ITU-T H.273, 8.3, defines it: 219 or 224 steps above 16 or about 128 in the
// limited range, 255 steps in the full range.
ColorMatrix ycbcr_to_rgb(const LumaWeights& weights, SampleRange range);
// The inverse: rows Y', Cb, Cr of (R', G', B', 1), as 8-bit codes divided by 255.
ColorMatrix rgb_to_ycbcr(const LumaWeights& weights, SampleRange range);
// ycbcr_to_rgb() for samples in the order Y' Cr Cb.
ColorMatrix with_chroma_swapped(ColorMatrix matrix);

}  // namespace sightglass
