// Background pictures: from a file to pixels of the video's size. No GL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu_engine/status.h"

namespace sightglass {

enum class PictureFit : uint8_t {
  kCover,    // fills everything; its overhang is cut off evenly
  kContain,  // is seen whole, in the middle
};

// Where in a frame a picture is seen.
struct PictureView {
  std::array<float, 4> place{0, 0, 1, 1};       // that it takes, in fractions of the frame: least and greatest
  std::array<float, 4> to_picture{1, 1, 0, 0};  // place in the picture = xy * place in the frame + zw
  bool operator==(const PictureView&) const = default;
};
// A picture of that size in a frame of width × height pixels, in the middle, with its aspect ratio.
PictureView fit_picture(int32_t picture_width, int32_t picture_height, int32_t width, int32_t height, PictureFit fit);

// A decoded file, at its own size.
class Picture {
 public:
  // Whether the file looks like a picture; decodes nothing. Errors name the file.
  static Status check(const std::string& path);
  // PNG, JPEG and whatever else gdk-pixbuf reads, of at most `largest_side` pixels in each direction: what a texture of
  // the device can have. Errors name the file.
  static Result<std::shared_ptr<const Picture>> load(const std::string& path, int32_t largest_side);
  ~Picture();

  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  // Scaled into width × height with its aspect ratio: dense RGBA, alpha not premultiplied, top row first.
  struct Scaled {
    std::vector<std::byte> pixels;
    std::array<float, 4> place;  // that the picture takes, in fractions: least and greatest; the rest is transparent
  };
  Result<Scaled> scale(int32_t width, int32_t height, PictureFit fit) const;

 private:
  struct Impl;
  explicit Picture(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightglass
