#include "gpu_engine/input_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "harness/scratch_folder.h"
#include "harness/special_files.h"

namespace sightglass::test {
namespace {

std::string write(const std::string& name, const std::string& text) {
  const std::string path = scratch_folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(InputFile, ReadsARegularFileInPieces) {
  auto file = InputFile::open(write("seven", "1234567"));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->size(), 7);
  std::vector<std::byte> four(4), five(5);
  EXPECT_TRUE(file->read_exactly(four).ok());
  EXPECT_EQ(four.back(), std::byte{'4'});
  EXPECT_EQ(*file->read(five), 3U);
  EXPECT_EQ(*file->read(five), 0U) << "the end";
  const Status beyond = file->read_exactly(five);
  EXPECT_NE(beyond.message().find("ends early"), std::string::npos) << beyond.message();
}

TEST(InputFile, AMissingFileHasItsOwnError) {
  const auto missing = InputFile::open(scratch_folder() / "none");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), ErrorCode::kNotFound);
}

TEST(InputFile, SpecialFilesAreRejectedByKindWithoutWaiting) {
  for (const auto& [path, kind] : make_special_files(scratch_folder() / "special")) {
    const auto file = InputFile::open(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_NE(file.status().message().find(kind), std::string::npos) << path << ": " << file.status().message();
  }
}

TEST(InputFile, OversizedTextsAreRejectedBeforeReading) {
  const std::string path = write("text", "ten bytes.");
  EXPECT_EQ(*read_text_file(path, 10), "ten bytes.");
  const auto refused = read_text_file(path, 9);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("10 bytes"), std::string::npos) << refused.status().message();
  // One terabyte, which exceeds any memory.
  std::filesystem::resize_file(path, uintmax_t{1} << 40);
  EXPECT_FALSE(read_text_file(path, 1 << 20).ok());
}

}  // namespace
}  // namespace sightglass::test
