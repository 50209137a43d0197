// External textures in the whole element: the output equals that of the same image as a 2D texture. If a GL context
// cannot sample external textures, the sink pad does not offer them.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "harness/scratch_folder.h"
#include "test_pipeline.h"
#include "texture_source.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 96, kHeight = 54;
constexpr GstGLTextureTarget k2d = GST_GL_TEXTURE_TARGET_2D, kExternal = GST_GL_TEXTURE_TARGET_EXTERNAL_OES;
constexpr const char* kExtension = "GL_OES_EGL_image_external_essl3";

// No two positions are alike, and one corner is foreground for the model.
Rgba asymmetric() {
  uint32_t noise = 1;
  return painted(kWidth, kHeight, [&](int32_t x, int32_t y) {
    noise = noise * 1664525U + 1013904223U;
    const bool corner = x < kWidth / 2 && y < kHeight / 2;
    return std::array{corner ? 230 : x, y * 4, static_cast<int>(noise >> 24)};
  });
}

class External : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gst_gl_context_check_feature(source_.context(), kExtension))
      GTEST_SKIP() << "the GL context has no " << kExtension;
    GstBuffer* buffer = source_.make(asymmetric(), kExternal);
    if (buffer == nullptr) GTEST_SKIP() << "EGL cannot make an external texture from a 2D texture here";
    gst_buffer_unref(buffer);
  }

  std::optional<Rgba> pass(TestPipeline& pipeline, GstGLTextureTarget target) {
    return pipeline.pass(TextureSource::caps(kWidth, kHeight, target), source_.make(asymmetric(), target));
  }

  // Caps change from 2D to external in mid-stream.
  void expect_same(TestPipeline& pipeline, const std::string& what) {
    const auto expected = pass(pipeline, k2d);
    const auto got = pass(pipeline, kExternal);
    ASSERT_TRUE(expected && got) << what << ": " << pipeline.error(1);
    ASSERT_EQ(got->width, expected->width) << what;
    ASSERT_EQ(got->height, expected->height) << what;
    int largest = 0;
    for (size_t i = 0; i < got->pixels.size(); ++i) {
      largest = std::max(largest, std::abs(int{got->pixels[i]} - int{expected->pixels[i]}));
    }
    std::printf("%s: at most %d of 255 off the 2D texture\n", what.c_str(), largest);
    EXPECT_LE(largest, 1) << what;
    EXPECT_NE(*got->at(0, 0), *got->at(got->width - 1, got->height - 1)) << what << ": the image is not uniform";
  }

  TextureSource source_;
};

TEST_F(External, EveryBackground) {
  const std::string png = scratch_folder() / "background.png";
  ASSERT_TRUE(save_png(asymmetric(), png));
  for (const std::string background : {"blur", "color", "image", "transparent", "mask"}) {
    TestPipeline pipeline("glsegment name=segment blur-radius=9 background=" + background +
                              " background-location=" + png + " model=" + red_model(),
                          TestPipeline::Entry::kDirect);
    source_.give_to(pipeline.pipeline());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    expect_same(pipeline, background);
    EXPECT_EQ(pipeline.error() + pipeline.warning(), "") << background;
  }
}

TEST_F(External, EveryOrientation) {
  TestPipeline pipeline("glsegment name=segment blur-radius=9 model=" + red_model(), TestPipeline::Entry::kDirect);
  source_.give_to(pipeline.pipeline());
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const char* direction : {"identity", "90r", "180", "90l", "horiz", "vert", "ul-lr", "ur-ll"}) {
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "video-direction", direction);
    expect_same(pipeline, direction);
  }
  EXPECT_EQ(pipeline.error(), "");
}

// The model runs in parts after the frames.
TEST_F(External, WithTheNewestMask) {
  std::vector<Rgba> last;
  for (const GstGLTextureTarget target : {k2d, kExternal}) {
    TestPipeline pipeline("glsegment name=segment background=color mask-sync=latest gpu-budget=1 model=" + red_model(),
                          TestPipeline::Entry::kDirect);
    source_.give_to(pipeline.pipeline());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    std::optional<Rgba> out;
    for (int i = 0; i < 8; ++i) out = pass(pipeline, target);
    ASSERT_TRUE(out) << pipeline.error(1);
    last.push_back(*out);
  }
  EXPECT_TRUE(last[0].pixels == last[1].pixels);
}

// Whether the sink pad offers such textures.
bool offers(const TestPipeline& pipeline, GstGLTextureTarget target) {
  GstPad* pad = pad_of(pipeline.element(), "sink");
  GstCaps* offered = gst_pad_query_caps(pad, nullptr);
  GstCaps* wanted = gst_caps_from_string(TextureSource::caps(kWidth, kHeight, target).c_str());
  const bool found = gst_caps_can_intersect(offered, wanted) != FALSE;
  gst_caps_unref(wanted);
  gst_caps_unref(offered);
  return found;
}

TEST(ExternalCaps, AreOfferedIfTheContextCanSampleThem) {
  TextureSource source;
  const bool possible = gst_gl_context_check_feature(source.context(), kExtension) != FALSE;
  std::printf("%s %s\n", possible ? "with" : "without", kExtension);
  const char* api = std::getenv("GST_GL_API");
  EXPECT_FALSE(possible && api != nullptr && api == std::string("opengl3")) << "an extension of OpenGL ES only";
  TestPipeline pipeline("glsegment name=segment model=" + red_model(), TestPipeline::Entry::kDirect);
  source.give_to(pipeline.pipeline());
  EXPECT_TRUE(offers(pipeline, kExternal)) << "as long as the context is unknown";
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(TextureSource::caps(kWidth, kHeight, k2d), source.make(asymmetric(), k2d)));
  EXPECT_TRUE(offers(pipeline, k2d));
  EXPECT_EQ(offers(pipeline, kExternal), possible);
}

// At the start, and in mid-stream when the caps are no longer offered.
TEST(ExternalCaps, ForcedOnesAreAnErrorThatNamesTheExtension) {
  TextureSource source;
  if (gst_gl_context_check_feature(source.context(), kExtension)) GTEST_SKIP() << "the GL context has " << kExtension;
  for (const bool first : {true, false}) {
    TestPipeline pipeline("glsegment name=segment model=" + red_model(), TestPipeline::Entry::kDirect);
    source.give_to(pipeline.pipeline());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    if (!first) {
      ASSERT_TRUE(pipeline.pass(TextureSource::caps(kWidth, kHeight, k2d), source.make(asymmetric(), k2d)));
    }
    EXPECT_FALSE(pipeline.pass(TextureSource::caps(kWidth, kHeight, kExternal), source.make(asymmetric(), k2d)));
    const std::string error = pipeline.error(5);
    std::printf("%s\n", error.c_str());
    EXPECT_NE(error.find(kExtension), std::string::npos) << error;
    EXPECT_NE(error.find("2D textures"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace sightglass::test
