// What the tests of the virtual machine have shown on its screen: the camera's picture, of which what is red stays and
// the rest becomes blue.
#pragma once

#include <cstdint>
#include <string>

#include "gl_pictures.h"

namespace sightglass::test {

inline constexpr int32_t kWidth = 320, kHeight = 180;  // of the camera, where nothing else is said

std::string size_and_rate(int32_t width, int32_t height);  // further fields of caps
std::string camera_caps(const std::string& format, int32_t width = kWidth, int32_t height = kHeight);
// Properties of glsegment.
std::string red_on_blue();
// What the camera shows, copied and converted by the CPU.
Rgba camera_picture(const std::string& format, int32_t width, int32_t height);
// The screen as it is now, which is kept for people to look at as `name`.png.
Rgba screen_now(const char* name);

struct Difference {
  int64_t compared = 0, wrong = 0;
  int largest = 0;
  std::string first;
};
// The screen against what the camera's picture must have become; `tolerance` of a color, out of 255.
Difference compare(const Rgba& screen, const Rgba& camera, int tolerance);

}  // namespace sightglass::test
