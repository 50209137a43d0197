// Background images: from a file to pixels of the frame size. No GL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

enum class PictureFit : uint8_t {
  kCover,    // fills the frame; cropped evenly on both sides
  kContain,  // shown completely, centered
};

// Position of an image in a frame.
struct PictureView {
  std::array<float, 4> place{0, 0, 1, 1};       // covered part, in fractions of the frame: min and max
  std::array<float, 4> to_picture{1, 1, 0, 0};  // image position = xy * frame position + zw
  bool operator==(const PictureView&) const = default;
};
// Centers an image of that size in a frame of width × height pixels, and keeps its aspect ratio. `pixel_aspect` is the
// width by height of a frame pixel, with the image pixels as unit.
PictureView fit_picture(int32_t picture_width, int32_t picture_height, int32_t width, int32_t height, PictureFit fit,
                        float pixel_aspect = 1);

// A decoded file, at its original size.
class Picture {
 public:
  // Whether the file looks like an image; decodes nothing. Errors name the file.
  static Status check(const std::string& path);
  // Reads PNG, JPEG and the other formats of gdk-pixbuf, with at most `largest_side` pixels per direction, the maximum
  // texture size of the device. Errors name the file.
  static Result<std::shared_ptr<const Picture>> load(const std::string& path, int32_t largest_side);
  ~Picture();

  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  // Scales it into width × height pixels and keeps its aspect ratio as shown: tightly packed RGBA, straight alpha, top
  // row first.
  struct Scaled {
    std::vector<std::byte> pixels;
    std::array<float, 4> place;  // covered part, in fractions: min and max; the rest is transparent
  };
  Result<Scaled> scale(int32_t width, int32_t height, PictureFit fit, float pixel_aspect = 1) const;

 private:
  struct Impl;
  explicit Picture(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightglass
