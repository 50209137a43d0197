// After the compositor has warmed up, llvmpipe compiles nothing for the first frame.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "segment/compositor.h"
#include "segment/shaders.h"
#include "sightglass/empty_frame.h"
#include "sightglass/gl_objects.h"

namespace sightglass::test {
namespace {

constexpr FrameKind kKind = FrameKind::kTwoPlanes;
constexpr int32_t kWidth = 636, kHeight = 480, kMaskSize = 64;

class WarmUpTest : public GlTest {
 protected:
  // Otherwise the driver loads what an earlier run of this test compiled.
  static void SetUpTestSuite() { setenv("MESA_SHADER_CACHE_DISABLE", "true", 1); }

  double milliseconds_of_draw(Compositor& compositor) {
    const EmptyFrame empty(gl(), kKind, kWidth, kHeight);
    const GlTexture output = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
    gl().Finish();
    const auto begin = std::chrono::steady_clock::now();
    const Status drawn = compositor.draw(empty.ref(), {}, mask(), {}, output.id(), {});
    gl().Finish();
    EXPECT_TRUE(drawn.ok()) << drawn.message();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  Result<Compositor> create() {
    if (!mask_) mask_ = upload_mask(gl(), kMaskSize, kMaskSize, std::vector<float>(kMaskSize * kMaskSize));
    return Compositor::create(ShareGroup::create(gl(), nullptr, element_shaders()), kKind, Refine::kGuided);
  }
  TextureRef mask() const { return {mask_.id(), GL_TEXTURE_2D, kMaskSize, kMaskSize}; }

 private:
  GlTexture mask_;
};

TEST_F(WarmUpTest, TheFirstFrameTakesAsLongAsTheNext) {
  if (device().renderer.find("llvmpipe") == std::string::npos) GTEST_SKIP() << "only llvmpipe compiles when it draws";
  auto cold = value_of(create());
  ASSERT_TRUE(cold.resize(kWidth, kHeight).ok());
  const double cold_first = milliseconds_of_draw(cold), usual = milliseconds_of_draw(cold);

  auto warm = value_of(create());
  const Status warmed = warm.warm_up(mask(), kWidth, kHeight);
  ASSERT_TRUE(warmed.ok()) << warmed.message();
  const double first = milliseconds_of_draw(warm);
  std::printf("first frame %.1f ms, without warming up %.1f ms; second frame %.1f ms\n", first, cold_first, usual);
  ASSERT_GT(cold_first - usual, 20) << "the driver loaded the programs instead of compiling them";
  EXPECT_LT(first - usual, (cold_first - usual) / 10);
}

}  // namespace
}  // namespace sightglass::test
