// From camera to display in the virtual machine. Each test prints its observations.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "camera_pipeline.h"
#include "red_on_blue.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

// Emulation is slow, and even slower on a busy machine.
constexpr int kPatience = 600;

struct Route {
  const char* name;
  const char* format;      // of the camera
  const char* middle;      // between camera and display; PROPERTIES are those of the element under test
  int tolerance;           // of a color, out of 255
  const char* drm_format;  // if set, the camera caps have DMA_DRM and this
};

// To add a pipeline, add a line here.
const Route kRoutes[] = {
    {"BGRx", "BGRx", "glupload ! glcolorconvert ! glsegment PROPERTIES", 2, nullptr},
    {"RGBA", "RGBA", "glupload ! glcolorconvert ! glsegment PROPERTIES", 2, nullptr},
    {"YUY2", "YUY2", "glupload ! glcolorconvert ! glsegment PROPERTIES", 6, nullptr},
    {"NV12", "NV12", "glupload ! glcolorconvert ! glsegment PROPERTIES", 6, nullptr},
    {"I420", "I420", "glupload ! glcolorconvert ! glsegment PROPERTIES", 6, nullptr},
    {"NV12Planes", "NV12", "glupload ! glsegment PROPERTIES", 6, nullptr},
    {"I420Planes", "I420", "glupload ! glsegment PROPERTIES", 6, nullptr},
    {"DmaDrmXR24", "BGRx", "glupload ! glcolorconvert ! glsegment PROPERTIES", 2, "XR24"},
    {"DmaDrmYUYV", "YUY2", "glupload ! glcolorconvert ! glsegment PROPERTIES", 6, "YUYV"},
    {"DmaDrmNV12Planes", "NV12", "glupload ! glsegment PROPERTIES", 6, "NV12"},
    {"DmaDrmBin", "BGRx", "glsegmentbin PROPERTIES", 2, "XR24"},
};

std::string dma_drm_caps(const Route& route) {
  return std::string("video/x-raw(memory:DMABuf),format=DMA_DRM,drm-format=") + route.drm_format +
         size_and_rate(kWidth, kHeight);
}

// The camera prefers DMA_DRM. The caps also offer another format: without a GL context, glupload of GStreamer 1.26
// reports for every drm-format that it cannot create a texture, so the elements would not link.
std::string caps(const Route& route) {
  return (route.drm_format == nullptr ? "" : dma_drm_caps(route) + ";") + camera_caps(route.format);
}

std::string describe(const Route& route, int frames, const char* io_mode = "dmabuf", const char* sink = "glimagesink") {
  std::string middle = route.middle;
  middle.replace(middle.find("PROPERTIES"), 10, red_on_blue());
  return std::string("v4l2src io-mode=") + io_mode + " num-buffers=" + std::to_string(frames) +
         " ! capsfilter name=format caps=\"" + caps(route) + "\" ! " + middle + " ! " + sink +
         " name=screen sync=false";
}

// Whether the GStreamer camera element supports the caps of a route.
bool camera_says(const Route& route) {
  if (route.drm_format == nullptr) return true;
  init_gstreamer();
  GstElementFactory* factory = gst_element_factory_find("v4l2src");
  GstCaps* wanted = gst_caps_from_string(dma_drm_caps(route).c_str());
  const bool says = gst_element_factory_can_src_any_caps(factory, wanted);
  gst_caps_unref(wanted);
  gst_object_unref(factory);
  return says;
}

constexpr const char* kNoDmaDrm = "v4l2src of this GStreamer knows no DMA_DRM caps; that of 1.26 does";

class PipelineTest : public ::testing::Test {};

class RouteTest : public PipelineTest, public ::testing::WithParamInterface<Route> {};

TEST_P(RouteTest, DisplayShowsTheCameraImage) {
  const Route& route = GetParam();
  if (!camera_says(route)) GTEST_SKIP() << kNoDmaDrm;
  constexpr int kFrames = 6;
  const Rgba camera = camera_picture(route.format, kWidth, kHeight);
  ASSERT_FALSE(camera.pixels.empty());
  CameraPipeline pipeline(describe(route, kFrames));
  pipeline.play();
  ASSERT_EQ(pipeline.wait_for_end(kPatience), "");
  EXPECT_EQ(pipeline.frames(), kFrames);
  EXPECT_GE(CameraPipeline::imported(), kFrames);
  EXPECT_EQ(CameraPipeline::copied(), 0);
  const std::string camera_caps = pipeline.format();
  EXPECT_EQ(camera_caps.find("DMA_DRM") != std::string::npos, route.drm_format != nullptr) << camera_caps;
  const Rgba screen = screen_now(route.name);
  ASSERT_FALSE(screen.pixels.empty());
  const Difference difference = compare(screen, camera, route.tolerance);
  std::printf("vm: %s: %d frames as DMABUF, %d copied; %lld screen pixels compared, largest difference %d of 255\n",
              route.name, CameraPipeline::imported(), CameraPipeline::copied(),
              static_cast<long long>(difference.compared), difference.largest);
  EXPECT_GT(difference.compared, screen.width * screen.height / 3);
  EXPECT_EQ(difference.wrong, 0) << difference.first;
}

int traced_route(const Route& route, const char* io_mode) { return traced(describe(route, 3, io_mode)); }

TEST_P(RouteTest, TracerSeesNoCopy) {
  if (!camera_says(GetParam())) GTEST_SKIP() << kNoDmaDrm;
  EXPECT_EQ(traced_route(GetParam(), "dmabuf"), 0);
}

TEST_F(PipelineTest, TracerSeesUploads) { EXPECT_EQ(traced_route(kRoutes[0], "mmap"), 88); }

INSTANTIATE_TEST_SUITE_P(Formats, RouteTest, ::testing::ValuesIn(kRoutes),
                         [](const auto& route) { return std::string(route.param.name); });

// Without the display, whose pixels take most of the frame time.
TEST_F(PipelineTest, ThousandFramesLeakNothing) {
  const OpenFiles before = open_files();
  OpenFiles playing = {}, settled = {};
  {
    CameraPipeline pipeline(describe(kRoutes[0], 1000, "dmabuf", "fakesink"));
    pipeline.play();
    ASSERT_EQ(pipeline.wait_for_end(3600), "");
    EXPECT_EQ(pipeline.frames(), 1000);
    EXPECT_EQ(CameraPipeline::copied(), 0);
    ASSERT_TRUE(pipeline.settled().has_value());
    settled = *pipeline.settled();
    playing = open_files();
  }
  const OpenFiles after = open_files();
  std::printf("vm: descriptors %d, at frame %d %d, at the end %d, after it %d; DMABUFs %d, %d, %d, %d\n",
              before.descriptors, CameraPipeline::kSettled, settled.descriptors, playing.descriptors, after.descriptors,
              before.dmabufs, settled.dmabufs, playing.dmabufs, after.dmabufs);
  EXPECT_GT(settled.dmabufs, before.dmabufs);
  EXPECT_LE(playing.descriptors, settled.descriptors);
  EXPECT_LE(playing.dmabufs, settled.dmabufs);
  EXPECT_EQ(after.dmabufs, before.dmabufs);
}

// With GStreamer 1.22, the descriptor of an unplugged camera stays open until the process ends. The return of the
// camera is therefore a separate test in a separate process: the next one by name.
TEST_F(PipelineTest, UnpluggedCameraIsAnError) {
  {
    CameraPipeline pipeline(describe(kRoutes[0], -1));
    pipeline.play();
    ASSERT_TRUE(pipeline.wait_for_frames(5, kPatience));
    unplug_camera();
    const std::string error = pipeline.wait_for_end(60);
    std::printf("vm: unplugged after %d frames: %s\n", pipeline.frames(), error.c_str());
    EXPECT_NE(error, "");
    EXPECT_EQ(error.find("neither end nor error"), std::string::npos) << error;
  }
  EXPECT_EQ(open_files().dmabufs, 0);
}

TEST_F(PipelineTest, UnpluggedCameraPlaysAgain) {
  CameraPipeline pipeline(describe(kRoutes[0], 3));
  pipeline.play();
  EXPECT_EQ(pipeline.wait_for_end(kPatience), "");
  EXPECT_EQ(pipeline.frames(), 3);
}

// Size and format change while the pipeline plays.
TEST_F(PipelineTest, CameraChangesItsFormat) {
  const Rgba camera = camera_picture("YUY2", 640, 360);
  ASSERT_FALSE(camera.pixels.empty());
  CameraPipeline pipeline(describe(kRoutes[0], -1));
  pipeline.play();
  ASSERT_TRUE(pipeline.wait_for_frames(3, kPatience));
  EXPECT_EQ(pipeline.width(), kWidth);
  pipeline.set_format(camera_caps("YUY2", 640, 360));
  for (int i = 0; i < kPatience && pipeline.width() != 640; ++i) g_usleep(1'000'000);
  ASSERT_EQ(pipeline.width(), 640);
  const int changed = pipeline.frames();
  EXPECT_TRUE(pipeline.wait_for_frames(changed + 3, kPatience));
  pipeline.pause();
  const Rgba screen = screen_now("format_change");
  ASSERT_FALSE(screen.pixels.empty());
  const Difference difference = compare(screen, camera, 6);
  EXPECT_GT(difference.compared, 640 * 480 / 3);
  EXPECT_EQ(difference.wrong, 0) << difference.first;
  std::printf("vm: BGRx 320x180, then YUY2 640x360: %d frames as DMABUF, %d copied, largest difference %d of 255\n",
              CameraPipeline::imported(), CameraPipeline::copied(), difference.largest);
}

}  // namespace
}  // namespace sightglass::test
