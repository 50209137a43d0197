#include "segment/matte.h"

#include <algorithm>

namespace sightglass {

namespace {

// The range of a mask axis that shows the frame. Next to letterbox bars, it ends one texel inside the frame.
std::array<float, 2> visible_range(float a, float b, int32_t texels) {
  const float low = std::clamp(std::min(a, b), 0.0F, 1.0F);
  const float high = std::clamp(std::max(a, b), 0.0F, 1.0F);
  const float inset = std::min(1.0F / static_cast<float>(texels), 0.5F * (high - low));
  constexpr float kBorder = 1e-4F;
  return {low > kBorder ? low + inset : 0.0F, high < 1.0F - kBorder ? high - inset : 1.0F};
}

}  // namespace

Matte::Block Matte::block() const {
  const std::array<float, 6> m = mask_to_frame.inverse().m;
  const auto rows = [](const std::array<float, 6>& of) {
    return std::array<float, 8>{of[0], of[1], of[2], 0, of[3], of[4], of[5], 0};
  };
  const auto x = visible_range(m[2], m[0] + m[1] + m[2], mask.width);
  const auto y = visible_range(m[5], m[3] + m[4] + m[5], mask.height);
  return {rows(m), rows(mask_to_frame.m), {x[0], y[0], x[1], y[1]}, {lower, upper, 0, 0}};
}

}  // namespace sightglass
