// GstVideoCropMeta: the element samples and shows only the cropped region of the frame.
#include <gst/gl/gl.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "test_pipeline.h"
#include "texture_source.h"
#include "tiny_model.h"
#include "yuv_picture.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 48, kHeight = 32, kLeft = 10, kTop = 6;

// No two positions are alike, and one corner is foreground for the model.
Rgba asymmetric() {
  return painted(kWidth, kHeight, [](int32_t x, int32_t y) {
    const bool corner = x < kWidth / 2 && y < kHeight / 2;
    return std::array{corner ? 230 : x, x * 3, y * 5};
  });
}

// The image inside a larger one, which is garbage that is foreground for the model.
Rgba with_margins(const Rgba& picture) {
  Rgba whole(kLeft + picture.width + 7, kTop + picture.height + 9);
  for (size_t i = 0; i < whole.pixels.size(); ++i)
    whole.pixels[i] = i % 4 == 0 || i % 4 == 3 ? 255 : i % 4 == 1 ? 0 : 255;
  for (int32_t y = 0; y < picture.height; ++y) {
    std::copy_n(picture.at(0, y), static_cast<size_t>(picture.width) * 4, whole.at(kLeft, kTop + y));
  }
  return whole;
}

void add_crop(GstBuffer* buffer, guint x, guint y, guint width, guint height) {
  GstVideoCropMeta* meta = gst_buffer_add_video_crop_meta(buffer);
  meta->x = x;
  meta->y = y;
  meta->width = width;
  meta->height = height;
}

int largest_difference(const Rgba& a, const Rgba& b) {
  if (a.pixels.size() != b.pixels.size()) return 256;
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  return largest;
}

std::string element(const std::string& properties) {
  return "glsegment name=segment blur-radius=9 model=" + red_model() + " " + properties;
}

class Crop : public ::testing::TestWithParam<GstGLTextureTarget> {
 protected:
  std::optional<Rgba> pass(TestPipeline& pipeline, bool cropped) {
    const Rgba picture = asymmetric();
    GstBuffer* buffer = source_.make(cropped ? with_margins(picture) : picture, GetParam());
    if (buffer == nullptr) return std::nullopt;
    if (cropped) add_crop(buffer, kLeft, kTop, kWidth, kHeight);
    return pipeline.pass(TextureSource::caps(kWidth, kHeight, GetParam()), buffer);
  }
  bool possible() const {
    return GetParam() == GST_GL_TEXTURE_TARGET_2D ||
           gst_gl_context_check_feature(source_.context(), "GL_OES_EGL_image_external_essl3");
  }

  TextureSource source_;
};

// The result equals that of the part by itself, also for the model.
TEST_P(Crop, HidesTheMargins) {
  if (!possible()) GTEST_SKIP() << "the GL context samples no external textures";
  for (const std::string what : {"background=color input-offset=10", "background=blur", "background=transparent",
                                 "background=mask", "background=mask fit=letterbox", "background=blur fit=letterbox"}) {
    TestPipeline pipeline(element(what), TestPipeline::Entry::kDirect);
    source_.give_to(pipeline.pipeline());
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    for (const char* direction : {"identity", "90r", "180", "90l", "horiz", "vert", "ul-lr", "ur-ll"}) {
      gst_util_set_object_arg(G_OBJECT(pipeline.element()), "video-direction", direction);
      const auto expected = pass(pipeline, false), got = pass(pipeline, true);
      ASSERT_TRUE(expected && got) << what << ": " << pipeline.error(1);
      const int largest = largest_difference(*got, *expected);
      std::printf("%s, %s: differs from the part by itself by at most %d of 255\n", what.c_str(), direction, largest);
      EXPECT_LE(largest, what.find("input-offset") != std::string::npos ? 0 : 1) << what;
    }
    EXPECT_EQ(pipeline.error(), "") << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Crop, ::testing::Values(GST_GL_TEXTURE_TARGET_2D, GST_GL_TEXTURE_TARGET_EXTERNAL_OES),
                         [](const auto& info) {
                           return info.param == GST_GL_TEXTURE_TARGET_2D ? "Texture2d" : "External";
                         });

constexpr guint kPart[] = {16, 8, 24, 20};

// The result for a planar frame of which the element uses only a part, enlarged to the size in the caps.
std::optional<Rgba> part_of(const YuvPicture& picture) {
  TestPipeline pipeline(element("background=color input-offset=10"));
  replace_buffers(pipeline.element(), "sink", [](GstBuffer* shared) {
    GstBuffer* buffer = gst_buffer_make_writable(shared);
    add_crop(buffer, kPart[0], kPart[1], kPart[2], kPart[3]);
    return buffer;
  });
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  auto got = pipeline.pass(picture.caps, picture.bytes);
  EXPECT_TRUE(got) << picture.caps << ": " << pipeline.error(1);
  return got;
}

// With smooth colors, so that the order of interpolation does not matter. Odd sizes have half a chroma sample at their
// ends.
TEST(CropPlanes, ArePartsOfEveryPlane) {
  init_gstreamer();
  const Rgba smooth = painted(49, 33, [](int32_t x, int32_t y) { return std::array{x * 5, y * 7, x + y}; });
  for (const std::string format : {"NV12", "I420"}) {
    for (const std::string site : {"jpeg", "mpeg2"}) {
      const auto got = part_of(to_yuv(smooth, format, ",colorimetry=(string)bt601,chroma-site=(string)" + site));
      ASSERT_TRUE(got);
      double largest = 0;
      for (int32_t y = 0; y < got->height; ++y) {
        for (int32_t x = 0; x < got->width; ++x) {
          const double at_x = kPart[0] + (x + 0.5) * kPart[2] / got->width - 0.5;
          const double at_y = kPart[1] + (y + 0.5) * kPart[3] / got->height - 0.5;
          largest = std::max(largest, std::abs(got->at(x, y)[0] - at_x * 5));
          largest = std::max(largest, std::abs(got->at(x, y)[1] - at_y * 7));
        }
      }
      std::printf("%s, %s: at most %.1f of 255 off\n", format.c_str(), site.c_str(), largest);
      EXPECT_LE(largest, 8) << format;  // a third of the chroma difference between samples, at the borders of the part
    }
  }
}

// Gray with garbage around it stays gray: no filter reads beyond the part, in any plane.
TEST(CropPlanes, NothingOutsideIsSampled) {
  init_gstreamer();
  for (const std::string format : {"NV12", "I420"}) {
    YuvPicture picture = noisy_picture(format, 64, 48, "");
    for (guint component = 0; component < 3; ++component) {
      const guint scale = component == 0 ? 1 : 2;
      for (guint y = kPart[1] / scale; y < (kPart[1] + kPart[3]) / scale; ++y) {
        for (guint x = kPart[0] / scale; x < (kPart[0] + kPart[2]) / scale; ++x) {
          picture.sample(component, static_cast<int32_t>(x), static_cast<int32_t>(y)) = 128;
        }
      }
    }
    const auto got = part_of(picture);
    ASSERT_TRUE(got);
    for (size_t i = 0; i < got->pixels.size(); ++i) {
      if (i % 4 == 3) continue;
      ASSERT_NEAR(got->pixels[i], 130, 1) << format << ", byte " << i;
    }
  }
}

// The output is the part and is not cropped again. A rectangle outside the texture means that it is already cropped.
TEST(CropMeta, EndsHere) {
  TextureSource source;
  TestPipeline pipeline(element("background=color input-offset=10"), TestPipeline::Entry::kDirect);
  source.give_to(pipeline.pipeline());
  int metas = 0;
  on_buffers(pipeline.element(), "src", [&metas](GstBuffer* buffer) {
    metas += gst_buffer_get_video_crop_meta(buffer) != nullptr ? 1 : 0;
    metas += gst_buffer_get_video_affine_transformation_meta(buffer) != nullptr ? 1 : 0;
  });
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const Rgba picture = asymmetric();
  for (const guint x : {0U, 20U, G_MAXUINT - 1}) {
    GstBuffer* buffer = source.make(picture, GST_GL_TEXTURE_TARGET_2D);
    add_crop(buffer, x, 0, kWidth, kHeight);
    gst_buffer_add_video_affine_transformation_meta(buffer);
    const Rgba got = pipeline.shown(TextureSource::caps(kWidth, kHeight, GST_GL_TEXTURE_TARGET_2D), buffer);
    EXPECT_EQ(largest_difference(got, picture), 0) << x;
  }
  EXPECT_EQ(metas, 0);
}

// videocrop leaves cropping to elements that accept GstVideoCropMeta, and glupload accepts it if glsegment does.
TEST(CropMeta, FromVideocrop) {
  for (const std::string upload : {"glupload", "glupload ! glcolorconvert"}) {
    PlayingPipeline pipeline(
        "videocrop left=10 top=6 right=7 bottom=9 ! " + upload + " ! " + element("background=color input-offset=10"),
        TestPipeline::Entry::kDirect);
    const Rgba picture = asymmetric();
    for (int i = 0; i < 3; ++i) {
      const Rgba got = pipeline.shown(with_margins(picture));
      ASSERT_EQ(got.width, kWidth);
      EXPECT_EQ(largest_difference(got, picture), 0) << upload << ", frame " << i;
    }
  }
}

}  // namespace
}  // namespace sightglass::test
