// The render pass of gldmabufexport: compares planes with a scalar conversion of the same image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dmabuf_export/exporter.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "yuv_picture.h"

namespace sightglass::test {
namespace {

// Gradients with noise.
Rgba noisy_rgba(int32_t width, int32_t height) {
  Rgba picture(width, height);
  uint32_t state = 1;
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      uint8_t* p = picture.at(x, y);
      for (int c = 0; c < 3; ++c) {
        state = state * 1664525U + 1013904223U;
        const int32_t slope = (c == 1 ? y * 180 / height : x * 180 / width);
        p[c] = static_cast<uint8_t>(slope + static_cast<int32_t>(state >> 24) * 75 / 255);
      }
      p[3] = 255;
    }
  }
  return picture;
}

struct Coding {
  const char* name;
  const char* extra;  // of the caps
};

std::ostream& operator<<(std::ostream& out, const Coding& coding) { return out << coding.name; }

class PlanePainterPictureTest : public GlTest {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);  // only for caps
    GlTest::SetUp();
  }
  // Planes of 8 bits as GL gives them back: R and G of each texel.
  std::vector<Rgba> paint(const Rgba& picture, const GstVideoInfo& info, int32_t x = 0, int32_t y = 0) {
    const bool two = GST_VIDEO_INFO_N_PLANES(&info) > 1;
    const GlTexture frame = upload(gl(), picture);
    std::vector<GlTexture> textures;
    textures.push_back(make_texture(gl(), two ? GL_R8 : GL_RGBA8, info.width, info.height));
    std::vector<TextureRef> planes{{textures[0].id(), GL_TEXTURE_2D, info.width, info.height}};
    if (two) {
      const int32_t width = (info.width + 1) / 2, height = (info.height + 1) / 2;
      textures.push_back(make_texture(gl(), GL_RG8, width, height));
      planes.push_back({textures[1].id(), GL_TEXTURE_2D, width, height});
    }
    auto painter = value_of(PlanePainter::create(ShareGroup::create(gl(), nullptr, element_shaders()), info));
    const Status status = painter->draw({frame.id(), GL_TEXTURE_2D, picture.width, picture.height}, planes, x, y);
    EXPECT_TRUE(status.ok()) << status.message();
    std::vector<Rgba> drawn;
    for (const TextureRef& plane : planes) drawn.push_back(download(gl(), plane.id, plane.width, plane.height));
    return drawn;
  }
};

class PlanePainterTest : public PlanePainterPictureTest, public ::testing::WithParamInterface<Coding> {};

// A sample of Y', Cb, or Cr at its position in the image, not rounded.
double expected_sample(const Rgba& picture, const YuvPicture& like, guint component, int32_t x, int32_t y) {
  double kr = 0, kb = 0;
  gst_video_color_matrix_get_Kr_Kb(like.info.colorimetry.matrix, &kr, &kb);
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gst_video_color_range_offsets(like.info.colorimetry.range, like.info.finfo, offset, scale);
  const auto site = static_cast<unsigned>(like.info.chroma_site);
  const auto weight = [](bool cosited, int32_t at) {
    if (cosited) return at == 0 ? 0.5 : 0.25;
    return at < 0 ? 0.0 : 0.5;
  };
  double sum = 0;
  for (int32_t j = -1; j <= 1; ++j) {
    for (int32_t i = -1; i <= 1; ++i) {
      const double share = component == 0 ? (i == 0 && j == 0 ? 1.0 : 0.0)
                                          : weight((site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0, i) *
                                                weight((site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0, j);
      const int32_t step = component == 0 ? 1 : 2;
      const uint8_t* p =
          picture.at(std::clamp(x * step + i, 0, picture.width - 1), std::clamp(y * step + j, 0, picture.height - 1));
      const double luma = (kr * p[0] + (1 - kr - kb) * p[1] + kb * p[2]) / 255;
      const double value = component == 0   ? luma
                           : component == 1 ? (p[2] / 255.0 - luma) / (2 * (1 - kb))
                                            : (p[0] / 255.0 - luma) / (2 * (1 - kr));
      sum += share * value;
    }
  }
  return std::clamp(offset[component] + scale[component] * sum, 0.0, 255.0);
}

TEST_P(PlanePainterTest, Nv12FollowsTheColorimetry) {
  for (const auto& [width, height] : {std::pair<int32_t, int32_t>{64, 36}, {33, 17}, {1, 1}}) {
    const Rgba picture = noisy_rgba(width, height);
    const YuvPicture like("NV12", width, height, GetParam().extra);
    const GlState before = snapshot_gl_state(gl());
    const std::vector<Rgba> planes = paint(picture, like.info);
    EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
    ASSERT_EQ(planes.size(), 2U);
    double largest = 0;
    for (guint component = 0; component < 3; ++component) {
      const Rgba& plane = planes[component == 0 ? 0 : 1];
      for (int32_t y = 0; y < plane.height; ++y) {
        for (int32_t x = 0; x < plane.width; ++x) {
          const double expected = expected_sample(picture, like, component, x, y);
          largest = std::max(largest, std::abs(plane.at(x, y)[component == 2 ? 1 : 0] - expected));
        }
      }
    }
    // Only rounding differs.
    EXPECT_LT(largest, 0.51) << width << "x" << height;
  }
}

INSTANTIATE_TEST_SUITE_P(Codings, PlanePainterTest,
                         ::testing::Values(Coding{"Bt601", ",colorimetry=bt601,chroma-site=jpeg"},
                                           Coding{"Bt709Left", ",colorimetry=bt709,chroma-site=mpeg2"},
                                           Coding{"Bt2020TopLeft", ",colorimetry=bt2020,chroma-site=cosited"},
                                           Coding{"Full", ",colorimetry=(string)1:4:0:0"}),
                         [](const auto& coding) { return std::string(coding.param.name); });

// Converts the planes back to an image. The plane reader of the test shares no code with the writer.
TEST_F(PlanePainterPictureTest, Nv12LooksLikeThePicture) {
  const Rgba picture = noisy_rgba(64, 36);
  YuvPicture yuv("NV12", 64, 36, ",colorimetry=bt709");
  const std::vector<Rgba> planes = paint(picture, yuv.info);
  ASSERT_EQ(planes.size(), 2U);
  const YuvPicture expected = to_yuv(picture, "NV12", ",colorimetry=bt709");
  for (int32_t y = 0; y < 36; ++y) {
    for (int32_t x = 0; x < 64; ++x) EXPECT_NEAR(planes[0].at(x, y)[0], expected.sample(0, x, y), 1);
  }
  for (int32_t y = 0; y < 18; ++y) {
    for (int32_t x = 0; x < 32; ++x) {
      EXPECT_NEAR(planes[1].at(x, y)[0], expected.sample(1, x, y), 1);
      EXPECT_NEAR(planes[1].at(x, y)[1], expected.sample(2, x, y), 1);
    }
  }
}

TEST_F(PlanePainterPictureTest, ColorsStayTheSame) {
  Rgba picture = noisy_rgba(33, 17);
  for (size_t i = 3; i < picture.pixels.size(); i += 4) picture.pixels[i] = static_cast<uint8_t>(i);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_BGRA, 33, 17);
  const std::vector<Rgba> planes = paint(picture, info);
  ASSERT_EQ(planes.size(), 1U);
  EXPECT_EQ(planes[0].pixels, picture.pixels);
}

// The rest of the texture does not belong to the image.
TEST_F(PlanePainterPictureTest, OnlyThePartIsDrawn) {
  const Rgba whole = noisy_rgba(40, 30);
  Rgba part(16, 12);
  for (int32_t y = 0; y < part.height; ++y) std::copy_n(whole.at(5, 7 + y), 16 * 4, part.at(0, y));
  const YuvPicture like("NV12", 16, 12, ",colorimetry=bt709,chroma-site=cosited");
  const std::vector<Rgba> expected = paint(part, like.info), planes = paint(whole, like.info, 5, 7);
  ASSERT_EQ(planes.size(), 2U);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(planes[i].pixels, expected[i].pixels) << i;
}

}  // namespace
}  // namespace sightglass::test
