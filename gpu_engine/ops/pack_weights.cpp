#include "ops/pack_weights.h"

#include <cstddef>

namespace sightglass {

std::vector<float> pack_factors(const std::vector<FixedPoint>& factors) {
  constexpr int32_t kLowBits = 15;
  std::vector<float> high, low, shift;
  for (const FixedPoint& factor : factors) {
    high.push_back(static_cast<float>(factor.multiplier >> kLowBits));
    low.push_back(static_cast<float>(factor.multiplier & ((1 << kLowBits) - 1)));
    shift.push_back(static_cast<float>(factor.shift));
  }
  std::vector<float> packed;
  for (std::vector<float>* run : {&high, &low, &shift}) {
    pad_to_slices(*run);
    packed.insert(packed.end(), run->begin(), run->end());
  }
  return packed;
}

std::vector<float> pack_conv_weights(const ConvWeights& w) {
  const int32_t out_slices = (w.out_channels + 3) / 4, in_slices = (w.in_channels + 3) / 4;
  const int32_t taps = w.kernel_h * w.kernel_w;
  std::vector<float> packed(static_cast<size_t>(out_slices) * taps * in_slices * 16, 0.0f);
  size_t from = 0;
  for (int32_t o = 0; o < w.out_channels; ++o) {
    for (int32_t tap = 0; tap < taps; ++tap) {
      for (int32_t i = 0; i < w.in_channels; ++i, ++from) {
        const size_t block = (static_cast<size_t>(o / 4) * taps + tap) * in_slices + i / 4;
        packed[(block * 4 + i % 4) * 4 + o % 4] = w.values[from];
      }
    }
  }
  return packed;
}

void pad_to_slices(std::vector<float>& channels) { channels.resize((channels.size() + 3) / 4 * 4, 0.0f); }

}  // namespace sightglass
