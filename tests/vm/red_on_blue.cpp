#include "red_on_blue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "camera_pipeline.h"
#include "screen.h"
#include "tiny_model.h"

namespace sightglass::test {

std::string size_and_rate(int32_t width, int32_t height) {
  return ",width=" + std::to_string(width) + ",height=" + std::to_string(height) + ",framerate=10/1";
}

std::string camera_caps(const std::string& format, int32_t width, int32_t height) {
  return "video/x-raw,format=" + format + size_and_rate(width, height);
}

std::string red_on_blue() { return "model=" + red_model() + " background=color background-color=0xff0000ff"; }

// The camera image, copied and converted by the CPU.
Rgba camera_picture(const std::string& format, int32_t width, int32_t height) {
  return last_picture("v4l2src io-mode=mmap num-buffers=2 ! " + camera_caps(format, width, height) + " ! videoconvert");
}

// Compares the display with the expected result for the camera image. Excludes pixels within one cell of the 16×16
// model from a mask border, where both sides mix, and pixels next to a color border, where the CPU and the GPU blend
// subsampled chroma differently.
Difference compare(const Rgba& screen, const Rgba& camera, int tolerance) {
  const auto red = [&](int32_t x, int32_t y) { return camera.at(x, y)[0] > 127; };
  Rgba expected = camera;
  std::vector<bool> pure(static_cast<size_t>(camera.width) * static_cast<size_t>(camera.height));
  const int32_t cell = camera.width / 16;
  for (int32_t y = 0; y < camera.height; ++y) {
    for (int32_t x = 0; x < camera.width; ++x) {
      if (!red(x, y)) {
        uint8_t* pixel = expected.at(x, y);
        pixel[0] = pixel[1] = 0;
        pixel[2] = 255;
      }
      const int32_t left = std::max(x - cell, 0), right = std::min(x + cell, camera.width - 1);
      bool same = true;
      for (int32_t at = left; at <= right; ++at) same = same && red(at, y) == red(x, y);
      for (int32_t at = std::max(x - 3, left); at <= std::min(x + 3, right); ++at) {
        for (int c = 0; c < 3; ++c) same = same && std::abs(camera.at(at, y)[c] - camera.at(x, y)[c]) < 8;
      }
      pure[static_cast<size_t>(y) * static_cast<size_t>(camera.width) + static_cast<size_t>(x)] = same;
    }
  }
  const float scale = std::min(static_cast<float>(screen.width) / static_cast<float>(camera.width),
                               static_cast<float>(screen.height) / static_cast<float>(camera.height));
  const float top = (static_cast<float>(screen.height) - static_cast<float>(camera.height) * scale) / 2;
  Difference difference;
  for (int32_t y = 0; y < screen.height; ++y) {
    for (int32_t x = 0; x < screen.width; ++x) {
      const int32_t u = std::min(static_cast<int32_t>(static_cast<float>(x) / scale), camera.width - 1);
      const auto v = static_cast<int32_t>((static_cast<float>(y) - top) / scale);
      const bool inside = static_cast<float>(y) >= top && v < camera.height;
      if (inside && !pure[static_cast<size_t>(v) * static_cast<size_t>(camera.width) + static_cast<size_t>(u)])
        continue;
      uint8_t rgb[3];
      expected_pixel(expected, screen.width, screen.height, x, y, rgb);
      ++difference.compared;
      for (int c = 0; c < 3; ++c) {
        const int off = std::abs(screen.at(x, y)[c] - rgb[c]);
        difference.largest = std::max(difference.largest, off);
        if (off <= tolerance) continue;
        if (difference.wrong++ == 0) {
          char text[120];
          std::snprintf(text, sizeof(text), "at %d,%d: %02x%02x%02x on the screen, %02x%02x%02x expected", x, y,
                        screen.at(x, y)[0], screen.at(x, y)[1], screen.at(x, y)[2], rgb[0], rgb[1], rgb[2]);
          difference.first = text;
        }
      }
    }
  }
  return difference;
}

// The current content of the display, which is stored for inspection.
Rgba screen_now(const char* name) {
  std::string why;
  auto screen = write_back_screen(why);
  if (!screen.has_value()) {
    ADD_FAILURE() << why;
    return {};
  }
  if (const char* folder = std::getenv("SIGHTGLASS_VM_PICTURES")) {
    save_png(*screen, std::string(folder) + "/" + name + ".png");
  }
  return *std::move(screen);
}

}  // namespace sightglass::test
