// Reading and writing files and the standard output, whatever exists at their paths.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>
#include <vector>

#include "gpu_engine/files.h"
#include "harness/scratch_folder.h"
#include "harness/special_files.h"
#include "harness/value_of.h"
#include "standard_output.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

// What has reached the disk: the text of files, and the names in directories.
std::vector<std::string>* synced = nullptr;

void note_sync(int descriptor) {
  const std::string path = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor));
  if (!fs::is_directory(path)) {
    std::ifstream file(path, std::ios::binary);
    synced->push_back("text " + std::string(std::istreambuf_iterator<char>(file), {}));
    return;
  }
  for (const auto& entry : fs::directory_iterator(path)) synced->push_back("name " + entry.path().filename().string());
}

}  // namespace
}  // namespace sightglass::test

// In place of that of the C library.
extern "C" int fsync(int descriptor) {
  if (sightglass::test::synced != nullptr) sightglass::test::note_sync(descriptor);
  return 0;
}

namespace sightglass::test {
namespace {

class OutputFile : public testing::Test {
 protected:
  OutputFile() { fs::create_directories(folder_); }
  ~OutputFile() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  static unsigned mode_of(const std::string& path) { return static_cast<unsigned>(fs::status(path).permissions()); }

 private:
  const fs::path folder_ = scratch_folder() / "output";
};

TEST_F(OutputFile, IsCompleteOrAbsent) {
  const std::string place = write("place", "old");
  {
    auto file = value_of(AtomicFile::create(place, FileAccess::kOwner));
    ASSERT_TRUE(file.append("half").ok());
    EXPECT_EQ(read(place), "old") << "while the new file is written";
    EXPECT_EQ(files(), 2U);
  }
  EXPECT_EQ(files(), 1U) << "the uncommitted file is deleted";
  EXPECT_EQ(read(place), "old");
  auto file = AtomicFile::create(place, FileAccess::kOwner);
  ASSERT_TRUE(file.ok() && file->append("new").ok() && file->commit().ok());
  EXPECT_EQ(read(place), "new");
  EXPECT_EQ(mode_of(place), 0600U);
  EXPECT_EQ(files(), 1U);
}

// After a power cut, a name without its text would be an empty file.
TEST_F(OutputFile, TheTextIsOnTheDiskBeforeTheNameAndTheNameBeforeTheReturn) {
  std::vector<std::string> order;
  synced = &order;
  const Status written = write_output_file(path("place"), "text");
  synced = nullptr;
  ASSERT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(order, (std::vector<std::string>{"text text", "name place"}));
}

TEST_F(OutputFile, TemporaryNamesAreUnpredictable) {
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) {
    const auto file = value_of(AtomicFile::create(path("place"), FileAccess::kOwner));
    ASSERT_EQ(files(), 1U);
    names.insert(fs::directory_iterator(path(""))->path().filename());
  }
  EXPECT_EQ(names.size(), 20U);
}

TEST_F(OutputFile, ALinkAtThePathIsReplaced) {
  const std::string target = write("target", "another's");
  fs::create_symlink(target, path("place"));
  auto file = AtomicFile::create(path("place"), FileAccess::kOwner);
  ASSERT_TRUE(file.ok() && file->append("ours").ok() && file->commit().ok());
  EXPECT_EQ(read(target), "another's");
  EXPECT_FALSE(fs::is_symlink(path("place")));
  EXPECT_EQ(read(path("place")), "ours");
}

TEST_F(OutputFile, AFileOfTheUserKeepsItsPermissions) {
  const mode_t before = umask(022);
  ASSERT_TRUE(write_output_file(path("fresh"), "1").ok());
  EXPECT_EQ(mode_of(path("fresh")), 0644U);
  ASSERT_EQ(chmod(path("fresh").c_str(), 0640), 0);
  ASSERT_TRUE(write_output_file(path("fresh"), "2").ok());
  EXPECT_EQ(mode_of(path("fresh")), 0640U);
  EXPECT_EQ(read(path("fresh")), "2");
  EXPECT_EQ(files(), 1U);
  umask(before);
}

TEST_F(OutputFile, SpecialFilesAreWrittenInPlace) {
  const std::string target = write("target", "longer than what follows");
  fs::create_symlink(target, path("link"));
  ASSERT_TRUE(write_output_file(path("link"), "text").ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(target), "text");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read(path("pipe")); });
  EXPECT_TRUE(write_output_file(path("pipe"), "through").ok());
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(write_output_file("/dev/null", "nothing").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFile, ALinkIsFollowedAndItsTargetReplacedAsAWhole) {
  const std::string target = write("target", "old");
  fs::create_symlink("target", path("link"));
  fs::create_symlink("new", path("dangling"));
  fs::create_symlink("circle", path("circle"));
  const auto place = value_of(find_output_place(path("link")));
  EXPECT_EQ(place.path, target);
  EXPECT_FALSE(place.in_place);
  ASSERT_TRUE(write_output_file(path("dangling"), "text").ok());
  EXPECT_EQ(read(path("new")), "text");
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_FALSE(write_output_file(path("circle"), "text").ok());
  for (const char* special : {"/dev/stdout", "/proc/self/fd/1", "/dev/null"}) {
    EXPECT_TRUE(find_output_place(special)->in_place) << special;
  }
}

// Text that is appended to the standard output of a process stays.
TEST_F(OutputFile, StandardOutputIsNotOpenedAnew) {
  const std::string log = write("log", "before\n");
  const int kept = dup(STDOUT_FILENO), file = open(log.c_str(), O_WRONLY | O_APPEND);
  ASSERT_TRUE(dup2(file, STDOUT_FILENO) >= 0);
  const Status written = write_output_file("/dev/stdout", "after\n");
  dup2(kept, STDOUT_FILENO);
  close(kept);
  close(file);
  EXPECT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(read(log), "before\nafter\n");
}

TEST_F(OutputFile, ALockedFileHasOneWriter) {
  const std::string place = write("place", "old");
  {
    auto first = AtomicFile::create_locked(place, FileAccess::kEveryone);
    ASSERT_TRUE(first.ok() && first->has_value());
    EXPECT_TRUE((*first)->temporary_path().ends_with("-place.part")) << (*first)->temporary_path();
    const auto second = value_of(AtomicFile::create_locked(place, FileAccess::kEveryone));
    EXPECT_FALSE(second.has_value()) << "while the first one is written";
    EXPECT_TRUE(AtomicFile::create_locked(path("another place"), FileAccess::kEveryone)->has_value());
    EXPECT_EQ(files(), 2U) << "the second writer leaves the file of the first one";
    ASSERT_TRUE((*first)->append("new").ok() && (*first)->commit().ok());
  }
  EXPECT_EQ(read(place), "new");
  EXPECT_TRUE(AtomicFile::create_locked(place, FileAccess::kEveryone)->has_value()) << "it is complete";
}

// Each opens the file for itself, as processes do.
TEST_F(OutputFile, OfManyWritersAtOnceOneHasTheFile) {
  constexpr int kWriters = 8, kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    const std::string place = path("place" + std::to_string(round));
    std::atomic<int> waiting = kWriters, written = 0, decided = kWriters;
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&] {
        for (--waiting; waiting > 0;) std::this_thread::yield();
        const auto file = AtomicFile::create_locked(place, FileAccess::kEveryone);
        if (file.ok() && file->has_value()) ++written;
        for (--decided; decided > 0;) std::this_thread::yield();
      });
    }
    for (std::thread& writer : writers) writer.join();
    ASSERT_EQ(written, 1) << "in round " << round;
  }
}

TEST_F(OutputFile, WhatKilledProcessesLeftIsRemoved) {
  const std::string left = write(".0123456789abcdef-place.part", "half");
  const std::string others[] = {write(".0123456789abcdef-my-place.part", ""), write(".0123456789abcdeX-place.part", ""),
                                write("place.part", "")};
  {
    const auto file = AtomicFile::create_locked(path("place"), FileAccess::kEveryone);
    ASSERT_TRUE(file.ok() && file->has_value());
    EXPECT_FALSE(fs::exists(left));
  }
  for (const std::string& other : others) EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_EQ(files(), 3U);
}

TEST_F(OutputFile, FailuresNameThePath) {
  fs::create_directory(path("directory"));
  for (const std::string& place : {path("directory"), path("no/such/place"), std::string("/dev/full"), std::string()}) {
    const Status status = write_output_file(place, "text");
    ASSERT_FALSE(status.ok()) << place;
    EXPECT_NE(status.message().find("cannot write " + place), std::string::npos) << status.message();
  }
  const std::string longest = path(std::string(255, 'n'));
  EXPECT_TRUE(write_output_file(longest, "text").ok());
  EXPECT_EQ(read(longest), "text");
}

std::string write(const std::string& name, const std::string& text) {
  const std::string path = scratch_folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(InputFile, ReadsARegularFileInPieces) {
  auto file = value_of(InputFile::open(write("seven", "1234567")));
  EXPECT_EQ(file.size(), 7);
  std::vector<std::byte> four(4), five(5);
  EXPECT_TRUE(file.read_exactly(four).ok());
  EXPECT_EQ(four.back(), std::byte{'4'});
  EXPECT_EQ(*file.read(five), 3U);
  EXPECT_EQ(*file.read(five), 0U) << "the end";
  const Status beyond = file.read_exactly(five);
  EXPECT_NE(beyond.message().find("ends early"), std::string::npos) << beyond.message();
}

TEST(InputFile, AMissingFileHasItsOwnError) {
  expect_failure(InputFile::open(scratch_folder() / "none"), {}, ErrorCode::kNotFound);
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
  expect_failure(read_text_file(path, 9), {"10 bytes"});
  // One terabyte, which exceeds any memory.
  std::filesystem::resize_file(path, uintmax_t{1} << 40);
  EXPECT_FALSE(read_text_file(path, 1 << 20).ok());
}

TEST(ReadFile, ReturnsTheWholeFile) {
  const auto file = value_of(read_file(write("whole", "1234567"), 7));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()), "1234567");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.bytes.data()) % alignof(std::max_align_t), 0U);
  EXPECT_FALSE(read_file(scratch_folder() / "whole", 6).ok());
  const auto empty = value_of(read_file(write("empty", ""), 7));
  EXPECT_TRUE(empty.bytes.empty());
}

// A mapping would end this process with SIGBUS.
TEST(ReadFile, ContentsStayWhenTheFileIsShortenedAndOverwritten) {
  const std::string text(100'000, 'a'), path = write("changing", text);
  const auto file = value_of(read_file(path, 1 << 20));
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()), text);
}

TEST(ReadFile, AFileThatChangesInTheMeantimeIsAnError) {
  const std::string path = write("changing", std::string(1000, 'a'));
  std::vector<std::byte> bytes(1000);
  for (const uintmax_t size : {uintmax_t{999}, uintmax_t{0}, uintmax_t{1001}}) {
    std::filesystem::resize_file(path, 1000);
    auto file = value_of(InputFile::open(path));
    std::filesystem::resize_file(path, size);
    const Status status = file.read_all(bytes);
    ASSERT_FALSE(status.ok()) << size;
    expect_words(status.message(), {size < 1000 ? "ends early" : "another program is writing to it"});
  }
}

// The exit status of a process that prints to `path`.
int status_of_printing_to(const char* path) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(path, "w", stdout) == nullptr) _exit(100);
    std::printf("line\n");
    std::cout << "another\n";
    _exit(finish_output("test", 3, 7));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardOutput, UnwrittenOutputIsAFailure) {
  EXPECT_EQ(status_of_printing_to("/dev/null"), 3);
  EXPECT_EQ(status_of_printing_to("/dev/full"), 7);
}

}  // namespace
}  // namespace sightglass::test
