#include "harness/gl_test.h"

#include <cstdlib>
#include <string>
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

std::vector<std::string>& severe_messages() {
  static std::vector<std::string> messages;
  return messages;
}

// Neither errors of calls, which GetError reports and some tests make, nor those on performance: tests read back.
void GL_APIENTRY on_message(GLenum /*source*/, GLenum type, GLuint /*id*/, GLenum severity, GLsizei length,
                            const GLchar* text, const void* /*data*/) {
  if (severity != GL_DEBUG_SEVERITY_HIGH) return;
  if (type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_PERFORMANCE) return;
  severe_messages().emplace_back(text, static_cast<size_t>(length));
}

// GL_KHR_debug, if the driver has it.
void listen_to(const GlApi& gl) {
  const auto listen =
      reinterpret_cast<decltype(&glDebugMessageCallback)>(interop::Context::get_proc_address("glDebugMessageCallback"));
  if (listen == nullptr || !has_extension(gl, "GL_KHR_debug")) return;
  gl.Enable(GL_DEBUG_OUTPUT);
  gl.Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  listen(on_message, nullptr);
}

}  // namespace

void GlTest::SetUp() {
  auto& headless = process_context();
  ASSERT_TRUE(headless.ok()) << headless.status().message();
  headless_ = headless->get();
  static const bool listening = [this] {
    listen_to(gl());
    return true;
  }();
  ASSERT_TRUE(listening);
  severe_messages().clear();
  device_ = headless_->device();
  device_.limits.compiles_for_samplers = false;
  // If a test is for one driver, no other driver may replace it.
  const char* wanted = std::getenv("SIGHTGLASS_TEST_RENDERER");
  ASSERT_TRUE(wanted == nullptr || device().renderer.starts_with(wanted)) << device().renderer;
}

void GlTest::TearDown() {
  if (headless_ == nullptr) return;
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
  for (const std::string& message : severe_messages()) ADD_FAILURE() << "the GL driver: " << message;
}

DeviceLimits GlTest::limits_for_half() const {
  DeviceLimits limits = device().limits;
  limits.kernels.half = {};
  return limits;
}

DeviceLimits GlTest::limits_for_sampling() const {
  DeviceLimits limits = device_.limits;
  limits.kernels.texture_slices = 8;
  limits.kernels.texture_tile = 16;
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
