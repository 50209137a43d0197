// Measured device speeds are plausible and reproducible.
#include "gpu_engine/device_family.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"

namespace sightglass::test {
namespace {

using DeviceSpeedTest = GlTest;

TEST_F(DeviceSpeedTest, IsMeasured) {
  auto timer = StepTimer::create(ShareGroup::create(gl()));
  ASSERT_TRUE(timer.ok()) << timer.status().message();
  const GlState before = snapshot_gl_state(gl());
  double fastest[2] = {};
  for (double& multiply_adds : fastest) {
    const auto speed = measure_device(**timer, device().limits);
    ASSERT_TRUE(speed.ok()) << speed.status().message();
    std::printf("%.1f GFLOP/s with %d chains, %.1f GB/s%s\n", speed->multiply_adds_per_second * 2e-9, speed->chains,
                speed->copied_bytes_per_second * 1e-9, speed->buffer_textures ? " through buffer textures" : "");
    multiply_adds = speed->multiply_adds_per_second;
    EXPECT_GT(speed->multiply_adds_per_second, 1e8);
    EXPECT_LT(speed->multiply_adds_per_second, 1e15);
    EXPECT_GT(speed->copied_bytes_per_second, 1e7);
    EXPECT_LT(speed->copied_bytes_per_second, 1e14);
    EXPECT_TRUE(!speed->buffer_textures || device().limits.max_buffer_texels > 0);
  }
  EXPECT_LT(fastest[0], fastest[1] * 3) << "the machine may be busy, but not that much";
  EXPECT_LT(fastest[1], fastest[0] * 3) << "the machine may be busy, but not that much";
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
}

// Without buffer textures, the other variant is used.
TEST_F(DeviceSpeedTest, WorksAtTheMinimumLimits) {
  auto timer = StepTimer::create(ShareGroup::create(gl()), StepTimer::Method::kFences);
  ASSERT_TRUE(timer.ok());
  const auto speed = measure_device(**timer, device().limits.clamped_to_minimum());
  ASSERT_TRUE(speed.ok()) << speed.status().message();
  EXPECT_GT(speed->copied_bytes_per_second, 0);
}

}  // namespace
}  // namespace sightglass::test
