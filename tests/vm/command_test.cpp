// The `sightglass` command with a real camera.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "camera_pipeline.h"
#include "child_process.h"

namespace sightglass::test {
namespace {

constexpr int kPatience = 900;  // seconds
// Little work: emulation is slow.
constexpr const char* kQuick = " --size 320x180 --refine none --blur-strength 2 --inference-interval 10 --no-keys";

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Whether the words appear in the file in time, while the writer runs.
bool wait_for(const std::string& path, const std::string& words, ChildProcess& writer) {
  for (int waited = 0; waited < kPatience; ++waited) {
    const bool running = writer.running();
    if (text_of(path).find(words) != std::string::npos) return true;
    if (!running) break;
    g_usleep(1'000'000);
  }
  std::printf("%s\n", text_of(path).c_str());
  return false;
}

TEST(CameraCommandTest, DevicesListsTheCamera) {
  const std::string list = "/tmp/devices.txt";
  ASSERT_EQ(std::system((kCommand + " devices >" + list).c_str()), 0);
  const std::string text = text_of(list);
  std::printf("%s", text.c_str());
  EXPECT_NE(text.find("/dev/video0"), std::string::npos);
  EXPECT_NE(text.find("vivid"), std::string::npos);
}

TEST(CameraCommandTest, SegmentsTheCamera) {
  const std::string video = "/tmp/camera.y4m";
  ASSERT_EQ(std::system((kCommand + " segment --input 0 --seconds 1 --output " + video + kQuick).c_str()), 0);
  const auto bytes = std::filesystem::file_size(video);
  const std::string header = text_of(video).substr(0, 40);
  std::printf("vm: %s: %zu bytes, %s\n", video.c_str(), static_cast<size_t>(bytes),
              header.substr(0, header.find('\n')).c_str());
  EXPECT_EQ(header.find("YUV4MPEG2"), 0u);
  EXPECT_NE(header.find(" W320 H180"), std::string::npos);
}

// That it continues is a test of tests/command: GStreamer 1.22 keeps the device open, so the kernel cannot plug it in
// again.
TEST(CameraCommandTest, WaitsForAnUnpluggedCamera) {
  const std::string log = "/tmp/unplugged.log";
  ChildProcess command("sh -c " + quoted("exec " + kCommand + " segment --input /dev/video0 --json --output none" +
                                         kQuick + " >" + log + " 2>&1"));
  ASSERT_TRUE(wait_for(log, "\"event\":\"progress\"", command));
  unplug_camera();
  ASSERT_TRUE(wait_for(log, "\"event\":\"camera-lost\"", command));
  constexpr gulong kWait = 10'000'000;  // microseconds
  g_usleep(kWait);
  EXPECT_TRUE(command.running()) << text_of(log);
  EXPECT_EQ(command.interrupt(), 0) << text_of(log);
  std::printf("vm: the command waits for the camera, and can be interrupted\n");
}

}  // namespace
}  // namespace sightglass::test
