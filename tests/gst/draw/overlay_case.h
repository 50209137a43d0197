// An overlay painter in the GL context of the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <utility>

#include "draw/overlay_painter.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"

namespace sightglass::test {

class OverlayCase : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (HasFatalFailure()) return;
    auto painter = OverlayPainter::create(ShareGroup::create(gl(), nullptr, element_shaders()));
    ASSERT_TRUE(painter.ok()) << painter.status().message();
    painter_ = std::move(painter).value();
  }
  void TearDown() override {
    painter_.reset();
    GlTest::TearDown();
  }
  // Returns the image with the overlay.
  Rgba paint(const Rgba& picture, const PrimitiveRange& range) {
    const GlTexture texture = upload(gl(), picture);
    const Status status = painter_->draw({texture.id(), GL_TEXTURE_2D, picture.width, picture.height}, {&range, 1});
    EXPECT_TRUE(status.ok()) << status.message();
    return download(gl(), texture.id(), picture.width, picture.height);
  }
  OverlayPainter& painter() { return *painter_; }

 private:
  std::unique_ptr<OverlayPainter> painter_;
};

}  // namespace sightglass::test
