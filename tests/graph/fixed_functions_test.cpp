#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "graph/fixed_point.h"
#include "hash_of_all.h"

namespace sightglass {
namespace {

constexpr int32_t kLowest = -32768, kHighest = 32767;

// The expected sums are from FixedPoint<int16_t> of gemmlowp.
TEST(FixedFunctions, LogisticMatchesTensorFlowLite) {
  EXPECT_EQ(hash_of_all(fixed_logistic), 0xa2cc3b4d3e1c307u);
  const std::pair<int32_t, int32_t> known[] = {{-32768, 11}, {-4096, 8815}, {-1, 16383},   {0, 16384},
                                               {1, 16384},   {4096, 23952}, {32767, 32756}};
  for (const auto& [x, y] : known) EXPECT_EQ(fixed_logistic(x), y) << x;
}

TEST(FixedFunctions, TanhMatchesTensorFlowLite) {
  const uint64_t hashes[kMaxTanhBits + 1] = {0xa1125e53730a1b47u, 0x3e57ed06662ae8efu, 0x8bbd717c2be73713u,
                                             0x2190f47c680cc42au, 0xca1f378d16d7a09cu, 0xa28e2df23a975508u,
                                             0x689690a2d2eee9eau};
  for (int bits = 0; bits <= kMaxTanhBits; ++bits) {
    EXPECT_EQ(hash_of_all([bits](int32_t x) { return fixed_tanh(x, bits); }), hashes[bits]) << bits;
  }
  EXPECT_EQ(fixed_tanh(0, 3), 0);
  EXPECT_EQ(fixed_tanh(4096, 3), 24964);
  EXPECT_EQ(fixed_tanh(-9000, 4), -32764);
}

TEST(FixedFunctions, AreCloseToTheRealFunctions) {
  double worst_logistic = 0, worst_tanh = 0;
  for (int32_t x = kLowest; x <= kHighest; ++x) {
    worst_logistic = std::max(worst_logistic, std::abs(fixed_logistic(x) - 32768 / (1 + std::exp(-x / 4096.0))));
    for (int bits = 0; bits <= kMaxTanhBits; ++bits) {
      worst_tanh = std::max(worst_tanh, std::abs(fixed_tanh(x, bits) - 32768 * std::tanh(std::ldexp(x, bits - 15))));
    }
  }
  std::printf("at most %.1f and %.1f steps of 2^-15 from the real functions\n", worst_logistic, worst_tanh);
  EXPECT_LE(worst_logistic, 7);
  EXPECT_LE(worst_tanh, 13);
}

}  // namespace
}  // namespace sightglass
