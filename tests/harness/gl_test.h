// A fixture for tests that need a GL context.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "common/headless_gl.h"
#include "sightglass/texture_ref.h"

namespace sightglass::test {

// Every test of the process runs in one OpenGL ES 3.1 context without a window, or in a desktop OpenGL 4.5 context if
// SIGHTGLASS_TEST_GL=desktop is set. A test fails if it leaves a GL error behind,
// or if the driver has a message of high severity for it.
class GlTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  const GlApi& gl() const { return headless_->gl(); }
  // Without DeviceLimits::compiles_for_samplers: the GL calls of a session are those of its plan.
  const DeviceInfo& device() const { return device_; }
  // Of the device, with 16-bit floats wherever Precision::kFp16 allows them. Software renderers decline them otherwise.
  DeviceLimits limits_for_half() const;
  // Of the device, with first convolutions that sample the frame themselves. Software renderers sample it into a
  // tensor.
  DeviceLimits limits_for_sampling() const;
  const interop::Context& context() const { return headless_->context(); }

  // All pixels of a 2D float texture, four values each, first row first.
  std::vector<float> read_texture(const TextureRef& texture) const;

 private:
  HeadlessGl* headless_ = nullptr;
  DeviceInfo device_;
};

}  // namespace sightglass::test
