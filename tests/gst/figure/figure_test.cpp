// glfiguresrc in pipelines: negotiation, rendering, and metadata.
#include <gst/app/gstappsink.h>
#include <gst/gl/gl.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <deque>

#include "gl/gl_bridge.h"
#include "harness/gl_state.h"
#include "sightglass/gst/figure_meta.h"
#include "test_pipeline.h"
#include "transfer_counter.h"

namespace sightglass::test {
namespace {

// The metadata of a buffer when it left the element.
struct Truth {
  guint seed = 0;
  guint64 frame = 0;
  GstClockTime time = 0, pts = 0;
  std::array<SightglassKeyPoint, SIGHTGLASS_FIGURE_KEY_POINTS> key_points{};
  int32_t width = 0, height = 0;
  std::vector<uint8_t> mask;
};

std::vector<uint8_t> read_gray(GstBuffer* buffer, int32_t& width, int32_t& height) {
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  EXPECT_NE(meta, nullptr);
  width = static_cast<int32_t>(meta->width);
  height = static_cast<int32_t>(meta->height);
  EXPECT_EQ(meta->format, GST_VIDEO_FORMAT_GRAY8);
  GstVideoInfo info;
  gst_video_info_set_format(&info, meta->format, meta->width, meta->height);
  GstVideoFrame frame;
  std::vector<uint8_t> values;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) return values;
  for (int32_t y = 0; y < height; ++y) {
    const auto* row = static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                      static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    values.insert(values.end(), row, row + width);
  }
  gst_video_frame_unmap(&frame);
  return values;
}

class FigurePipeline {
 public:
  explicit FigurePipeline(const std::string& properties, int32_t width = 160, int32_t height = 120)
      : pipeline_("glfiguresrc name=figure " + properties +
                  " ! capsfilter name=filter caps=video/x-raw(memory:GLMemory),width=" + std::to_string(width) +
                  ",height=" + std::to_string(height) +
                  " ! gldownload ! video/x-raw,format=RGBA ! appsink name=sink sync=false max-buffers=2"),
        sink_(GST_APP_SINK(pipeline_["sink"])) {
    on_buffers(figure(), "src", [this](GstBuffer* buffer) { note(buffer); });
  }
  GstElement* pipeline() const { return pipeline_.get(); }
  GstElement* figure() const { return pipeline_["figure"]; }
  void set_caps(const char* caps) const { gst_util_set_object_arg(G_OBJECT(pipeline_["filter"]), "caps", caps); }
  bool set_state(GstState state) {
    if (gst_element_set_state(pipeline(), state) == GST_STATE_CHANGE_FAILURE) return false;
    return gst_element_get_state(pipeline(), nullptr, nullptr, GST_SECOND * 60) != GST_STATE_CHANGE_FAILURE;
  }
  std::optional<Rgba> pull(GstClockTime* pts = nullptr) {
    GstSample* sample = gst_app_sink_try_pull_sample(sink_, GST_SECOND * 60);
    if (sample == nullptr) return std::nullopt;
    GstVideoInfo info;
    GstVideoFrame frame;
    gst_video_info_from_caps(&info, gst_sample_get_caps(sample));
    if (pts != nullptr) *pts = GST_BUFFER_PTS(gst_sample_get_buffer(sample));
    Rgba picture(GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
    if (gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) {
      for (int32_t y = 0; y < picture.height; ++y) {
        std::copy_n(static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                        static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
                    static_cast<size_t>(picture.width) * 4, picture.at(0, y));
      }
      gst_video_frame_unmap(&frame);
    }
    gst_sample_unref(sample);
    return picture;
  }
  // Returns the metadata of the oldest unread buffer.
  Truth truth() {
    const std::lock_guard lock(mutex_);
    if (truths_.empty()) return {};
    Truth first = std::move(truths_.front());
    truths_.pop_front();
    return first;
  }
  bool at_end() const { return gst_app_sink_is_eos(sink_) != FALSE; }

 private:
  void note(GstBuffer* buffer) {
    const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(buffer);
    ASSERT_NE(meta, nullptr);
    Truth truth{meta->seed, meta->frame, meta->time, GST_BUFFER_PTS(buffer), {}, 0, 0, {}};
    std::copy(std::begin(meta->key_points), std::end(meta->key_points), truth.key_points.begin());
    EXPECT_TRUE(gst_is_gl_memory(gst_buffer_peek_memory(meta->mask, 0)));
    truth.mask = read_gray(meta->mask, truth.width, truth.height);
    const std::lock_guard lock(mutex_);
    truths_.push_back(std::move(truth));
  }
  std::mutex mutex_;
  std::deque<Truth> truths_;
  Launched pipeline_;
  GstAppSink* sink_;
};

std::vector<uint8_t> first_frame(const std::string& properties) {
  FigurePipeline pipeline(properties + " num-buffers=1");
  EXPECT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  const auto picture = pipeline.pull();
  EXPECT_TRUE(picture) << properties;
  return picture ? picture->pixels : std::vector<uint8_t>();
}

TEST(GlFigureSrc, SameSeedSamePixels) {
  const auto seven = first_frame("seed=7");
  EXPECT_EQ(seven, first_frame("seed=7"));
  EXPECT_NE(seven, first_frame("seed=8"));
}

TEST(GlFigureSrc, PrefersTheSizeOfASmallCamera) {
  const Launched pipeline("glfiguresrc num-buffers=1 ! fakesink name=sink");
  pipeline.play();
  ASSERT_TRUE(pipeline.settles());
  GstCaps* caps = gst_pad_get_current_caps(pad_of(pipeline["sink"], "sink"));
  ASSERT_NE(caps, nullptr);
  GstVideoInfo info;
  ASSERT_TRUE(gst_video_info_from_caps(&info, caps));
  EXPECT_EQ(GST_VIDEO_INFO_WIDTH(&info), 640);
  EXPECT_EQ(GST_VIDEO_INFO_HEIGHT(&info), 480);
  EXPECT_EQ(GST_VIDEO_INFO_FPS_N(&info), 30);
  EXPECT_TRUE(gst_caps_features_contains(gst_caps_get_features(caps, 0), GST_CAPS_FEATURE_MEMORY_GL_MEMORY));
  gst_caps_unref(caps);
}

TEST(GlFigureSrc, EverySize) {
  for (const auto& [width, height] : {std::pair{641, 479}, {33, 77}, {240, 426}, {1, 1}, {3, 2}, {1280, 720}}) {
    FigurePipeline pipeline("num-buffers=2", width, height);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    const auto picture = pipeline.pull();
    ASSERT_TRUE(picture) << width << "x" << height;
    EXPECT_EQ(picture->width, width);
    EXPECT_EQ(picture->height, height);
    const Truth truth = pipeline.truth();
    EXPECT_EQ(truth.width, width);
    EXPECT_EQ(truth.height, height);
  }
}

// The shown mask and the attached mask are the same. A selfie shows a figure and a room.
TEST(GlFigureSrc, MasksAgree) {
  constexpr int kFrames = 24;
  const std::string common = "framing=selfie seed=100 seed-interval=1 num-buffers=" + std::to_string(kFrames);
  FigurePipeline pictures(common), masks(common + " output=mask");
  ASSERT_TRUE(pictures.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(masks.set_state(GST_STATE_PLAYING));
  double least = 1, most = 0, mean = 0;
  for (int i = 0; i < kFrames; ++i) {
    const auto picture = pictures.pull(), shown = masks.pull();
    ASSERT_TRUE(picture && shown);
    const Truth truth = pictures.truth();
    ASSERT_EQ(truth.mask, masks.truth().mask);
    double covered = 0;
    for (size_t p = 0; p < truth.mask.size(); ++p) {
      ASSERT_EQ(truth.mask[p], shown->pixels[p * 4]) << "frame " << i << " pixel " << p;
      ASSERT_EQ(shown->pixels[p * 4 + 3], 255);
      covered += truth.mask[p] / 255.0;
    }
    covered /= static_cast<double>(truth.mask.size());
    EXPECT_GT(covered, 0.03) << "seed " << truth.seed;
    EXPECT_LT(covered, 0.92) << "seed " << truth.seed;
    least = std::min(least, covered);
    most = std::max(most, covered);
    mean += covered / kFrames;
  }
  std::printf("figures cover %.2f of the picture, %.2f to %.2f\n", mean, least, most);
  EXPECT_GT(mean, 0.2);
  EXPECT_LT(mean, 0.6);
}

TEST(GlFigureSrc, VisibleKeypointsAreOnTheFigure) {
  constexpr int kFrames = 60;
  for (const char* framing : {"selfie", "half", "full"}) {
    FigurePipeline pipeline(std::string("framing=") + framing + " seed=500 seed-interval=1 num-buffers=60", 320, 240);
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    int on = 0, visible = 0;
    for (int i = 0; i < kFrames; ++i) {
      ASSERT_TRUE(pipeline.pull());
      const Truth truth = pipeline.truth();
      for (const SightglassKeyPoint& point : truth.key_points) {
        const bool inside = point.x >= 0 && point.x < 1 && point.y >= 0 && point.y < 1;
        ASSERT_EQ(point.visibility > 0, inside) << "seed " << truth.seed;
        if (point.visibility < 2) continue;
        ++visible;
        const auto x = static_cast<size_t>(point.x * static_cast<float>(truth.width));
        const auto y = static_cast<size_t>(point.y * static_cast<float>(truth.height));
        on += truth.mask[y * static_cast<size_t>(truth.width) + x] > 127 ? 1 : 0;
      }
    }
    std::printf("%s: %d of %d visible key points on the figure\n", framing, on, visible);
    EXPECT_GT(visible, kFrames * 4) << framing;
    EXPECT_GT(on, visible * 95 / 100) << framing;
  }
}

TEST(GlFigureSrc, SeedsFollowOneAnother) {
  FigurePipeline pipeline("seed=40 seed-interval=2 num-buffers=5", 32, 24);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const guint seed : {40U, 40U, 41U, 41U, 42U}) {
    ASSERT_TRUE(pipeline.pull());
    const Truth truth = pipeline.truth();
    EXPECT_EQ(truth.seed, seed);
    EXPECT_EQ(truth.time, truth.pts);
    EXPECT_EQ(truth.frame, truth.pts * 30 / GST_SECOND + (truth.pts * 30 % GST_SECOND != 0 ? 1 : 0));
  }
  EXPECT_FALSE(pipeline.pull());
  EXPECT_TRUE(pipeline.at_end());
}

TEST(GlFigureSrc, CapsMayChangeWhilePlaying) {
  FigurePipeline pipeline("seed=5", 64, 48);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pull());
  pipeline.set_caps("video/x-raw(memory:GLMemory),width=50,height=70");
  GstClockTime before = 0, pts = 0;
  bool changed = false;
  for (int i = 0; i < 20 && !changed; ++i) {
    const auto picture = pipeline.pull(&pts);
    ASSERT_TRUE(picture);
    EXPECT_GT(pts, before);
    before = pts;
    changed = picture->width == 50 && picture->height == 70;
  }
  EXPECT_TRUE(changed);
  ASSERT_TRUE(pipeline.pull());
  for (Truth truth = pipeline.truth(); truth.width > 0; truth = pipeline.truth()) EXPECT_EQ(truth.time, truth.pts);
}

TEST(GlFigureSrc, WithoutAFramerateThereIsOneFrame) {
  FigurePipeline pipeline("seed=5", 64, 48);
  pipeline.set_caps("video/x-raw(memory:GLMemory),width=64,height=48,framerate=(fraction)0/1");
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  EXPECT_TRUE(pipeline.pull());
  EXPECT_FALSE(pipeline.pull());
  EXPECT_TRUE(pipeline.at_end());
}

TEST(GlFigureSrc, SeeksToTheSameFrame) {
  FigurePipeline straight("seed=3 num-buffers=31", 64, 48), seeking("seed=3", 64, 48);
  ASSERT_TRUE(straight.set_state(GST_STATE_PLAYING));
  std::optional<Rgba> last;
  while (const auto picture = straight.pull()) last = picture;
  ASSERT_TRUE(last);
  ASSERT_TRUE(seeking.set_state(GST_STATE_PAUSED));
  ASSERT_TRUE(gst_element_seek_simple(seeking.pipeline(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SECOND));
  ASSERT_TRUE(seeking.set_state(GST_STATE_PLAYING));
  GstClockTime pts = 0;
  const auto sought = seeking.pull(&pts);
  ASSERT_TRUE(sought);
  EXPECT_EQ(pts, GST_SECOND);
  EXPECT_EQ(sought->pixels, last->pixels);
}

// Nothing is flushed either: playback continues at its position.
TEST(GlFigureSrc, RejectsReversePlayback) {
  FigurePipeline pipeline("seed=3", 64, 48);
  const auto seek = [&](GstElement* target) {
    return gst_element_seek(target, -1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
                            GST_SECOND) != FALSE;
  };
  EXPECT_FALSE(seek(pipeline.figure())) << "before it plays";
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PAUSED));
  GstClockTime first = 0, second = 0;
  EXPECT_FALSE(seek(pipeline.pipeline()));
  EXPECT_FALSE(seek(pipeline.figure()));
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pull(&first));
  EXPECT_FALSE(seek(pipeline.pipeline()));
  ASSERT_TRUE(pipeline.pull(&second));
  EXPECT_EQ(first, 0U);
  EXPECT_NEAR(static_cast<double>(second), GST_SECOND / 30.0, 2);
}

TEST(GlFigureSrc, StartsAgain) {
  FigurePipeline pipeline("seed=5", 64, 48);
  std::vector<uint8_t> first;
  for (const GstState rest : {GST_STATE_READY, GST_STATE_NULL, GST_STATE_READY, GST_STATE_NULL}) {
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    GstClockTime pts = 1;
    auto picture = pipeline.pull(&pts);
    // In READY, appsink keeps samples that were not pulled.
    for (int stale = 0; stale < 2 && picture && pts != 0; ++stale) picture = pipeline.pull(&pts);
    ASSERT_TRUE(picture);
    EXPECT_EQ(pts, 0U);
    if (first.empty()) first = picture->pixels;
    EXPECT_EQ(picture->pixels, first);
    ASSERT_TRUE(pipeline.pull());
    ASSERT_TRUE(pipeline.set_state(rest));
  }
}

TEST(GlFigureSrc, LivePropertiesActWhilePlaying) {
  FigurePipeline pipeline("seed=5", 64, 48);
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  ASSERT_TRUE(pipeline.pull());
  g_object_set(pipeline.figure(), "seed", 77U, nullptr);
  gst_util_set_object_arg(G_OBJECT(pipeline.figure()), "output", "mask");
  bool gray = false, seed = false;
  for (int i = 0; i < 12 && !(gray && seed); ++i) {
    const auto picture = pipeline.pull();
    ASSERT_TRUE(picture);
    gray = true;
    for (size_t p = 0; p < picture->pixels.size(); p += 4) gray = gray && picture->pixels[p] == picture->pixels[p + 1];
    seed = pipeline.truth().seed == 77;
  }
  EXPECT_TRUE(gray);
  EXPECT_TRUE(seed);
}

TEST(GlFigureSrc, LiveFramesFollowTheClock) {
  FigurePipeline pipeline("is-live=true num-buffers=8", 64, 48);
  const auto begin = std::chrono::steady_clock::now();
  gst_element_set_state(pipeline.pipeline(), GST_STATE_PLAYING);
  GstClockTime pts = 0, before = 0;
  int frames = 0;
  while (pipeline.pull(&pts)) {
    if (frames++ > 0) {
      EXPECT_NEAR(static_cast<double>(pts - before), GST_SECOND / 30.0, 2);
    }
    before = pts;
  }
  EXPECT_EQ(frames, 8);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(taken.count(), 7 / 30.0);
  GstPad* pad = pad_of(pipeline.figure(), "src");
  GstQuery* query = gst_query_new_latency();
  ASSERT_TRUE(gst_pad_query(pad, query));
  gboolean live = FALSE;
  GstClockTime least = 0;
  gst_query_parse_latency(query, &live, &least, nullptr);
  EXPECT_TRUE(live);
  EXPECT_NEAR(static_cast<double>(least), GST_SECOND / 30.0, 2);
  gst_query_unref(query);
}

TEST(GlFigureSrc, CopiesKeepTheMeta) {
  const Launched pipeline("glfiguresrc num-buffers=1 seed=9 ! appsink name=sink");
  pipeline.play();
  GstSample* sample = pipeline.pull();
  GstBuffer* buffer = gst_sample_get_buffer(sample);
  GstBuffer* copy = gst_buffer_copy(buffer);
  GstBuffer* part = gst_buffer_copy_region(buffer, GST_BUFFER_COPY_ALL, 0, 64);
  const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(buffer);
  const SightglassFigureMeta* copied = sightglass_buffer_get_figure_meta(copy);
  ASSERT_NE(meta, nullptr);
  ASSERT_NE(copied, nullptr);
  EXPECT_EQ(copied->seed, 9U);
  EXPECT_EQ(copied->mask, meta->mask);
  EXPECT_EQ(copied->key_points[4].x, meta->key_points[4].x);
  EXPECT_EQ(sightglass_buffer_get_figure_meta(part), nullptr);
  gst_buffer_unref(copy);
  gst_buffer_unref(part);
  gst_sample_unref(sample);
}

}  // namespace
}  // namespace sightglass::test
