#include "harness/gl_test.h"

#include <cstdlib>
#include <string_view>

namespace sightglass::test {
namespace {

Result<std::unique_ptr<HeadlessGl>>& process_context() {
  static Result<std::unique_ptr<HeadlessGl>> headless = [] {
    const char* wanted = std::getenv("SIGHTGLASS_TEST_GL");
    const bool desktop = wanted != nullptr && std::string_view(wanted) == "desktop";
    return HeadlessGl::create(desktop ? interop::GlFlavour::kDesktopCore45 : interop::GlFlavour::kEs31);
  }();
  return headless;
}

}  // namespace

void GlTest::SetUp() {
  auto& headless = process_context();
  ASSERT_TRUE(headless.ok()) << headless.status().message();
  headless_ = headless->get();
  device_ = headless_->device();
  device_.limits.compiles_for_samplers = false;
  // If a test is for one driver, no other driver may replace it.
  const char* wanted = std::getenv("SIGHTGLASS_TEST_RENDERER");
  ASSERT_TRUE(wanted == nullptr || device().renderer.starts_with(wanted)) << device().renderer;
}

void GlTest::TearDown() {
  if (headless_ == nullptr) return;
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

DeviceLimits GlTest::limits_for_half() const {
  DeviceLimits limits = device().limits;
  limits.kernels.half = {};
  return limits;
}

std::vector<float> GlTest::read_texture(const TextureRef& texture) const {
  GLuint framebuffer = 0;
  gl().GenFramebuffers(1, &framebuffer);
  gl().BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  gl().FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture.id, 0);
  EXPECT_EQ(gl().CheckFramebufferStatus(GL_FRAMEBUFFER), static_cast<GLenum>(GL_FRAMEBUFFER_COMPLETE));
  std::vector<float> pixels(static_cast<size_t>(texture.width) * static_cast<size_t>(texture.height) * 4);
  gl().ReadPixels(0, 0, texture.width, texture.height, GL_RGBA, GL_FLOAT, pixels.data());
  gl().BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl().DeleteFramebuffers(1, &framebuffer);
  return pixels;
}

}  // namespace sightglass::test
