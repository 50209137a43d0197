// The image that the tests in the virtual machine show on its display: in the camera image, red areas stay and the rest
// becomes blue.
#pragma once

#include <cstdint>
#include <string>

#include "gl_pictures.h"

namespace sightglass::test {

inline constexpr int32_t kWidth = 320, kHeight = 180;  // of the camera, by default

std::string size_and_rate(int32_t width, int32_t height);  // further fields of caps
std::string camera_caps(const std::string& format, int32_t width = kWidth, int32_t height = kHeight);
// Properties of glsegment.
std::string red_on_blue();
// The camera image, copied and converted by the CPU.
Rgba camera_picture(const std::string& format, int32_t width, int32_t height);
// The current content of the display, which is stored as `name`.png for inspection.
Rgba screen_now(const char* name);

struct Difference {
  int64_t compared = 0, wrong = 0;
  int largest = 0;
  std::string first;
};
// Compares the display with the expected result for the camera image. `tolerance` is per color, out of 255.
Difference compare(const Rgba& screen, const Rgba& camera, int tolerance);

}  // namespace sightglass::test
