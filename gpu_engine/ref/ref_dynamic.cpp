// DYNAMIC_QUANTIZE: quantizes values to 8 bits over their actual range. Formulas as in SymmetricQuantizeFloats and
// AsymmetricQuantizeFloats of TensorFlow Lite.
#include <algorithm>
#include <cmath>

#include "ref/kernels.h"

namespace sightglass::ref {
namespace {

struct Quanta {
  float scale = 1, inverse = 0;
  float zero = 0, lowest = 0, highest = 0;
};

Quanta symmetric(std::span<const float> values) {
  float largest = 0;
  for (const float v : values) largest = std::max(largest, std::abs(v));
  if (largest == 0) return {};
  return {largest / 127, 127 / largest, 0, -127, 127};
}

// The zero point is rounded, so that zero stays exact.
Quanta asymmetric(std::span<const float> values) {
  float low = 0, high = 0;
  for (const float v : values) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (low == high) return {};
  const float scale = (high - low) / 255;
  const float from_low = -128 - low / scale, from_high = 127 - high / scale;
  const bool low_is_closer = 128 + std::abs(low / scale) < 127 + std::abs(high / scale);
  const float zero = std::round(std::clamp(low_is_closer ? from_low : from_high, -128.0f, 127.0f));
  return {scale, 1 / scale, zero, -128, 127};
}

}  // namespace

void dynamic_quantize(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<DynamicQuantizeAttr>();
  const std::span<const float> from = call.floats(0);
  const std::span<float> to = out.as<float>();
  const auto group = static_cast<size_t>(attr.group);
  for (size_t start = 0; start < from.size(); start += group) {
    const std::span<const float> values = from.subspan(start, group);
    const Quanta q = attr.asymmetric ? asymmetric(values) : symmetric(values);
    for (size_t i = 0; i < group; ++i) {
      const float steps = std::clamp(std::round(q.zero + values[i] * q.inverse), q.lowest, q.highest) - q.zero;
      to[start + i] = steps * q.scale;
    }
  }
}

}  // namespace sightglass::ref
