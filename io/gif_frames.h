// Finds frames of a GIF that are larger than its image, while it is read: decoders allocate them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sightglass {

class GifFrames {
 public:
  // Takes the next bytes of the file. Bytes between blocks are skipped, as decoders do.
  void feed(std::span<const std::byte> bytes);
  // Of the frame with the most pixels among those that exceed the image so far; 0: none does.
  int32_t width() const { return width_; }
  int32_t height() const { return height_; }

 private:
  // What the next bytes are.
  enum class Part { kHeader, kSkipped, kIntroducer, kLabel, kDescriptor, kCodeSize, kSubBlockSize, kEnd };
  void take(uint8_t byte);
  void take_header();
  void take_descriptor();
  int32_t number(size_t at) const;  // in the block
  // Skips bytes before the next part.
  void skip(size_t bytes, Part next);

  Part part_ = Part::kHeader, next_ = Part::kEnd;
  size_t skipped_ = 0;               // bytes that are left to skip
  std::array<uint8_t, 13> block_{};  // the header, or the descriptor of a frame
  size_t filled_ = 0;
  int32_t image_width_ = 0, image_height_ = 0, width_ = 0, height_ = 0;
};

}  // namespace sightglass
