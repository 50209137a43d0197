// Background pictures: from a file to pixels of the video's size. No GL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu_engine/status.h"

namespace sightglass {

// A decoded file, at its own size.
class Picture {
 public:
  // PNG, JPEG and whatever else gdk-pixbuf reads. Errors name the file.
  static Result<std::shared_ptr<const Picture>> load(const std::string& path);
  ~Picture();

  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  // Scaled to fill width × height, its overhang cut off evenly: dense RGBA, alpha not premultiplied, top row first.
  Result<std::vector<std::byte>> cover(int32_t width, int32_t height) const;

 private:
  struct Impl;
  explicit Picture(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightglass
