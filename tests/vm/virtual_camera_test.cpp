// A virtual camera: a pipeline from pipelines/README.md writes to the v4l2loopback device, and another process, this
// one, reads it as a camera.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "camera_pipeline.h"
#include "child_process.h"
#include "sightglass/interop/unique_fd.h"

namespace sightglass::test {
namespace {

constexpr const char* kDevice = "/dev/video10";

// With exclusive_caps, the device is a camera as long as a process writes to it.
bool is_camera() {
  const interop::UniqueFd device(open(kDevice, O_RDWR | O_CLOEXEC));
  v4l2_capability capability = {};
  return device.get() >= 0 && ioctl(device.get(), VIDIOC_QUERYCAP, &capability) == 0 &&
         (capability.device_caps & V4L2_CAP_VIDEO_CAPTURE) != 0;
}

// Waits until `writer` has written a frame. Without compiled shaders from earlier runs, and on a busy host, the first
// one takes more than ten minutes.
void wait_for_camera(ChildProcess& writer) {
  int waited = 0;
  for (; waited < 1800 && writer.running() && !is_camera(); ++waited) g_usleep(1'000'000);
  std::printf("vm: a first frame after %d s\n", waited);
}

int largest_difference(const Rgba& a, const Rgba& b) {
  if (a.width != b.width || a.height != b.height) return std::numeric_limits<int>::max();
  int largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) largest = std::max(largest, std::abs(a.pixels[i] - b.pixels[i]));
  return largest;
}

TEST(VirtualCameraTest, AnotherProcessReadsTheFrames) {
  EXPECT_FALSE(is_camera());
  // A small frame and few shaders, because emulation is slow.
  const std::string written =
      "! video/x-raw(memory:GLMemory),width=320,height=240 ! glsegment model=figure refine=none ! "
      "gldownload ! videoconvert ! video/x-raw,format=YUY2 ! ";
  constexpr size_t kSeen = 3, kMade = 300;
  std::vector<Rgba> seen;
  {
    ChildProcess writer("env GST_PLUGIN_PATH=" + quoted(SIGHTGLASS_PLUGIN_FOLDER) +
                        " gst-launch-1.0 glfiguresrc is-live=true " + written +
                        "v4l2sink sync=false device=" + kDevice);
    wait_for_camera(writer);
    ASSERT_TRUE(writer.running());
    ASSERT_TRUE(is_camera());
    take_pictures(std::string("v4l2src device=") + kDevice + " ! video/x-raw,format=YUY2 ! videoconvert",
                  [&seen](Rgba picture) {
                    seen.push_back(std::move(picture));
                    return seen.size() < kSeen;
                  });
    EXPECT_TRUE(writer.running());
  }
  ASSERT_EQ(seen.size(), kSeen);
  // They are among the frames that the same pipeline makes without the device, in this order. The number of frames that
  // the writer had made before is unknown.
  size_t made = 0, found = 0;
  take_pictures("glfiguresrc num-buffers=" + std::to_string(kMade) + " " + written + "videoconvert",
                [&](const Rgba& picture) {
                  for (; found < kSeen && largest_difference(picture, seen[found]) <= 1; ++found) {
                    std::printf("vm: %dx%d through v4l2loopback is frame %zu, largest difference %d of 255\n",
                                picture.width, picture.height, made, largest_difference(picture, seen[found]));
                  }
                  ++made;
                  return found < kSeen;
                });
  EXPECT_EQ(found, kSeen) << "of " << made << " frames, none matches the camera image";
}

TEST(VirtualCameraTest, TheCommandWritesFrames) {
  ChildProcess writer(kCommand + " segment --no-keys --input figures --size 320x240 --refine none --output " + kDevice);
  wait_for_camera(writer);
  ASSERT_TRUE(is_camera());
  // Three pictures are at least two frames. After only one, v4l2sink of GStreamer 1.22 waits for its own lock forever
  // when it stops.
  Rgba seen;
  size_t pictures = 0;
  take_pictures(std::string("v4l2src device=") + kDevice + " ! videoconvert", [&](Rgba picture) {
    seen = std::move(picture);
    return ++pictures < 3;
  });
  ASSERT_EQ(seen.width, 320);
  ASSERT_EQ(seen.height, 240);
  const auto [darkest, brightest] = std::ranges::minmax(seen.pixels);
  std::printf("vm: a frame of the command through v4l2loopback has values from %d to %d\n", darkest, brightest);
  EXPECT_GT(brightest - darkest, 100) << "no picture";
  EXPECT_TRUE(writer.running());
  EXPECT_EQ(writer.interrupt(), 0);
}

}  // namespace
}  // namespace sightglass::test
