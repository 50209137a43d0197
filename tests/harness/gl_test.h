// A fixture for tests that need a GL context.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "headless_gl.h"

namespace sightglass::test {

// Every test of the process runs in one OpenGL ES 3.1 context without a window, or in a desktop OpenGL 4.5 one when the
// environment says SIGHTGLASS_TEST_GL=desktop. A test that leaves a GL error behind fails.
class GlTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  const GlApi& gl() const { return headless_->gl(); }
  const DeviceInfo& device() const { return headless_->device(); }
  const interop::Context& context() const { return headless_->context(); }

 private:
  HeadlessGl* headless_ = nullptr;
};

}  // namespace sightglass::test
