#include "pictures.h"

namespace sightglass {

namespace {

// GIF89a, 1990. Numbers are little-endian.
constexpr size_t kHeaderBytes = 13, kDescriptorBytes = 9, kHeaderFlags = 10, kDescriptorFlags = 8;
constexpr uint8_t kExtension = 0x21, kFrame = 0x2c, kTrailer = 0x3b;

// Of a color table, from the flags of its block.
size_t table_bytes(uint8_t flags) { return (flags & 0x80) == 0 ? 0 : size_t{3} << ((flags & 7) + 1); }

}  // namespace

void GifFrames::feed(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) take(static_cast<uint8_t>(byte));
}

void GifFrames::take(uint8_t byte) {
  switch (part_) {
    case Part::kHeader:
    case Part::kDescriptor:
      block_[filled_++] = byte;
      if (part_ == Part::kHeader && filled_ == kHeaderBytes) take_header();
      if (part_ == Part::kDescriptor && filled_ == kDescriptorBytes) take_descriptor();
      break;
    case Part::kSkipped:
      if (--skipped_ == 0) part_ = next_;
      break;
    case Part::kIntroducer:
      filled_ = 0;
      if (byte == kFrame) part_ = Part::kDescriptor;
      if (byte == kExtension) part_ = Part::kLabel;
      if (byte == kTrailer) part_ = Part::kEnd;
      break;
    case Part::kLabel:
    case Part::kCodeSize:
      part_ = Part::kSubBlockSize;
      break;
    case Part::kSubBlockSize:
      if (byte == 0) {
        part_ = Part::kIntroducer;
      } else {
        skip(byte, Part::kSubBlockSize);
      }
      break;
    case Part::kEnd:
      break;
  }
}

void GifFrames::take_header() {
  image_width_ = number(6);
  image_height_ = number(8);
  skip(table_bytes(block_[kHeaderFlags]), Part::kIntroducer);
}

void GifFrames::take_descriptor() {
  const int32_t width = number(4), height = number(6);
  const bool exceeds = width > image_width_ || height > image_height_;
  if (exceeds && int64_t{width} * height > int64_t{width_} * height_) {
    width_ = width;
    height_ = height;
  }
  skip(table_bytes(block_[kDescriptorFlags]), Part::kCodeSize);
}

int32_t GifFrames::number(size_t at) const { return block_[at] | block_[at + 1] << 8; }

void GifFrames::skip(size_t bytes, Part next) {
  skipped_ = bytes;
  next_ = next;
  part_ = bytes == 0 ? next : Part::kSkipped;
}

}  // namespace sightglass
