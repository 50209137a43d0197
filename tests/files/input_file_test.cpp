#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "gpu_engine/files.h"
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

TEST(ReadFile, ReturnsTheWholeFile) {
  const auto file = read_file(write("whole", "1234567"), 7);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes.data()), file->bytes.size()), "1234567");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->bytes.data()) % alignof(std::max_align_t), 0U);
  EXPECT_FALSE(read_file(scratch_folder() / "whole", 6).ok());
  const auto empty = read_file(write("empty", ""), 7);
  ASSERT_TRUE(empty.ok()) << empty.status().message();
  EXPECT_TRUE(empty->bytes.empty());
}

// A mapping would end this process with SIGBUS.
TEST(ReadFile, ContentsStayWhenTheFileIsShortenedAndOverwritten) {
  const std::string text(100'000, 'a'), path = write("changing", text);
  const auto file = read_file(path, 1 << 20);
  ASSERT_TRUE(file.ok()) << file.status().message();
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes.data()), file->bytes.size()), text);
}

TEST(ReadFile, AFileThatChangesInTheMeantimeIsAnError) {
  const std::string path = write("changing", std::string(1000, 'a'));
  std::vector<std::byte> bytes(1000);
  for (const uintmax_t size : {uintmax_t{999}, uintmax_t{0}, uintmax_t{1001}}) {
    std::filesystem::resize_file(path, 1000);
    auto file = InputFile::open(path);
    ASSERT_TRUE(file.ok()) << file.status().message();
    std::filesystem::resize_file(path, size);
    const Status status = file->read_all(bytes);
    ASSERT_FALSE(status.ok()) << size;
    EXPECT_NE(status.message().find(size < 1000 ? "ends early" : "another program is writing to it"), std::string::npos)
        << status.message();
  }
}

}  // namespace
}  // namespace sightglass::test
