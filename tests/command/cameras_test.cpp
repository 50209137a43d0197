// The choice of a camera and of its format, and cameras that are lost and come back.
#include "video/cameras.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include "harness/value_of.h"
#include "video/gst_setup.h"
#include "video/player.h"
#include "video/rtsp_server.h"

namespace sightglass::video {
namespace {

using test::value_of;

const std::vector<Camera> kCameras = {
    {"HD Webcam", "/dev/video0", "v4l2src device=/dev/video0", {}, true},
    {"USB Capture", "/dev/video2", "v4l2src device=/dev/video2", {}, false},
    {"HD Capture", "", "libcamerasrc", {}, {}},
};

TEST(ChooseCamera, ByNumberPathAndName) {
  for (const char* wanted : {"2", "/dev/video2", "USB Capture", "usb"}) {
    const auto camera = value_of(choose_camera(kCameras, wanted));
    EXPECT_EQ(camera.path, "/dev/video2") << wanted;
  }
  const auto several = choose_camera(kCameras, "hd");
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.status().message(),
            "hd: several cameras have this in their name; the cameras are 'HD Webcam' (/dev/video0), 'USB Capture' "
            "(/dev/video2), 'HD Capture'");
  EXPECT_EQ(choose_camera({}, "0").status().message(),
            "0: no such camera; there is no camera; use --input figures to run without one");
}

TEST(ChooseFormat, PrefersASufficientRateThenTheSizeThenRawFrames) {
  const CameraFormat raw_vga{false, "YUY2", 640, 480, 30}, raw_hd{false, "YUY2", 1280, 720, 10};
  const CameraFormat jpeg_hd{true, "", 1280, 720, 30}, jpeg_full{true, "", 1920, 1080, 30};
  EXPECT_EQ(choose_format({raw_vga, raw_hd, jpeg_hd, jpeg_full}, {}), jpeg_hd);
  EXPECT_EQ(choose_format({raw_vga, raw_hd}, {}), raw_vga);
  EXPECT_EQ(choose_format({raw_vga, raw_hd, jpeg_full}, {1280, 720, 0}), raw_hd);
  EXPECT_EQ(choose_format({raw_vga, raw_hd, jpeg_full}, {1280, 720, 30}), std::nullopt);
  CameraFormat raw_fast = raw_hd;
  raw_fast.rate = 30;
  EXPECT_EQ(choose_format({jpeg_hd, raw_fast}, {}), raw_fast);
  EXPECT_EQ(choose_format({}, {}), std::nullopt);
}

// The source fails while it plays, as an unplugged camera does: it posts two errors and ends its stream.
TEST(CameraKeeper, ContinuesWhenTheCameraIsBack) {
  gst_init(nullptr, nullptr);
  auto parsed =
      value_of(parse_launch("videotestsrc is-live=true name=camera ! identity name=model ! fakesink sync=false"));
  const ElementPtr pipeline = std::move(parsed);
  const ElementPtr identity(gst_bin_get_by_name(GST_BIN(pipeline.get()), "model"));
  const PadPtr pad(gst_element_get_static_pad(identity.get(), "src"));
  int frames = 0, frames_when_back = -1, asked = 0;
  const auto count = [](GstPad*, GstPadProbeInfo* info, gpointer data) {
    if ((GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) ++*static_cast<int*>(data);
    return GST_PAD_PROBE_OK;
  };
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, count, &frames, nullptr);

  GMainLoop* const loop = g_main_loop_new(nullptr, FALSE);
  std::vector<bool> changes;
  CameraKeeper keeper(pipeline.get(), {"videotestsrc is-live=true", [&] { return ++asked >= 2; },
                                       [&](bool there) {
                                         changes.push_back(there);
                                         if (there) frames_when_back = frames;
                                       }});
  struct Watch {
    CameraKeeper& keeper;
    GMainLoop* loop;
    int unhandled = 0;
    bool ended = false;
  } watch{keeper, loop};
  const ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  const auto on_message = [](GstBus*, GstMessage* message, gpointer data) -> gboolean {
    auto* watch = static_cast<Watch*>(data);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR && !watch->keeper.handle_error(message)) ++watch->unhandled;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
      watch->ended = true;
      g_main_loop_quit(watch->loop);
    }
    return G_SOURCE_CONTINUE;
  };
  const guint source = gst_bus_add_watch(bus.get(), on_message, &watch);
  struct Unplug {
    GstElement* pipeline;
    CameraKeeper& keeper;
    GMainLoop* loop;
  } unplug{pipeline.get(), keeper, loop};
  g_timeout_add(
      700,
      [](gpointer data) -> gboolean {
        const ElementPtr camera(gst_bin_get_by_name(GST_BIN(static_cast<Unplug*>(data)->pipeline), "camera"));
        GST_ELEMENT_ERROR(camera.get(), RESOURCE, READ, ("unplugged"), (nullptr));
        GST_ELEMENT_ERROR(camera.get(), RESOURCE, FAILED, ("cannot allocate a buffer"), (nullptr));
        gst_element_send_event(camera.get(), gst_event_new_eos());
        return G_SOURCE_REMOVE;
      },
      &unplug);
  g_timeout_add(
      5000,
      [](gpointer data) -> gboolean {
        static_cast<Unplug*>(data)->keeper.end_stream();
        gst_element_send_event(static_cast<Unplug*>(data)->pipeline, gst_event_new_eos());
        return G_SOURCE_REMOVE;
      },
      &unplug);
  const guint limit = g_timeout_add(
      30000,
      [](gpointer data) -> gboolean {
        g_main_loop_quit(static_cast<Unplug*>(data)->loop);
        return G_SOURCE_CONTINUE;
      },
      &unplug);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  g_main_loop_run(loop);
  g_source_remove(source);
  g_source_remove(limit);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  g_main_loop_unref(loop);
  std::printf("%d frames before, %d in all\n", frames_when_back, frames);
  EXPECT_EQ(changes, (std::vector<bool>{false, true}));
  EXPECT_EQ(watch.unhandled, 0);
  EXPECT_GT(frames_when_back, 0);
  EXPECT_GT(frames, frames_when_back + 10);
  EXPECT_TRUE(watch.ended) << "the end of the stream that was asked for arrives";
}

TEST(RtspAddress, HasHostPortAndPath) {
  const auto address = value_of(parse_rtsp_address("rtsp://:8554/cam"));
  EXPECT_EQ(address.host + " " + address.port + " " + address.path, "127.0.0.1 8554 /cam");
  EXPECT_EQ(parse_rtsp_address("rtsp://0.0.0.0:9000")->host, "0.0.0.0");
  EXPECT_EQ(parse_rtsp_address("rtsp://0.0.0.0:9000")->path, "/sightglass");
  EXPECT_EQ(parse_rtsp_address("rtsp://host/x")->port, "8554");
  for (const char* bad : {"rtsp://:0/x", "rtsp://:70000/x", "rtsp://:abc/x", "rtsp://:/x"}) {
    EXPECT_FALSE(parse_rtsp_address(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace sightglass::video
