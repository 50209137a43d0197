// Images that claim excessive sizes, and images that are stored rotated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "harness/picture_bomb.h"
#include "harness/scratch_folder.h"
#include "harness/special_files.h"
#include "harness/value_of.h"
#include "pictures.h"

namespace sightglass::test {
namespace {

// The peak memory of this process, in KiB.
long peak_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    if (long value = 0; word == "VmHWM:" && file >> value) return value;
  }
  return -1;
}

TEST(DecodePicture, OversizedImagesAreRejectedBeforeDecoding) {
  const long before = peak_kib();
  for (const PictureBomb& bomb : picture_bombs(30000, 30000)) {
    const std::string path = scratch_folder() / bomb.name;
    std::ofstream(path, std::ios::binary) << bomb.bytes;
    const auto picture = decode_picture(path, 16384);
    ASSERT_FALSE(picture.ok()) << bomb.name;
    std::printf("%s: %s\n", bomb.name.c_str(), picture.status().message().c_str());
    if (bomb.optional && picture.status().message().find("format") != std::string::npos) continue;
    EXPECT_NE(picture.status().message().find("30000x30000"), std::string::npos) << bomb.name;
    EXPECT_NE(picture.status().message().find("16384"), std::string::npos) << bomb.name;
    EXPECT_TRUE(check_picture(path).ok()) << bomb.name;
  }
  std::printf("peak memory: %ld KiB before, %ld after\n", before, peak_kib());
  EXPECT_LT(peak_kib() - before, 100 << 10);
}

// 16000x16000 pixels are 1 GB.
TEST(DecodePicture, SmallFilesOfLargeImagesAreRejectedBeforeDecoding) {
  const long before = peak_kib();
  for (const PictureBomb& bomb : picture_bombs(16000, 16000)) {
    const std::string path = scratch_folder() / bomb.name;
    std::ofstream(path, std::ios::binary) << bomb.bytes;
    const auto picture = decode_picture(path, 16384);
    ASSERT_FALSE(picture.ok()) << bomb.name;
    if (bomb.optional && picture.status().message().find("format") != std::string::npos) continue;
    EXPECT_EQ(picture.status().message(), "it has 16000x16000 pixels, too many for a file of its size; scale it down");
  }
  EXPECT_LT(peak_kib() - before, 100 << 10);
}

// An animation of 2x3 pixels whose second frame claims others, in pieces of any size.
TEST(DecodePicture, FramesBeyondTheImageAreLimited) {
  const auto frame = [](uint32_t width, uint32_t height) {
    return std::string("!\xf9\4\0\0\0\0\0,\0\0\0\0", 13) + little_endian(width, 2) + little_endian(height, 2) +
           std::string("\0\2\2\x44\1\0", 6);
  };
  const std::string begin =
      "GIF89a" + little_endian(2, 2) + little_endian(3, 2) + std::string("\x80\0\0\0\0\0\xff\xff\xff", 9) + frame(2, 3);
  const std::string path = scratch_folder() / "frames.gif";
  const auto decoded = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return decode_picture(path, 16384).status();
  };
  EXPECT_TRUE(decoded(begin + ";").ok()) << decoded(begin + ";").message();
  const Status status = decoded(begin + frame(14406, 24889) + ";");
  EXPECT_NE(status.message().find("a frame of 14406x24889 pixels"), std::string::npos) << status.message();
  for (const size_t piece : {1, 7, 1000}) {
    GifFrames frames;
    const std::string all = begin + frame(5, 1) + frame(4, 3) + frame(2, 2);
    for (size_t at = 0; at < all.size(); at += piece)
      frames.feed(std::as_bytes(std::span(all).subspan(at, std::min(piece, all.size() - at))));
    EXPECT_EQ(frames.width(), 4);
    EXPECT_EQ(frames.height(), 3);
  }
}

TEST(DecodePicture, BothSidesAreLimited) {
  const std::string path = scratch_folder() / "sides.png";
  const PixbufPtr written(gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, 20, 30));
  gdk_pixbuf_fill(written.get(), 0x10203040);
  ASSERT_TRUE(gdk_pixbuf_save(written.get(), path.c_str(), "png", nullptr, nullptr));
  EXPECT_FALSE(decode_picture(path, 29).ok());
  const auto picture = value_of(decode_picture(path, 30));
  EXPECT_EQ(gdk_pixbuf_get_width(picture.get()), 20);
  EXPECT_EQ(gdk_pixbuf_get_height(picture.get()), 30);
  EXPECT_EQ(gdk_pixbuf_read_pixels(picture.get())[1], 0x20);
}

// EXIF data with an orientation, in either byte order.
std::string exif(int orientation, bool big) {
  std::string text = big ? std::string("MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0", 26)
                         : std::string("II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\0\0\0\0\0\0\0\0", 26);
  text[big ? 19 : 18] = static_cast<char>(orientation);
  return text;
}

std::string jpeg_segment(const std::string& exif_data) {
  const std::string content = std::string("Exif\0\0", 6) + exif_data;
  return std::string("\xff\xe1\0", 3) + static_cast<char>(content.size() + 2) + content;
}

ImageFacts facts_of(const std::string& file) { return image_facts(std::as_bytes(std::span(file))); }

TEST(ImageFacts, OrientationOfExifData) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool big : {false, true}) {
      const std::string data = exif(orientation, big), size(1, static_cast<char>(data.size()));
      const std::string zeros(3, '\0');
      EXPECT_EQ(facts_of("\xff\xd8" + jpeg_segment(data)).orientation, orientation);
      EXPECT_EQ(facts_of("\x89PNG\r\n\x1a\n" + zeros + size + "eXIf" + data + "4444").orientation, orientation);
      EXPECT_EQ(facts_of("RIFF4444WEBPEXIF" + size + zeros + data).orientation, orientation);
    }
  }
  EXPECT_EQ(facts_of("\xff\xd8" + jpeg_segment(exif(9, true))).orientation, 1) << "not an orientation";
  const std::string whole = "\xff\xd8" + jpeg_segment(exif(6, true));
  for (size_t length = 0; length < whole.size(); ++length) {
    const int orientation = facts_of(whole.substr(0, length)).orientation;
    EXPECT_TRUE(orientation == 1 || orientation == 6) << length;
  }
  const std::string frame("\xff\xc0\0\x14\x08\0\x10\0\x10\x04", 10);
  EXPECT_EQ(facts_of("\xff\xd8\xff" + frame.substr(1) + std::string(20, '\0')).jpeg_components, 4);
}

// Right behind the first marker of a JPEG, and behind the header of a PNG.
TEST(DecodePicture, ImagesAreUpright) {
  const PixbufPtr stored(gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, 32, 16));
  gdk_pixbuf_fill(stored.get(), 0xff0000ff);
  const PixbufPtr left(gdk_pixbuf_new_subpixbuf(stored.get(), 0, 0, 16, 16));
  gdk_pixbuf_fill(left.get(), 0x0000ffff);
  const struct {
    const char* format;
    size_t at;
    std::string data;
  } files[] = {{"jpeg", 2, jpeg_segment(exif(6, true))}, {"png", 33, png_chunk("eXIf" + exif(6, true))}};
  for (const auto& [format, at, data] : files) {
    const std::string path = scratch_folder() / (std::string("rotated.") + format);
    ASSERT_TRUE(gdk_pixbuf_save(stored.get(), path.c_str(), format, nullptr, nullptr));
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    bytes.insert(at, data);
    std::ofstream(path, std::ios::binary) << bytes;
    const auto picture = value_of(decode_picture(path, 100));
    EXPECT_EQ(gdk_pixbuf_get_width(picture.get()), 16) << format;
    EXPECT_EQ(gdk_pixbuf_get_height(picture.get()), 32) << format;
    EXPECT_LT(gdk_pixbuf_read_pixels(picture.get())[0], 60) << format << ": what was at the left is at the top";
  }
}

TEST(DecodePicture, FilesThatAreNotImagesAreRejected) {
  const std::string path = scratch_folder() / "text.png";
  for (const std::string text : {"", "GIF", "this is no picture, whatever its name"}) {
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_FALSE(check_picture(path).ok()) << text;
    EXPECT_FALSE(decode_picture(path, 100).ok()) << text;
  }
  // The icon decoder would allocate the size that the directory claims: 1.4 GB here.
  const std::string icon =
      std::string("\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0", 14) + std::string("\0\0\0\x55\x16\0\0\0", 8);
  std::ofstream(path, std::ios::binary) << icon + std::string(100, '\0');
  EXPECT_NE(decode_picture(path, 100).status().message().find("PNG, JPEG, GIF"), std::string::npos);
  EXPECT_NE(check_picture(path).message().find("PNG, JPEG, GIF"), std::string::npos);
  for (const auto& [special, kind] : make_special_files(scratch_folder() / "special")) {
    EXPECT_NE(check_picture(special).message().find(kind), std::string::npos) << special;
    EXPECT_NE(decode_picture(special, 100).status().message().find(kind), std::string::npos) << special;
  }
}

}  // namespace
}  // namespace sightglass::test
