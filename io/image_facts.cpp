#include <algorithm>
#include <string_view>

#include "pictures.h"

namespace sightglass {

namespace {

// Reads numbers at offsets; out of range, the result is 0.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> data, bool big = true) : data_(data), big_(big) {}
  size_t size() const { return data_.size(); }
  uint32_t number(size_t at, size_t length) const {
    if (at > data_.size() || data_.size() - at < length) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < length; ++i) {
      value = value << 8 | std::to_integer<uint32_t>(data_[at + (big_ ? i : length - 1 - i)]);
    }
    return value;
  }
  bool has(size_t at, std::string_view text) const {
    if (at > data_.size() || data_.size() - at < text.size()) return false;
    return std::string_view(reinterpret_cast<const char*>(data_.data()) + at, text.size()) == text;
  }
  std::span<const std::byte> part(size_t at, size_t length) const {
    return at > data_.size() ? std::span<const std::byte>() : data_.subspan(at).first(std::min(length, size() - at));
  }

 private:
  std::span<const std::byte> data_;
  bool big_;
};

// EXIF data are a TIFF file: the orientation is an entry of its first directory.
int orientation_of_tiff(std::span<const std::byte> data) {
  constexpr uint32_t kOrientation = 0x0112, kShort = 3;
  const bool big = Bytes(data).has(0, "MM");
  const Bytes tiff(data, big);
  if (!big && !tiff.has(0, "II")) return 1;
  const size_t directory = tiff.number(4, 4);
  const uint32_t entries = tiff.number(directory, 2);
  for (uint32_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + 12 * static_cast<size_t>(i);
    if (entry + 12 > tiff.size()) break;
    if (tiff.number(entry, 2) != kOrientation || tiff.number(entry + 2, 2) != kShort) continue;
    const uint32_t value = tiff.number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

constexpr std::string_view kExif("Exif\0\0", 6);

ImageFacts facts_of_jpeg(const Bytes& file) {
  constexpr uint32_t kExifSegment = 0xe1, kScan = 0xda, kEnd = 0xd9;
  ImageFacts facts;
  size_t at = 2;
  while (at + 4 <= file.size() && file.number(at, 1) == 0xff) {
    const uint32_t marker = file.number(at + 1, 1);
    if (marker == 0xff) {  // padding
      ++at;
      continue;
    }
    if (marker == kScan || marker == kEnd) break;
    const size_t length = file.number(at + 2, 2);
    if (length < 2) break;
    if (marker == kExifSegment && file.has(at + 4, kExif)) {
      facts.orientation = orientation_of_tiff(file.part(at + 4 + kExif.size(), length - 2 - kExif.size()));
    }
    // Frame headers, except the tables in between.
    if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) {
      facts.jpeg_components = static_cast<int>(file.number(at + 9, 1));
    }
    at += 2 + length;
  }
  return facts;
}

ImageFacts facts_of_png(const Bytes& file) {
  ImageFacts facts;
  size_t at = 8;
  while (at + 12 <= file.size()) {
    const size_t length = file.number(at, 4);
    if (file.has(at + 4, "eXIf")) facts.orientation = orientation_of_tiff(file.part(at + 8, length));
    at += 12 + length;
  }
  return facts;
}

ImageFacts facts_of_webp(std::span<const std::byte> data) {
  const Bytes file(data, false);
  ImageFacts facts;
  size_t at = 12;
  while (at + 8 <= file.size()) {
    const size_t length = file.number(at + 4, 4);
    if (file.has(at, "EXIF")) {
      const size_t skipped = file.has(at + 8, kExif) ? kExif.size() : 0;
      if (length > skipped) facts.orientation = orientation_of_tiff(file.part(at + 8 + skipped, length - skipped));
    }
    at += 8 + length + length % 2;
  }
  return facts;
}

}  // namespace

ImageFacts image_facts(std::span<const std::byte> file) {
  const Bytes bytes(file);
  if (bytes.has(0, "\xff\xd8\xff")) return facts_of_jpeg(bytes);
  if (bytes.has(0, "\x89PNG\r\n\x1a\n")) return facts_of_png(bytes);
  if (bytes.has(0, "RIFF") && bytes.has(8, "WEBP")) return facts_of_webp(file);
  return {};
}

}  // namespace sightglass
