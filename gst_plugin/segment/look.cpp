#include "segment/look.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

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

Matte make_matte(const TextureRef& mask, const InputTransform& mask_to_upright, const SegmentLook& look) {
  constexpr float kLeastWidth = 1e-3F;  // smoothstep needs two different edges
  const float half = 0.5F * std::max(look.softness, kLeastWidth);
  Matte matte{mask, mask_to_upright};
  matte.lower = std::clamp(look.threshold - half, 0.0F, 1.0F - kLeastWidth);
  matte.upper = std::clamp(look.threshold + half, matte.lower + kLeastWidth, 1.0F);
  // Beyond all values of masks and of refined masks.
  constexpr float kFar = 1e30F;
  const bool all = look.coverage == Coverage::kAllForeground && look.background != Background::kOverlay;
  if (look.coverage != Coverage::kByMask && !all) std::tie(matte.lower, matte.upper) = std::pair(kFar, 2 * kFar);
  if (all) std::tie(matte.lower, matte.upper) = std::pair(-2 * kFar, -kFar);
  return matte;
}

bool is_exact(const InputTransform& upright_to_stored, int32_t width, int32_t height, const FrameRef& stored) {
  constexpr float kRounding = 1e-2F;  // in pixels; the rounding errors of large frames are smaller
  const auto& m = upright_to_stored.m;
  const auto whole = [](float pixels) { return std::abs(pixels - std::round(pixels)) < kRounding; };
  // Whether one pixel along this axis is one pixel of the stored frame.
  const auto row = [&](float x, float y, float offset, int32_t samples) {
    const float n = static_cast<float>(samples);
    const float across = x * n, down = y * n;
    const bool one_axis = x == 0 || y == 0;
    return one_axis &&
           std::abs(std::abs(across) + std::abs(down) - static_cast<float>(x != 0 ? width : height)) < kRounding &&
           whole(offset * n);
  };
  return row(m[0], m[1], m[2], stored.width) && row(m[3], m[4], m[5], stored.height);
}

}  // namespace sightglass
