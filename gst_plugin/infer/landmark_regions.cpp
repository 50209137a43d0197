#include "infer/landmark_regions.h"

#include <initializer_list>
#include <numbers>

namespace sightglass {

namespace {

constexpr float kUp = -std::numbers::pi_v<float> / 2;

constexpr int32_t bits_of(std::initializer_list<int32_t> landmarks) {
  int32_t bits = 0;
  for (const int32_t landmark : landmarks) bits |= 1 << landmark;
  return bits;
}

}  // namespace

RegionRule first_region_rule(InferModel::Subject subject) {
  switch (subject) {
    case InferModel::Subject::kHand:
      // The wrist is below the first joint of the middle finger. The fingers are outside the palm box, above it.
      return {.from = 0, .to = 2, .direction = kUp, .scale = 2.6F, .shift = -0.5F};
    case InferModel::Subject::kEye:
      // The left eye; the right one is to its left. The width of an eye is about half their distance.
      return {.from = 1, .to = 0, .direction = std::numbers::pi_v<float>, .around_point = true, .scale = 1.1F};
    default:
      return {.from = 0, .to = 1, .direction = 0, .scale = 1.5F};  // the eyes are level
  }
}

NextRegionRule next_region_rule(InferModel::Subject subject) {
  switch (subject) {
    case InferModel::Subject::kHand:
      // Without the fingertips, so that the square does not shrink when the hand closes.
      return {{.from = 0, .to = 9, .direction = kUp, .scale = 2, .shift = -0.1F},
              bits_of({0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18})};
    case InferModel::Subject::kEye:
      return {{.from = 0, .to = 8, .direction = 0, .scale = 2.3F}, bits_of({0, 8})};
    case InferModel::Subject::kFace:
      return {{.from = 33, .to = 263, .direction = 0, .scale = 1.5F}};
    default:
      return {{.from = 0, .to = 0, .direction = 0, .scale = 1.5F}};
  }
}

}  // namespace sightglass
