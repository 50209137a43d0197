// attach-mask: the mask that a frame was composited with, as a texture on its buffer.
#include "sightglass/gst/mask_meta.h"

#include <gst/gl/gl.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

#ifdef SIGHTGLASS_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

namespace sightglass::test {
namespace {

constexpr int32_t kModelSize = 16;

std::string element(const std::string& properties) {
  return "glsegment name=segment attach-mask=true model=" + red_model() + " " + properties;
}

// The uncertainty of the model, from left to right.
Rgba slope(int32_t width, int32_t height) {
  return painted(width, height, [=](int32_t x, int32_t y) { return std::array{95 + 40 * x / width + y % 3, 0, 0}; });
}

double probability(const uint8_t* color) { return 1 / (1 + std::exp(18 - 40 * color[0] / 255.0)); }

class Taken : public LastOutput {
 public:
  using LastOutput::LastOutput;

  SightglassMaskMeta* meta() const { return buffer() != nullptr ? sightglass_buffer_get_mask_meta(buffer()) : nullptr; }
};

// The bytes of a GRAY8 texture, row by row, according to its own metadata.
std::vector<uint8_t> bytes_of(GstBuffer* mask) {
  const GstVideoMeta* meta = gst_buffer_get_video_meta(mask);
  if (meta == nullptr || meta->format != GST_VIDEO_FORMAT_GRAY8) return {};
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, meta->width, meta->height);
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, mask, GST_MAP_READ)) return {};
  std::vector<uint8_t> bytes;
  for (guint y = 0; y < meta->height; ++y) {
    const auto* row = static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                      static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    bytes.insert(bytes.end(), row, row + meta->width);
  }
  gst_video_frame_unmap(&frame);
  return bytes;
}

// A mask that another element composites with is rotated and mirrored together with the frame.
TEST(MaskMeta, IsWithinTheFrameThatCarriesIt) {
  struct Case {
    const char* direction;
    int32_t x, y;  // in the red half of the upright frame
  };
  for (const auto& [direction, x, y] : {Case{"identity", 4, 32},
                                        {"horiz", 59, 32},
                                        {"180", 59, 32},
                                        {"90r", 32, 4},
                                        {"ul-lr", 32, 4},
                                        {"90l", 32, 59}}) {
    PlayingPipeline pipeline("glsegment attach-mask=true background=transparent model=" + red_model() +
                             " ! glsegment name=segment mask-source=meta background=mask video-direction=" + direction);
    const Rgba shown = pipeline.shown(left_half_red(64, 64));
    EXPECT_EQ(*shown.at(x, y), 255) << direction;
    EXPECT_EQ(*shown.at(63 - x, 63 - y), 0) << direction;
  }
}

TEST(MaskMeta, IsAbsentUnlessRequested) {
  TestPipeline pipeline("glsegment name=segment model=" + red_model());
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error(1);
  EXPECT_EQ(taken.meta(), nullptr);
#ifdef SIGHTGLASS_ANALYTICS
  EXPECT_EQ(gst_buffer_get_analytics_relation_meta(taken.buffer()), nullptr);
#endif
}

// The model output in bytes, and the result of background=mask at this size: the mask smoothed by a B-spline, with a
// transition around the threshold.
TEST(MaskMeta, HasTheProbabilitiesUsedForCompositing) {
  TestPipeline pipeline(element("background=mask refine=none smoothing=0"));
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const Rgba frame = slope(kModelSize, kModelSize);
  const Rgba shown = pipeline.shown(frame);
  ASSERT_NE(taken.meta(), nullptr);
  GstBuffer* mask = taken.meta()->mask;
  EXPECT_TRUE(gst_is_gl_memory(gst_buffer_peek_memory(mask, 0)));
  EXPECT_NE(gst_buffer_get_gl_sync_meta(mask), nullptr);
  const std::vector<uint8_t> bytes = bytes_of(mask);
  ASSERT_EQ(bytes.size(), size_t{kModelSize * kModelSize});
  const auto at = [&](int32_t x, int32_t y) {
    const int32_t near_x = std::clamp(x, 0, kModelSize - 1), near_y = std::clamp(y, 0, kModelSize - 1);
    return bytes[static_cast<size_t>(near_y * kModelSize + near_x)] / 255.0;
  };
  constexpr double kSpline[] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
  double largest_mask = 0, largest_shown = 0;
  for (int32_t y = 0; y < kModelSize; ++y) {
    for (int32_t x = 0; x < kModelSize; ++x) {
      largest_mask = std::max(largest_mask, std::abs(255 * (at(x, y) - probability(frame.at(x, y)))));
      double smooth = 0;
      for (int i = 0; i < 9; ++i) smooth += kSpline[i / 3] * kSpline[i % 3] * at(x + i % 3 - 1, y + i / 3 - 1);
      const double t = std::clamp((smooth - 0.25) / 0.5, 0.0, 1.0);
      largest_shown = std::max(largest_shown, std::abs(shown.at(x, y)[0] - 255 * t * t * (3 - 2 * t)));
    }
  }
  std::printf("at most %.2f of 255 off the probability, the picture %.2f off what is made of it\n", largest_mask,
              largest_shown);
  EXPECT_LE(largest_mask, 1);
  EXPECT_LE(largest_shown, 4) << "filters have 8 bits";
  EXPECT_LT(*std::ranges::min_element(bytes), 100);
  EXPECT_GT(*std::ranges::max_element(bytes), 150);
}

// The mask is upright, and its position is that of the model input in the frame.
TEST(MaskMeta, StatesItsPosition) {
  TestPipeline pipeline(element(""));
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  struct Case {
    const char *fit, *direction;
    float x, y, width, height;
    int corner;  // index of the mask quarter that is foreground, row by row
  };
  const Rgba frame = picture(64, 32, [](int32_t x, int32_t y) { return x < 32 && y < 16; });
  for (const Case& c : {Case{"stretch", "identity", 0, 0, 1, 1, 0}, Case{"stretch", "90r", 0, 0, 1, 1, 1},
                        Case{"letterbox", "identity", 0, -0.5F, 1, 2, 0}, Case{"letterbox", "90r", -0.5F, 0, 2, 1, 1},
                        Case{"letterbox", "180", 0, -0.5F, 1, 2, 3}}) {
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "fit", c.fit);
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "video-direction", c.direction);
    ASSERT_TRUE(pipeline.pass(frame)) << pipeline.error(1);
    const SightglassMaskMeta* meta = taken.meta();
    ASSERT_NE(meta, nullptr);
    const std::string what = std::string(c.fit) + " " + c.direction;
    EXPECT_NEAR(meta->x, c.x, 1e-4) << what;
    EXPECT_NEAR(meta->y, c.y, 1e-4) << what;
    EXPECT_NEAR(meta->width, c.width, 1e-4) << what;
    EXPECT_NEAR(meta->height, c.height, 1e-4) << what;
    const std::vector<uint8_t> bytes = bytes_of(meta->mask);
    ASSERT_EQ(bytes.size(), size_t{kModelSize * kModelSize}) << what;
    for (int quarter = 0; quarter < 4; ++quarter) {
      const double x = (quarter % 2 == 0 ? 0.25 : 0.75), y = (quarter / 2 == 0 ? 0.25 : 0.75);  // in the image
      const auto at_x = static_cast<size_t>((x - c.x) / c.width * kModelSize);
      const auto at_y = static_cast<size_t>((y - c.y) / c.height * kModelSize);
      EXPECT_EQ(bytes[at_y * kModelSize + at_x] > 128, quarter == c.corner) << what << ", quarter " << quarter;
    }
  }
}

// Held frames keep their own masks. Released frames return them.
TEST(MaskMeta, EveryFrameHasItsOwn) {
  TestPipeline pipeline(element(""));
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error(1);
  ASSERT_NE(taken.meta(), nullptr);
  GstBuffer* kept = gst_buffer_ref(taken.buffer());
  const std::vector<uint8_t> first = bytes_of(taken.meta()->mask);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pipeline.pass(picture(64, 48, [](int32_t, int32_t y) { return y < 24; })));
  EXPECT_NE(bytes_of(taken.meta()->mask), first);
  EXPECT_EQ(bytes_of(sightglass_buffer_get_mask_meta(kept)->mask), first);

  GstBuffer* copy = gst_buffer_copy(kept);
  GstBuffer* part = gst_buffer_copy_region(kept, GST_BUFFER_COPY_ALL, 0, 64);
  ASSERT_NE(sightglass_buffer_get_mask_meta(copy), nullptr);
  EXPECT_EQ(sightglass_buffer_get_mask_meta(copy)->mask, sightglass_buffer_get_mask_meta(kept)->mask);
  EXPECT_EQ(sightglass_buffer_get_mask_meta(part), nullptr);
  for (GstBuffer* buffer : {copy, part, kept}) gst_buffer_unref(buffer);
}

// Also if frames do not wait for the model: the mask is the visible one, not the one being computed.
TEST(MaskMeta, IsTheVisibleMask) {
  TestPipeline pipeline(element("background=mask mask-sync=latest gpu-budget=1"));
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 12; ++i) {
    const auto shown =
        pipeline.pass(picture(64, 64, [i](int32_t x, int32_t y) { return i % 2 == 0 ? x < 32 : y < 32; }));
    ASSERT_TRUE(shown) << pipeline.error(1);
    ASSERT_NE(taken.meta(), nullptr) << i;
    const std::vector<uint8_t> bytes = bytes_of(taken.meta()->mask);
    ASSERT_EQ(bytes.size(), size_t{kModelSize * kModelSize});
    for (const size_t at_y : {3, 12}) {
      for (const size_t at_x : {3, 12}) {
        EXPECT_EQ(bytes[at_y * kModelSize + at_x] > 128,
                  shown->at(static_cast<int32_t>(at_x * 4), static_cast<int32_t>(at_y * 4))[0] > 128)
            << "frame " << i << ", " << at_x << " " << at_y;
      }
    }
  }
}

// Each element attaches its own mask, although they follow each other.
TEST(MaskMeta, OfTheLastElement) {
  TestPipeline pipeline("glsegment attach-mask=true background=mask input-offset=10 model=" + red_model() + " ! " +
                        element("background=mask"));
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(Rgba(64, 48))) << pipeline.error(1);
  gpointer state = nullptr;
  int metas = 0;
  while (GstMeta* meta = gst_buffer_iterate_meta(taken.buffer(), &state)) {
    metas += std::string(g_type_name(meta->info->api)) == SIGHTGLASS_MASK_META_API_NAME ? 1 : 0;
  }
  EXPECT_EQ(metas, 1);
}

// A download of the frame leaves the mask on the GPU and attached to the frame.
TEST(MaskMeta, StaysWithADownloadedFrame) {
  TestPipeline pipeline("glsegmentbin name=segment attach-mask=true model=" + red_model() + " ! video/x-raw");
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(64, 48))) << pipeline.error(1);
  ASSERT_NE(taken.meta(), nullptr);
  EXPECT_TRUE(gst_is_gl_memory(gst_buffer_peek_memory(taken.meta()->mask, 0)));
}

// The mask of all objects is attached, also where the frame has bars; an element downstream composites with it.
TEST(MaskMeta, OfObjectsCoversAllOfThem) {
  constexpr int32_t kFrameSize = 96;
  const std::string model = " attach-mask=true threshold=0.1 draw=false model=" + yolo_model({.coefficients = 32});
  for (const auto& [fit, height] : {std::pair{"stretch", kFrameSize}, {"letterbox", kFrameSize / 2}}) {
    TestPipeline pipeline("glinfer name=segment fit=" + std::string(fit) + model +
                          " ! glsegment mask-source=meta background=mask refine=none smoothing=0");
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
    const std::optional<Rgba> shown = pipeline.pass(left_half_red(kFrameSize, height));
    ASSERT_TRUE(shown) << pipeline.error();
    EXPECT_GT(shown->at(kFrameSize / 4, height / 2)[0], 240) << fit;
    EXPECT_LT(shown->at(kFrameSize * 3 / 4, height / 2)[0], 40) << fit;
  }
  for (const YoloFile& file : {YoloFile{}, YoloFile{.rows = YoloFile::Rows::kObjectness}}) {
    TestPipeline pipeline("glinfer name=segment attach-mask=true model=" + yolo_model(file));
    pipeline.set_state(GST_STATE_PLAYING);
    const std::string error = pipeline.error(5);
    EXPECT_NE(error.find("attach-mask=true: needs a YOLO segmentation model"), std::string::npos) << error;
  }
}

#ifdef SIGHTGLASS_ANALYTICS

TEST(AnalyticsMeta, DescribesTheRegionsOfTheMask) {
  TestPipeline pipeline(element("fit=letterbox threshold=0.7"));
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(pipeline.pass(slope(64, 32))) << pipeline.error(1);
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(taken.buffer());
  ASSERT_NE(meta, nullptr);
  EXPECT_EQ(gst_analytics_relation_get_length(meta), 1U);
  gpointer state = nullptr;
  GstAnalyticsSegmentationMtd segmentation;
  ASSERT_TRUE(gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_segmentation_mtd_get_mtd_type(),
                                                  reinterpret_cast<GstAnalyticsMtd*>(&segmentation)));
  ASSERT_EQ(gst_analytics_segmentation_mtd_get_region_count(&segmentation), 2U);
  EXPECT_EQ(gst_analytics_segmentation_mtd_get_region_id(&segmentation, 0), 0U);
  EXPECT_EQ(gst_analytics_segmentation_mtd_get_region_id(&segmentation, 1), 1U);
  gint x = 0, y = 0;
  guint width = 0, height = 0;
  GstBuffer* regions = gst_analytics_segmentation_mtd_get_mask(&segmentation, &x, &y, &width, &height);
  ASSERT_NE(regions, nullptr);
  EXPECT_EQ(x, 0);
  EXPECT_EQ(y, -16);
  EXPECT_EQ(width, 64U);
  EXPECT_EQ(height, 64U);
  EXPECT_TRUE(gst_is_gl_memory(gst_buffer_peek_memory(regions, 0)));
  const std::vector<uint8_t> ids = bytes_of(regions), probabilities = bytes_of(taken.meta()->mask);
  gst_buffer_unref(regions);
  ASSERT_EQ(ids.size(), probabilities.size());
  int foreground = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    foreground += ids[i];
    EXPECT_EQ(ids[i], probabilities[i] >= 0.7 * 255 ? 1 : 0) << i << ": " << int{probabilities[i]};
  }
  EXPECT_GT(foreground, 0);
  EXPECT_LT(foreground, static_cast<int>(ids.size()) / 2);
}

// Every object is a region with its number.
TEST(AnalyticsMeta, HasARegionForEachObject) {
  TestPipeline pipeline("glinfer name=segment attach-mask=true fit=stretch threshold=0.3 draw=false model=" +
                        yolo_model({.coefficients = 32}));
  const Taken taken(pipeline);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pass(left_half_red(96, 96))) << pipeline.error(1);
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(taken.buffer());
  ASSERT_NE(meta, nullptr);
  gpointer state = nullptr;
  GstAnalyticsSegmentationMtd objects;
  ASSERT_TRUE(gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_segmentation_mtd_get_mtd_type(),
                                                  reinterpret_cast<GstAnalyticsMtd*>(&objects)));
  const gsize regions = gst_analytics_segmentation_mtd_get_region_count(&objects);
  EXPECT_EQ(regions, 101U) << "the background, and as many objects as there can be";
  EXPECT_EQ(gst_analytics_segmentation_mtd_get_region_id(&objects, regions - 1), regions - 1);
  gint x = 0, y = 0;
  guint width = 0, height = 0;
  GstBuffer* mask = gst_analytics_segmentation_mtd_get_mask(&objects, &x, &y, &width, &height);
  ASSERT_NE(mask, nullptr);
  const std::vector<uint8_t> ids = bytes_of(mask), probabilities = bytes_of(taken.meta()->mask);
  gst_buffer_unref(mask);
  ASSERT_EQ(ids.size(), probabilities.size());
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], probabilities[i] >= 128 ? 1 : 0) << i;
  EXPECT_EQ(std::ranges::count(ids, 1) > 0, true);
}

#endif

}  // namespace
}  // namespace sightglass::test
