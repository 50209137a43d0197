// libobs without a user interface, on the X server of DISPLAY, with the module of this build.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <obs.hpp>
#include <string>
#include <vector>

namespace sightglass::test {

inline constexpr uint32_t kWidth = 640, kHeight = 360;

// Tightly packed RGBA, top row first.
struct Pixels {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgba;

  std::array<int, 4> at(uint32_t x, uint32_t y) const;
};
// Of kWidth × kHeight pixels. No pixels if the file is not that long.
Pixels read_pixels(const std::string& path);
// The mean of the absolute differences of color and alpha, from 0 to 255; 255 for images of different sizes.
double mean_difference(const Pixels& a, const Pixels& b);

// All tests of a process share one libobs, which draws as many frames as it can.
class ObsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  // A source that draws these pixels.
  OBSSourceAutoRelease make_picture(const Pixels& pixels);
  // Changes what it draws to other pixels of the same size.
  void show(obs_source_t* picture, const Pixels& pixels);
  // Adds the filter, with settings in JSON.
  OBSSourceAutoRelease add_filter(obs_source_t* source, const std::string& settings = "{}");
  void update(obs_source_t* filter, const std::string& settings);
  // What the source draws into a texture, in a new frame of OBS. `linear`: as scenes do.
  Pixels render(obs_source_t* source, bool linear = true);

  // Waits until OBS has drawn so many more frames.
  static void wait_for_frames(uint64_t frames);
  // The lines of the log of this module since the test began.
  static std::vector<std::string> log_lines();
};

}  // namespace sightglass::test
