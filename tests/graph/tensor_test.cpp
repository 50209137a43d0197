#include "sightglass/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sightglass::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(DataType, SizesAndNames) {
  EXPECT_EQ(size_of(DataType::kFloat32), 4u);
  EXPECT_EQ(size_of(DataType::kFloat16), 2u);
  EXPECT_EQ(size_of(DataType::kInt8), 1u);
  EXPECT_EQ(size_of(DataType::kInt64), 8u);
  EXPECT_EQ(size_of(DataType::kBool), 1u);
  EXPECT_STREQ(to_string(DataType::kFloat16), "float16");
  EXPECT_STREQ(to_string(DataType::kUInt8), "uint8");
}

TEST(Shape, ElementsAndText) {
  EXPECT_EQ((Shape{1, 256, 256, 3}.elements()), 196608);
  EXPECT_EQ((Shape{1, 256, 256, 3}.to_string()), "1x256x256x3");
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ(Shape{}.to_string(), "scalar");
  EXPECT_EQ((Shape{2, 0, 3}.elements()), 0);
  EXPECT_EQ((Shape{65536, 65536}.elements()), int64_t{1} << 32);
}

TEST(Shape, ComparesRankAndDimensions) {
  EXPECT_EQ((Shape{1, 2}), (Shape{1, 2}));
  EXPECT_NE((Shape{1, 2}), (Shape{1, 2, 1}));
  EXPECT_NE((Shape{1}), Shape{});
}

TEST(Bhwc, LowerRanksGainLeadingOnes) {
  EXPECT_EQ(Bhwc::from(Shape{}), (Bhwc{1, 1, 1, 1}));
  EXPECT_EQ(Bhwc::from({7}), (Bhwc{1, 1, 1, 7}));
  EXPECT_EQ(Bhwc::from({6, 7}), (Bhwc{1, 1, 6, 7}));
  EXPECT_EQ(Bhwc::from({5, 6, 7}), (Bhwc{1, 5, 6, 7}));
  EXPECT_EQ(Bhwc::from({4, 5, 6, 7}), (Bhwc{4, 5, 6, 7}));
  EXPECT_EQ(Bhwc::from({3, 4, 5, 6, 7}), (Bhwc{12, 5, 6, 7}));
}

TEST(Bhwc, SlicesHoldFourChannels) {
  EXPECT_EQ((Bhwc{1, 1, 1, 1}.slices()), 1);
  EXPECT_EQ((Bhwc{1, 1, 1, 4}.slices()), 1);
  EXPECT_EQ((Bhwc{1, 1, 1, 5}.slices()), 2);
  EXPECT_EQ((Bhwc{2, 3, 5, 9}.vec4s()), 2 * 3 * 5 * 3);
}

TEST(HostTensor, StartsWithZeros) {
  const HostTensor tensor(DataType::kInt32, {2, 3});
  ASSERT_EQ(tensor.data.size(), 24u);
  for (const int32_t value : tensor.as<int32_t>()) EXPECT_EQ(value, 0);
}

TEST(Half, KnownValues) {
  const struct {
    uint16_t half;
    float value;
  } kCases[] = {
      {0x0000, 0.0f},
      {0x3c00, 1.0f},
      {0xc000, -2.0f},
      {0x3555, 0.333251953125f},
      {0x7bff, 65504.0f},
      {0x0400, 0x1p-14f},
      {0x03ff, 1023e0f * 0x1p-24f},
      {0x0001, 0x1p-24f},
      {0x7c00, kInfinity},
      {0xfc00, -kInfinity},
  };
  for (const auto& [half, value] : kCases) {
    EXPECT_EQ(half_to_float(half), value) << std::hex << half;
    EXPECT_EQ(float_to_half(value), half) << value;
  }
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
  EXPECT_EQ(float_to_half(-0.0f), 0x8000);
}

TEST(Half, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t half = 0; half <= 0xffff; ++half) {
    const float value = half_to_float(static_cast<uint16_t>(half));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value)))) << std::hex << half;
    } else {
      ASSERT_EQ(float_to_half(value), half) << value;
    }
  }
}

// The half float nearest to `value`; in a tie, the one with the even mantissa.
uint16_t nearest_half(float value) {
  uint16_t best = 0;
  for (uint16_t half = 0; half <= 0x7bff; ++half) {
    const double distance = std::abs(double{half_to_float(half)} - double{value});
    const double least = std::abs(double{half_to_float(best)} - double{value});
    if (distance < least || (distance == least && half % 2 == 0)) best = half;
  }
  return best;
}

TEST(Half, RoundsToNearestEven) {
  for (const float value : {1.0f + 0x1p-11f, 1.0f + 3 * 0x1p-11f, 1.0f + 0x1.01p-11f, 0x1p-25f, 0x1.01p-25f, 0x3p-25f,
                            2047.5f * 0x1p-25f, 2.9e-8f, 6.1e-5f, 0.1f, 1234.5678f, 65503.9f, 65519.0f}) {
    EXPECT_EQ(float_to_half(value), nearest_half(value)) << value;
    EXPECT_EQ(float_to_half(-value), nearest_half(value) | 0x8000) << -value;
  }
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(1e30f), 0x7c00);
}

}  // namespace
}  // namespace sightglass::test
