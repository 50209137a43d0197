#include "sightglass/input_transform.h"

#include <gtest/gtest.h>

#include <utility>

namespace sightglass::test {
namespace {

std::pair<float, float> map(const InputTransform& t, float x, float y) {
  return {t.m[0] * x + t.m[1] * y + t.m[2], t.m[3] * x + t.m[4] * y + t.m[5]};
}

void expect_at(const InputTransform& t, float x, float y, float to_x, float to_y) {
  const auto [got_x, got_y] = map(t, x, y);
  EXPECT_NEAR(got_x, to_x, 1e-6);
  EXPECT_NEAR(got_y, to_y, 1e-6);
}

TEST(InputTransform, StretchIsTheIdentity) {
  const InputTransform t = make_input_transform(640, 480, 256, 256);
  expect_at(t, 0, 0, 0, 0);
  expect_at(t, 1, 1, 1, 1);
}

TEST(InputTransform, LetterboxAddsBarsOnTheShortSide) {
  const InputTransform wide = make_input_transform(640, 320, 256, 256, Fit::kLetterbox);
  expect_at(wide, 0, 0.25f, 0, 0);
  expect_at(wide, 1, 0.75f, 1, 1);
  const InputTransform tall = make_input_transform(320, 640, 256, 256, Fit::kLetterbox);
  expect_at(tall, 0.25f, 0, 0, 0);
  expect_at(tall, 0.75f, 1, 1, 1);
}

TEST(InputTransform, CoverCutsTheLongSide) {
  const InputTransform t = make_input_transform(640, 320, 256, 256, Fit::kCover);
  expect_at(t, 0, 0, 0.25f, 0);
  expect_at(t, 1, 1, 0.75f, 1);
}

TEST(InputTransform, RotationSwapsTheAspectRatio) {
  const InputTransform t = make_input_transform(640, 320, 256, 512, Fit::kLetterbox, Orientation::kRotate90);
  // The upright image is 320 × 640 and fills the tensor. Its top left corner is stored at the bottom left.
  expect_at(t, 0, 0, 0, 1);
  expect_at(t, 1, 0, 0, 0);
  expect_at(t, 0, 1, 1, 1);
}

TEST(InputTransform, InverseMapsBack) {
  const InputTransform t =
      make_input_transform(640, 480, 256, 192, Fit::kLetterbox, Orientation::kRotate270, {0.1f, 0.2f, 0.5f, 0.6f});
  const InputTransform there_and_back = t.then(t.inverse());
  expect_at(there_and_back, 0.3f, 0.7f, 0.3f, 0.7f);
  expect_at(there_and_back, 1, 0, 1, 0);
}

}  // namespace
}  // namespace sightglass::test
