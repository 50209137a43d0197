#include "graph/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sightglass {
namespace {

TEST(FixedPoint, RepresentsRealNumbersTo31Bits) {
  for (const double real : {1e-9, 0.0003, 0.25, 0.5, 0.999, 1.0, 1.5, 3000.0}) {
    const FixedPoint f = to_fixed_point(real);
    EXPECT_GE(f.multiplier, 1 << 30) << real;
    EXPECT_NEAR(std::ldexp(f.multiplier, f.shift - 31), real, real * std::ldexp(1, -31)) << real;
  }
}

TEST(FixedPoint, IsZeroForTinyNumbers) {
  EXPECT_EQ(to_fixed_point(0).multiplier, 0);
  EXPECT_EQ(to_fixed_point(-1).multiplier, 0);
  EXPECT_EQ(to_fixed_point(std::ldexp(1, -40)).multiplier, 0);
}

TEST(FixedPoint, AFractionRoundedUpToOneChangesTheShift) {
  const FixedPoint f = to_fixed_point(1 - std::ldexp(1, -40));
  EXPECT_EQ(f.multiplier, 1 << 30);
  EXPECT_EQ(f.shift, 1);
}

TEST(FixedPoint, RoundsHalvesAsRequested) {
  const FixedPoint quarter = to_fixed_point(0.25);  // 2^30 and a shift of -1: halving twice
  EXPECT_EQ(multiply(6, quarter, Rounding::kTwice), 2);
  EXPECT_EQ(multiply(6, quarter, Rounding::kOnce), 2);
  EXPECT_EQ(multiply(-6, quarter, Rounding::kTwice), -2);
  EXPECT_EQ(multiply(-6, quarter, Rounding::kOnce), -1);
}

// 5 * 0.25 is 1.25, but rounding twice makes it 2.5, 3, 1.5, 2.
TEST(FixedPoint, RoundsTwiceOrOnce) {
  EXPECT_EQ(multiply(5, to_fixed_point(0.25)), 2);
  EXPECT_EQ(multiply(-5, to_fixed_point(0.25)), -1);  // -2.5, -2, -1
  EXPECT_EQ(multiply(5, to_fixed_point(0.25), Rounding::kOnce), 1);
  EXPECT_EQ(multiply(-5, to_fixed_point(0.25), Rounding::kOnce), -1);
}

TEST(FixedPoint, RoundsOnceWhateverTheShift) {
  for (int shift = -31; shift <= 8; ++shift) {
    const FixedPoint factor{0x5A827999, shift};
    for (const int32_t x : {0, 1, -1, 77, -8191, 123456, -7654321, 8388607}) {
      const double exact = std::ldexp(static_cast<double>(x) * factor.multiplier, shift - 31);
      if (std::abs(exact) > 1e9) continue;
      EXPECT_EQ(multiply(x, factor, Rounding::kOnce), std::floor(exact + 0.5)) << x << " " << shift;
    }
  }
}

TEST(FixedPoint, NarrowFactorsHave15Bits) {
  EXPECT_EQ(narrowed(to_fixed_point(0.75)).multiplier, 0x6000 << 16);
  EXPECT_EQ(narrowed(to_fixed_point(1 - std::ldexp(1, -20))).multiplier, 0x7FFF << 16);  // does not become 1
  EXPECT_EQ(narrowed(to_fixed_point(0.3)).shift, to_fixed_point(0.3).shift);
}

TEST(FixedPoint, FactorsAboveOneShiftFirst) {
  EXPECT_EQ(multiply(7, to_fixed_point(3)), 21);
  EXPECT_EQ(multiply(-7, to_fixed_point(100.5)), -703);  // of -703.5: up
}

// The shifted number saturates before the multiplication.
TEST(FixedPoint, StaysWithin32Bits) {
  EXPECT_EQ(multiply(1 << 30, to_fixed_point(4)), 1 << 30);
  EXPECT_EQ(multiply(INT32_MIN, to_fixed_point(1 << 20)), INT32_MIN / 2);
}

TEST(FixedPoint, Saturates) {
  EXPECT_EQ(saturated(-3.9), -3);
  EXPECT_EQ(saturated(1e300), INT32_MAX);
  EXPECT_EQ(saturated(-INFINITY), INT32_MIN);
  EXPECT_EQ(saturated(NAN), 0);
}

}  // namespace
}  // namespace sightglass
