// glsegment on planar frames: output colors and masks.
#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "figure_truth.h"
#include "test_pipeline.h"
#include "tiny_model.h"
#include "yuv_picture.h"

namespace sightglass::test {
namespace {

// The whole frame is foreground, so the output is the frame itself.
std::string whole_frame() { return "glsegment name=segment background=color input-offset=10 model=" + red_model(); }

std::string caps_of(GstElement* element, const char* name) {
  GstPad* pad = pad_of(element, name);
  GstCaps* caps = gst_pad_get_current_caps(pad);
  gchar* text = caps != nullptr ? gst_caps_to_string(caps) : g_strdup("none");
  const std::string result = text;
  g_free(text);
  if (caps != nullptr) gst_caps_unref(caps);
  return result;
}

// In units of 1/255. Filters interpolate chroma with 8 bits, and one unit of Cb is up to 2.2 units of blue.
constexpr double kBound = 4;

struct Difference {
  double largest = 0, mean = 0;
};

Difference compare(const Rgba& got, const std::vector<double>& expected) {
  Difference d;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(got.pixels[i / 3 * 4 + i % 3] - expected[i]);
    d.largest = std::max(d.largest, difference);
    d.mean += difference / static_cast<double>(expected.size());
  }
  return d;
}

// Colors over black: hidden areas have none.
Rgba premultiplied(Rgba picture) {
  for (size_t i = 0; i < picture.pixels.size(); ++i) {
    if (i % 4 < 3) picture.pixels[i] = static_cast<uint8_t>(picture.pixels[i] * picture.pixels[i / 4 * 4 + 3] / 255);
  }
  return picture;
}

Difference compare(const Rgba& a, const Rgba& b) {
  std::vector<double> colors;
  for (size_t i = 0; i < b.pixels.size(); ++i) {
    if (i % 4 < 3) colors.push_back(b.pixels[i]);
  }
  return compare(a, colors);
}

// One pipeline for all formats: the caps change in mid-stream.
TEST(GlSegmentFormats, ColorsMatchAScalarConversion) {
  PlayingPipeline pipeline(whole_frame());
  for (const std::string format : {"NV12", "NV21", "I420", "YV12"}) {
    for (const std::string colorimetry : {"bt601", "bt709", "bt2020", "1:4:0:0", "1:3:5:1", "smpte240m"}) {
      for (const std::string site : {"", ",chroma-site=mpeg2", ",chroma-site=jpeg"}) {
        if (!site.empty() && colorimetry != "bt709") continue;
        const YuvPicture picture = noisy_picture(format, 641, 359, ",colorimetry=(string)" + colorimetry + site);
        const auto out = pipeline.pass(picture.caps, picture.bytes);
        ASSERT_TRUE(out) << picture.caps << ": " << pipeline.error(1);
        const Difference d = compare(*out, picture.to_rgb());
        std::printf("%s %s%s: at most %.2f of 255 off, %.3f on average\n", format.c_str(), colorimetry.c_str(),
                    site.c_str(), d.largest, d.mean);
        EXPECT_LE(d.largest, kBound);
        EXPECT_LE(d.mean, 0.75);
        const std::string sink = caps_of(pipeline.element(), "sink");
        EXPECT_NE(sink.find("format=(string)" + format), std::string::npos) << sink;
      }
    }
  }
  const Rgba rgba = noisy_picture("NV12", 64, 48, "").to_rgba();
  const Rgba out = pipeline.shown(rgba);
  EXPECT_EQ(compare(out, rgba).largest, 0) << "RGBA after planes";
  EXPECT_EQ(pipeline.error(), "");
}

TEST(GlSegmentFormats, SmallAndOddSizes) {
  PlayingPipeline pipeline(whole_frame());
  for (const std::string format : {"NV12", "I420"}) {
    for (const auto& [width, height] : {std::pair{1, 1}, {2, 2}, {3, 1}, {7, 5}, {33, 64}, {1280, 720}}) {
      const YuvPicture picture = noisy_picture(format, width, height, "");
      const auto out = pipeline.pass(picture.caps, picture.bytes);
      ASSERT_TRUE(out) << picture.caps << ": " << pipeline.error(1);
      EXPECT_LE(compare(*out, picture.to_rgb()).largest, kBound) << picture.caps;
    }
  }
}

// The mask and the blurred background equal those of the same image as RGBA. Only for trained models: with a model that
// thresholds one color, each pixel of a noise image may be on the edge.
void expect_results_of_rgba_path(const std::string& model, const Rgba& original) {
  for (const std::string format : {"NV12", "I420"}) {
    const YuvPicture picture = to_yuv(original, format, ",colorimetry=(string)bt601");
    const Rgba rgba = picture.to_rgba();
    const std::vector<std::string> backgrounds{"mask", "blur", "transparent"};
    PlayingPipeline pipeline("glsegment name=segment model=" + model);
    const auto with_each_background = [&](const auto& pass) {
      std::vector<std::optional<Rgba>> results;
      for (const std::string& background : backgrounds) {
        gst_util_set_object_arg(G_OBJECT(pipeline.element()), "background", background.c_str());
        results.push_back(pass());
      }
      return results;
    };
    const auto directs = with_each_background([&] { return pipeline.pass(picture.caps, picture.bytes); });
    const auto conversions = with_each_background([&] { return pipeline.pass(rgba); });
    double most_of_mask = 0;
    for (size_t i = 0; i < backgrounds.size(); ++i) {
      const auto& [background, direct, converted] = std::tie(backgrounds[i], directs[i], conversions[i]);
      ASSERT_TRUE(direct && converted) << pipeline.error(1);
      const Difference d = compare(premultiplied(*direct), premultiplied(*converted));
      std::printf("%s, %s: at most %.0f of 255 off the RGBA path, %.4f on average", format.c_str(), background.c_str(),
                  d.largest, d.mean);
      if (background == "mask") {
        // The RGBA path rounds the model input to 8 bits, and edges are steep.
        const double agreement = iou(*direct, *converted);
        std::printf(", IoU %.5f", agreement);
        EXPECT_GE(agreement, 0.998);
        most_of_mask = d.largest;
      } else {
        // Neither foreground nor background can deviate more than the mask, except for their own rounding.
        EXPECT_LE(d.largest, most_of_mask + 3);
      }
      std::printf("\n");
      EXPECT_LE(d.mean, 0.75);
    }
  }
}

TEST(GlSegmentFormats, ResultsMatchTheRgbaPath) {
  expect_results_of_rgba_path("figure", draw_figure(641, 359, "seed=2000010 framing=selfie").picture);
  if (const std::string shared = shared_directory(); !shared.empty()) {
    expect_results_of_rgba_path(shared + "/models/segmentation/mediapipe_selfie_segmenter_256.tflite",
                                load_picture(shared + "/media/mp_portrait.jpg"));
  }
}

// Upstream formats are accepted without conversion. The output is RGBA and states its colorimetry.
TEST(GlSegmentFormats, NegotiateWithoutConversion) {
  for (const std::string format : {"NV12", "NV21", "I420", "YV12", "RGBA"}) {
    PlayingPipeline pipeline("glcolorconvert ! glsegment name=segment model=" + red_model());
    const GstVideoFormat name = gst_video_format_from_string(format.c_str());
    GstVideoInfo info;
    gst_video_info_set_format(&info, name, 64, 48);
    ASSERT_TRUE(pipeline.pass("video/x-raw,format=" + format + ",width=64,height=48,framerate=30/1" +
                                  (format == "RGBA" ? "" : ",colorimetry=bt709"),
                              std::vector<uint8_t>(info.size, 100)))
        << format << ": " << pipeline.error(1);
    const std::string sink = caps_of(pipeline.element(), "sink"), src = caps_of(pipeline.element(), "src");
    EXPECT_NE(sink.find("format=(string)" + format), std::string::npos) << sink;
    EXPECT_NE(sink.find("texture-target=(string)2D"), std::string::npos) << sink;
    EXPECT_NE(src.find("format=(string)RGBA"), std::string::npos) << src;
    EXPECT_EQ(src.find("chroma-site"), std::string::npos) << src;
    if (format != "RGBA") {
      EXPECT_NE(src.find("colorimetry=(string)1:1:5:1"), std::string::npos) << src;
    }
  }
}

// Pools that are proposed upstream provide one texture per plane.
TEST(GlSegmentFormats, ProposesPoolsOfPlanes) {
  PlayingPipeline pipeline("glsegment name=segment model=" + red_model());
  const YuvPicture picture = noisy_picture("NV12", 65, 49, "");
  ASSERT_TRUE(pipeline.pass(picture.caps, picture.bytes)) << pipeline.error(1);
  GstPad* pad = pad_of(pipeline.element(), "sink");
  GstCaps* caps = gst_pad_get_current_caps(pad);
  GstQuery* query = gst_query_new_allocation(caps, TRUE);
  ASSERT_TRUE(gst_pad_query(pad, query));
  EXPECT_TRUE(gst_query_find_allocation_meta(query, GST_GL_SYNC_META_API_TYPE, nullptr));
  ASSERT_GE(gst_query_get_n_allocation_pools(query), 1U);
  GstBufferPool* pool = nullptr;
  gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, nullptr, nullptr);
  ASSERT_TRUE(gst_buffer_pool_set_active(pool, TRUE));
  GstBuffer* buffer = nullptr;
  ASSERT_EQ(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
  ASSERT_EQ(gst_buffer_n_memory(buffer), 2U);
  EXPECT_EQ(gst_gl_memory_get_texture_width(GST_GL_MEMORY_CAST(gst_buffer_peek_memory(buffer, 1))), 33);
  gst_buffer_unref(buffer);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
  gst_query_unref(query);
  gst_caps_unref(caps);
}

}  // namespace
}  // namespace sightglass::test
