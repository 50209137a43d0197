// gldmabufexport in the virtual machine: exports frames to the display and to other consumers as DMABUFs.
#include <fcntl.h>
#include <gst/app/gstappsink.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "camera_pipeline.h"
#include "red_on_blue.h"
#include "sightglass/interop/unique_fd.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int kPatience = 600;
// kmssink shows only frames of the display size: vkms does not scale.
constexpr int32_t kScreenWidth = 640, kScreenHeight = 480;
// GStreamer 1.22 keeps the encoded frame size that vicodec reports for its default image, which has this size.
constexpr int32_t kCodedWidth = 1280, kCodedHeight = 720;

struct Stats {
  guint64 frames = 0, lent = 0, drawn = 0, waited = 0;
};

// For the element named "export".
Stats stats_of(const CameraPipeline& pipeline) {
  GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline.pipeline()), "export");
  GstStructure* structure = nullptr;
  g_object_get(element, "stats", &structure, nullptr);
  Stats stats;
  gst_structure_get(structure, "frames", G_TYPE_UINT64, &stats.frames, "lent", G_TYPE_UINT64, &stats.lent, "drawn",
                    G_TYPE_UINT64, &stats.drawn, "waited", G_TYPE_UINT64, &stats.waited, nullptr);
  gst_structure_free(structure);
  gst_object_unref(element);
  return stats;
}

std::string camera(const std::string& format, int frames, int32_t width, int32_t height) {
  return "v4l2src io-mode=dmabuf num-buffers=" + std::to_string(frames) + " ! " + camera_caps(format, width, height) +
         " ! glupload ! ";
}

class ExportTest : public ::testing::Test {
 protected:
  // The first opener of the display may drive it: this process opens it before the GStreamer GL display, which also
  // does. Child processes inherit the descriptor.
  void SetUp() override {
    display_.reset(::open("/dev/dri/card0", O_RDWR));
    ASSERT_TRUE(display_.valid());
  }
  std::string kmssink() const { return "kmssink name=screen sync=false fd=" + std::to_string(display_.get()); }

  interop::UniqueFd display_;
};

struct Way {
  const char* name;
  const char* format;  // of the camera
  const char* middle;  // between glupload and glsegment
  const char* end;     // between glsegment and the display
  bool lent;           // memory of the display
  bool drawn;          // copied in a render pass
  int tolerance;
};

class KmsTest : public ExportTest, public ::testing::WithParamInterface<Way> {
 protected:
  std::string describe(int frames) const {
    const Way& way = GetParam();
    return camera(way.format, frames, kScreenWidth, kScreenHeight) + way.middle + "glsegment " + red_on_blue() +
           way.end + kmssink();
  }
};

TEST_P(KmsTest, DisplayShowsTheCameraImage) {
  const Way& way = GetParam();
  constexpr int kFrames = 5;
  const Rgba seen = camera_picture(way.format, kScreenWidth, kScreenHeight);
  ASSERT_FALSE(seen.pixels.empty());
  CameraPipeline pipeline(describe(kFrames));
  pipeline.play();
  ASSERT_EQ(pipeline.wait_for_end(kPatience), "");
  EXPECT_EQ(pipeline.frames(), kFrames);
  EXPECT_GE(CameraPipeline::imported(), kFrames);
  EXPECT_EQ(CameraPipeline::copied(), 0);
  const Stats stats = stats_of(pipeline);
  EXPECT_EQ(stats.frames, static_cast<guint64>(kFrames));
  EXPECT_EQ(stats.lent, way.lent ? stats.frames : 0);
  EXPECT_EQ(stats.drawn, way.drawn ? stats.frames : 0);
  const Rgba screen = screen_now((std::string("kms_") + way.name).c_str());
  ASSERT_FALSE(screen.pixels.empty());
  const Difference difference = compare(screen, seen, way.tolerance);
  std::printf(
      "vm: %s: %d frames out as DMABUF, %d in the screen's memory, %d drawn over, the CPU waited for %d, %d copied; "
      "%lld screen pixels "
      "compared, largest difference %d of 255\n",
      way.name, static_cast<int>(stats.frames), static_cast<int>(stats.lent), static_cast<int>(stats.drawn),
      static_cast<int>(stats.waited), CameraPipeline::copied(), static_cast<long long>(difference.compared),
      difference.largest);
  EXPECT_GT(difference.compared, screen.width * screen.height / 3);
  EXPECT_EQ(difference.wrong, 0) << difference.first;
}

TEST_P(KmsTest, TracerSeesNoCopy) { EXPECT_EQ(traced(describe(3)), 0); }

constexpr const char* kExport = " ! gldmabufexport name=export ! ";
constexpr Way kWays[] = {
    {"BGRx", "BGRx", "glcolorconvert ! ", kExport, true, false, 2},
    {"NV12Planes", "NV12", "", kExport, true, false, 6},
    // The element does not get the pool of the display.
    {"OwnMemory", "BGRx", "glcolorconvert ! ", " ! gldmabufexport name=export ! identity drop-allocation=true ! ",
     false, false, 2},
    // A tee does not forward pools.
    {"DrawnOver", "BGRx", "glcolorconvert ! ", " ! tee ! gldmabufexport name=export ! ", true, true, 2},
};
INSTANTIATE_TEST_SUITE_P(Ways, KmsTest, ::testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(way.param.name); });

// The number of descriptors and DMABUFs does not grow, and none remains.
void expect_nothing_stays(const std::string& description, int frames) {
  const OpenFiles before = open_files();
  OpenFiles playing = {}, settled = {};
  {
    CameraPipeline pipeline(description);
    pipeline.play();
    ASSERT_EQ(pipeline.wait_for_end(3600), "");
    EXPECT_EQ(pipeline.frames(), frames);
    EXPECT_EQ(CameraPipeline::copied(), 0);
    EXPECT_EQ(stats_of(pipeline).frames, static_cast<guint64>(frames));
    ASSERT_TRUE(pipeline.settled().has_value());
    settled = *pipeline.settled();
    playing = open_files();
  }
  const OpenFiles after = open_files();
  std::printf("vm: %d frames: descriptors %d, at frame %d %d, at the end %d, after it %d; DMABUFs %d, %d, %d, %d\n",
              frames, before.descriptors, CameraPipeline::kSettled, settled.descriptors, playing.descriptors,
              after.descriptors, before.dmabufs, settled.dmabufs, playing.dmabufs, after.dmabufs);
  EXPECT_GT(settled.dmabufs, before.dmabufs);
  EXPECT_LE(playing.descriptors, settled.descriptors);
  EXPECT_LE(playing.dmabufs, settled.dmabufs);
  EXPECT_EQ(after.dmabufs, before.dmabufs);
}

// Half a second per frame, because the display is emulated.
TEST_F(ExportTest, FramesOnTheDisplayLeakNothing) {
  expect_nothing_stays(camera("BGRx", 1000, kScreenWidth, kScreenHeight) + "glcolorconvert ! glsegment " +
                           red_on_blue() + " ! gldmabufexport name=export ! " + kmssink(),
                       1000);
}

TEST_F(ExportTest, ThousandFramesLeakNothing) {
  expect_nothing_stays(camera("BGRx", 1000, kWidth, kHeight) + "glcolorconvert ! glsegment " + red_on_blue() +
                           " ! gldmabufexport name=export ! fakesink name=screen sync=false",
                       1000);
}

TEST_F(ExportTest, ThousandPlanesLeakNothing) {
  expect_nothing_stays(camera("BGRx", 1000, kWidth, kHeight) +
                           "glcolorconvert ! gldmabufexport name=export ! video/x-raw(memory:DMABuf),format=NV12 ! "
                           "fakesink name=screen sync=false",
                       1000);
}

TEST_F(ExportTest, BinExportsIfDownstreamRequestsDmabufs) {
  CameraPipeline pipeline("v4l2src io-mode=dmabuf num-buffers=3 ! " + camera_caps("BGRx") + " ! glsegmentbin model=" +
                          red_model() + " ! video/x-raw(memory:DMABuf),format=BGRx ! fakesink name=screen sync=false");
  pipeline.play();
  ASSERT_EQ(pipeline.wait_for_end(kPatience), "");
  const Stats stats = stats_of(pipeline);
  EXPECT_EQ(stats.frames, 3U);
  EXPECT_EQ(stats.drawn, 0U);
  EXPECT_EQ(CameraPipeline::copied(), 0);
}

constexpr const char* kPlanes = "glcolorconvert ! gldmabufexport ! video/x-raw,format=NV12";

// Read by the CPU: Y', Cb, and Cr match the colors of the camera.
TEST_F(ExportTest, PlanesMatchTheImage) {
  const Rgba seen = camera_picture("BGRx", kWidth, kHeight);
  const Rgba planes = last_picture(camera("BGRx", 2, kWidth, kHeight) + kPlanes + " ! videoconvert");
  ASSERT_EQ(planes.pixels.size(), seen.pixels.size());
  int largest = 0;
  int64_t compared = 0;
  for (int32_t y = 0; y < seen.height; ++y) {
    for (int32_t x = 2; x + 2 < seen.width; ++x) {
      // Next to a color border, chroma mixes both colors.
      bool flat = true;
      for (int c = 0; c < 3; ++c) {
        flat = flat && seen.at(x - 2, y)[c] == seen.at(x, y)[c] && seen.at(x + 2, y)[c] == seen.at(x, y)[c];
      }
      if (!flat) continue;
      ++compared;
      for (int c = 0; c < 3; ++c) largest = std::max(largest, std::abs(planes.at(x, y)[c] - seen.at(x, y)[c]));
    }
  }
  std::printf("vm: NV12: %lld pixels compared, largest difference %d of 255\n", static_cast<long long>(compared),
              largest);
  EXPECT_GT(compared, int64_t{kWidth} * kHeight / 2);
  EXPECT_LE(largest, 6);
}

// The output of a V4L2 encoder for three frames. No decoder is used: that of vicodec writes beyond its buffers.
std::string encoded(const std::string& io_mode) {
  init_gstreamer();
  const std::string description = camera("BGRx", 3, kCodedWidth, kCodedHeight) + kPlanes +
                                  " ! v4l2fwhtenc output-io-mode=" + io_mode + " ! appsink name=sink sync=false";
  GstElement* pipeline = gst_parse_launch(description.c_str(), nullptr);
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  std::string bytes;
  while (GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), kPatience * GST_SECOND)) {
    GstMapInfo map;
    GstBuffer* buffer = gst_sample_get_buffer(sample);
    if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
      bytes.append(reinterpret_cast<const char*>(map.data), map.size);
      gst_buffer_unmap(buffer, &map);
    }
    gst_sample_unref(sample);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  return bytes;
}

// The encoder reads the same data from our DMABUFs as from frames that the CPU has copied.
TEST_F(ExportTest, EncoderReadsDmabufs) {
  const std::string direct = encoded("dmabuf-import"), copied = encoded("mmap");
  std::printf("vm: v4l2fwhtenc: %zu bytes, copied: %zu bytes\n", direct.size(), copied.size());
  EXPECT_GT(direct.size(), 1000U);
  EXPECT_TRUE(direct == copied);
}

}  // namespace
}  // namespace sightglass::test
