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

// The part of the file after `start` that ends with `words`; empty if they do not appear in time.
std::string wait_for(const std::string& path, const std::string& words, ChildProcess& writer, size_t start = 0) {
  for (int waited = 0; waited < kPatience; ++waited) {
    const bool running = writer.running();
    const std::string text = text_of(path);
    const size_t found = text.find(words, start);
    if (found != std::string::npos) return text.substr(start, found + words.size() - start);
    if (!running) break;
    g_usleep(1'000'000);
  }
  std::printf("%s\n", text_of(path).c_str());
  return "";
}

TEST(CameraCommandTest, DevicesListsTheCamera) {
  const std::string list = "/tmp/devices.txt";
  ASSERT_EQ(std::system((std::string(kCommand) + " devices >" + list).c_str()), 0);
  const std::string text = text_of(list);
  std::printf("%s", text.c_str());
  EXPECT_NE(text.find("/dev/video0"), std::string::npos);
  EXPECT_NE(text.find("vivid"), std::string::npos);
}

TEST(CameraCommandTest, SegmentsTheCamera) {
  const std::string video = "/tmp/camera.y4m";
  ASSERT_EQ(std::system((std::string(kCommand) + " segment --input 0 --seconds 1 --output " + video + kQuick).c_str()),
            0);
  const auto bytes = std::filesystem::file_size(video);
  const std::string header = text_of(video).substr(0, 40);
  std::printf("vm: %s: %zu bytes, %s\n", video.c_str(), static_cast<size_t>(bytes),
              header.substr(0, header.find('\n')).c_str());
  EXPECT_EQ(header.find("YUV4MPEG2"), 0u);
  EXPECT_NE(header.find(" W320 H180"), std::string::npos);
}

TEST(CameraCommandTest, WaitsForAnUnpluggedCamera) {
  const std::string log = "/tmp/unplugged.log";
  ChildProcess command("sh -c 'exec " + std::string(kCommand) + " segment --input /dev/video0 --json --output none" +
                       kQuick + " >" + log + " 2>&1'");
  ASSERT_NE(wait_for(log, "\"event\":\"progress\"", command), "");
  unplug_camera();
  const std::string lost = wait_for(log, "\"event\":\"camera-lost\"", command);
  ASSERT_NE(lost, "");
  plug_camera();
  const std::string back = wait_for(log, "\"event\":\"camera-back\"", command, lost.size());
  ASSERT_NE(back, "");
  EXPECT_NE(wait_for(log, "\"event\":\"progress\"", command, lost.size() + back.size()), "");
  EXPECT_EQ(command.interrupt(), 0) << text_of(log);
  std::printf("vm: the camera was lost, came back, and its frames continued\n");
}

}  // namespace
}  // namespace sightglass::test
