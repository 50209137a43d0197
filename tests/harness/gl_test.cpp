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
}

void GlTest::TearDown() {
  if (headless_ == nullptr) return;
  EXPECT_EQ(gl().GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace sightglass::test
