// The harness decides which tests pass, so it is tested itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "harness/compare.h"
#include "harness/value_of.h"
#include "model/picture_input.h"

namespace sightglass::test {
namespace {

HostTensor floats(std::vector<float> values) {
  return HostTensor::from_floats(Shape{static_cast<int32_t>(values.size())}, values);
}

TEST(RandomStream, FollowsTheDefinition) {
  // The first outputs of the generator for seed 0, as published for SplitMix64.
  RandomStream stream(0);
  EXPECT_EQ(stream.next(), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(stream.next(), 0x6E789E6AA1B965F4u);
  EXPECT_EQ(stream.next(), 0x06C45D188009454Fu);

  RandomStream by_type(0);
  HostTensor f(DataType::kFloat32, Shape{1}), u(DataType::kUInt8, Shape{1}), i(DataType::kInt32, Shape{1});
  ASSERT_TRUE(by_type.fill(f.type, f.data));
  ASSERT_TRUE(by_type.fill(u.type, u.data));
  ASSERT_TRUE(by_type.fill(i.type, i.data));
  EXPECT_EQ(f.as<float>()[0], static_cast<float>(0xE220A8397B1DCDAFu >> 40) / 16777216.0f);
  EXPECT_EQ(u.as<uint8_t>()[0], 0x6E);
  EXPECT_EQ(i.as<int32_t>()[0], static_cast<int32_t>((0x06C45D188009454Fu >> 33) % 8));
  HostTensor half(DataType::kFloat16, Shape{1});
  EXPECT_FALSE(by_type.fill(half.type, half.data));
}

TEST(Compare, MeasuresAKnownError) {
  const Comparison c = compare(floats({0, 1, 2, -2}), floats({0, 1, 2.5f, -2}));
  EXPECT_DOUBLE_EQ(c.max_abs, 0.5);
  EXPECT_EQ(c.worst, 2u);
  EXPECT_DOUBLE_EQ(c.range, 4);
  EXPECT_DOUBLE_EQ(c.relative_max, 0.125);
  EXPECT_DOUBLE_EQ(c.nmse, 0.25 / 9);
  EXPECT_NEAR(c.psnr_db, 10 * std::log10(16 / (0.25 / 4)), 1e-9);
  EXPECT_FALSE(c.identical);
}

TEST(Compare, NonFiniteValuesAreInfinitelyFar) {
  EXPECT_TRUE(std::isinf(compare(floats({0, 1}), floats({0, NAN})).max_abs));
  EXPECT_TRUE(std::isinf(compare(floats({0, INFINITY}), floats({0, 3})).max_abs));
  EXPECT_TRUE(std::isinf(compare(floats({0, 1}), floats({0})).max_abs));
  EXPECT_EQ(compare(floats({0, INFINITY}), floats({0, INFINITY})).max_abs, 0);
}

TEST(Compare, IntersectionOverUnion) {
  EXPECT_DOUBLE_EQ(mask_iou(floats({1, 1, 0, 0}), floats({1, 0, 1, 0})), 1.0 / 3);
  EXPECT_DOUBLE_EQ(mask_iou(floats({0, 0}), floats({0, 0})), 1.0);
  const std::vector<float> a{0, 1, 0, 1, 1, 0}, b{0, 1, 1, 0, 1, 0};
  const HostTensor ta = HostTensor::from_floats(Shape{3, 2}, a), tb = HostTensor::from_floats(Shape{3, 2}, b);
  EXPECT_DOUBLE_EQ(class_iou(ta, tb, 1), 0.5);
}

Picture gray_ramp(int32_t width, int32_t height) {
  Picture picture{width, height, 3, {}};
  for (int32_t i = 0; i < width * height; ++i) {
    for (int c = 0; c < 3; ++c) picture.pixels.push_back(static_cast<uint8_t>(i * 7));
  }
  return picture;
}

TEST(PictureInput, IsExactAtTensorSize) {
  const Picture picture = gray_ramp(4, 3);
  const auto tensor =
      value_of(picture_to_tensor(picture, DataType::kFloat32, Shape{1, 3, 4, 3}, Normalization::from_range(-1, 1)));
  for (size_t i = 0; i < picture.pixels.size(); ++i) {
    ASSERT_EQ(tensor.as<float>()[i],
              static_cast<float>(picture.pixels[i]) * static_cast<float>(0.00784313725490196) + -1.0f);
  }
  const auto bytes = value_of(picture_to_tensor(picture, DataType::kUInt8, Shape{1, 3, 4, 3}));
  EXPECT_EQ(std::memcmp(bytes.data.data(), picture.pixels.data(), picture.pixels.size()), 0);
}

TEST(PictureInput, GrayStaysExactInOneChannel) {
  const Picture picture = gray_ramp(5, 2);
  const auto tensor = value_of(picture_to_tensor(picture, DataType::kFloat32, Shape{1, 2, 5, 1}, {1.0f, 0.0f}));
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(tensor.as<float>()[i], picture.pixels[3 * i]);
}

TEST(PictureInput, MissingFourthChannelIsZero) {
  const auto tensor = value_of(
      picture_to_tensor(gray_ramp(2, 2), DataType::kFloat32, Shape{1, 2, 2, 4}, Normalization::from_range(-1, 1)));
  EXPECT_EQ(tensor.as<float>()[0], -1.0f);
  EXPECT_EQ(tensor.as<float>()[3], 0.0f);
}

TEST(PictureInput, LetterboxLeavesBlackBars) {
  Picture white{8, 4, 3, std::vector<uint8_t>(96, 255)};
  const auto tensor = value_of(picture_to_tensor(white, DataType::kFloat32, Shape{1, 8, 8, 3}, {}, Fit::kLetterbox));
  const auto row = [&](size_t y) { return tensor.as<float>()[y * 24 + 12]; };
  EXPECT_EQ(row(0), 0.0f);
  EXPECT_EQ(row(1), 0.0f);
  EXPECT_NEAR(row(2), 1.0f, 1e-6);
  EXPECT_NEAR(row(5), 1.0f, 1e-6);
  EXPECT_EQ(row(6), 0.0f);
}

// One pixel in eight is white, and none of them is in the middle of a cell.
TEST(PictureInput, CellsAreAveraged) {
  Picture stripes{64, 8, 3, {}};
  for (int i = 0; i < 64 * 8; ++i)
    stripes.pixels.insert(stripes.pixels.end(), 3, i % 8 == 0 ? uint8_t{255} : uint8_t{0});
  const auto tensor = value_of(picture_to_tensor(stripes, DataType::kFloat32, Shape{1, 1, 8, 3}));
  for (size_t i = 0; i < 24; ++i) EXPECT_NEAR(tensor.as<float>()[i], 1.0f / 8, 1e-6) << i;
}

TEST(PictureInput, RejectsShapesThatAreNotImages) {
  const auto tensor = picture_to_tensor(gray_ramp(2, 2), DataType::kFloat32, Shape{1, 1001});
  ASSERT_FALSE(tensor.ok());
  EXPECT_NE(tensor.status().message().find("1x1001"), std::string::npos);
  EXPECT_FALSE(picture_to_tensor(gray_ramp(2, 2), DataType::kInt32, Shape{1, 2, 2, 3}).ok());
}

TEST(PictureInput, NamesTheUnreadableFile) {
  const auto picture = load_picture("no/such/picture.png", 16);
  ASSERT_FALSE(picture.ok());
  EXPECT_NE(picture.status().message().find("no/such/picture.png"), std::string::npos);
}

}  // namespace
}  // namespace sightglass::test
