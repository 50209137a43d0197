// Small image files that claim any size in pixels: their headers are valid, and their pixels are missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sightglass::test {

struct PictureBomb {
  std::string name;
  std::string bytes;
  bool optional = false;  // gdk-pixbuf may lack a reader for it
};

// Integers of `count` bytes.
inline std::string little_endian(uint32_t value, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}
inline std::string big_endian(uint32_t value, int count) {
  const std::string text = little_endian(value, count);
  return {text.rbegin(), text.rend()};
}

// A chunk of a PNG: its type and its data, with their length and their checksum.
inline std::string png_chunk(const std::string& type_and_data) {
  uint32_t crc = ~0U;
  for (const char c : type_and_data) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320U & -(crc & 1));
  }
  return big_endian(static_cast<uint32_t>(type_and_data.size()) - 4, 4) + type_and_data + big_endian(~crc, 4);
}

inline std::string png_bomb(uint32_t width, uint32_t height) {
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR" + big_endian(width, 4) + big_endian(height, 4) + std::string("\x08\x02\0\0\0", 5)) +
         png_chunk("IDAT" + std::string(16, 'x'));
}

inline std::vector<PictureBomb> picture_bombs(uint32_t width, uint32_t height) {
  const std::string zeros(1000, '\0');
  const std::string sides = little_endian(width, 2) + little_endian(height, 2);
  const std::string frame = "\xff\xc0" + big_endian(11, 2) + '\x08' + big_endian(height, 2) + big_endian(width, 2) +
                            std::string("\x01\x01\x11\0", 4);
  return {{"bomb.png", png_bomb(width, height)},
          {"bomb.jpg", std::string("\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", 20) + frame +
                           std::string("\xff\xda\0\x08\1\1\0\0\x3f\0", 10) + zeros},
          {"bomb.gif", "GIF89a" + sides + std::string("\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0", 14) + sides +
                           std::string("\0\2\2\x44\1\0;", 7)},
          {"bomb.bmp",
           "BM" + little_endian(1054, 4) + little_endian(0, 4) + little_endian(54, 4) + little_endian(40, 4) +
               little_endian(width, 4) + little_endian(height, 4) + little_endian(1, 2) + little_endian(24, 2) + zeros,
           true},
          {"bomb.ppm", "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" + zeros, true},
          {"bomb.tga", std::string("\0\0\2\0\0\0\0\0\0\0\0\0", 12) + sides + std::string("\x18\0", 2) + zeros, true}};
}

}  // namespace sightglass::test
