// Images that claim excessive sizes.
#include "decode_picture.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "harness/picture_bomb.h"
#include "harness/scratch_folder.h"
#include "harness/special_files.h"

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

TEST(DecodePicture, BothSidesAreLimited) {
  const std::string path = scratch_folder() / "sides.png";
  const PixbufPtr written(gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, 20, 30));
  gdk_pixbuf_fill(written.get(), 0x10203040);
  ASSERT_TRUE(gdk_pixbuf_save(written.get(), path.c_str(), "png", nullptr, nullptr));
  EXPECT_FALSE(decode_picture(path, 29).ok());
  const auto picture = decode_picture(path, 30);
  ASSERT_TRUE(picture.ok()) << picture.status().message();
  EXPECT_EQ(gdk_pixbuf_get_width(picture->get()), 20);
  EXPECT_EQ(gdk_pixbuf_get_height(picture->get()), 30);
  EXPECT_EQ(gdk_pixbuf_read_pixels(picture->get())[1], 0x20);
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
