// `sightglass batch`: shards, continuation, failures, and interruption.
#include "video/batch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "gpu_engine/files.h"
#include "video_case.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;
using video::BatchFile;

class BatchCommand : public VideoCase {
 protected:
  void SetUp() override {
    VideoCase::SetUp();
    fs::create_directories(path("in/sub"));
  }
  void clip(const std::string& name) const {
    const CommandResult made = run_program(
        "gst-launch-1.0 -q videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=64,height=48 ! jpegenc !"
        " matroskamux ! filesink location=" +
        path(name));
    ASSERT_EQ(made.status, 0) << made.output;
  }
  std::string batch(const std::string& more = "") const {
    return "batch " + path("in") + " --output " + path("out") + " --refine none --blur-strength 2 " + more;
  }
  // Status by input, of all lines.
  std::multimap<std::string, std::string> manifest(const std::string& name = "out/manifest.jsonl") const {
    std::multimap<std::string, std::string> lines;
    std::ifstream file(path(name));
    for (std::string line; std::getline(file, line);) {
      const auto json = nlohmann::json::parse(line);
      lines.emplace(json["input"], json["status"]);
    }
    return lines;
  }
};

TEST_F(BatchCommand, FailuresDoNotStopItAndItContinuesWhereItStopped) {
  clip("in/a.mkv");
  clip("in/sub/c.mkv");
  write("in/b.mp4", "no video");
  write("in/notes.txt", "not a video file");
  const CommandResult first = run_command(batch());
  EXPECT_EQ(first.status, 1) << first.output;
  EXPECT_NE(first.output.find("3 files: 2 done, 0 already there, 1 failed"), std::string::npos) << first.output;
  const size_t hint = first.output.find("models fetch selfie-segmenter");
  EXPECT_NE(hint, std::string::npos) << first.output;
  EXPECT_EQ(first.output.find("models fetch", hint + 1), std::string::npos) << "once, not for every file";
  const std::multimap<std::string, std::string> expected = {
      {"a.mkv", "done"}, {"b.mp4", "failed"}, {"sub/c.mkv", "done"}};
  EXPECT_EQ(manifest(), expected);
  EXPECT_TRUE(fs::exists(path("out/a.mkv.mp4")));
  EXPECT_TRUE(fs::exists(path("out/sub/c.mkv.mp4")));
  EXPECT_FALSE(fs::exists(path("out/b.mp4")));

  fs::remove(path("out/a.mkv.mp4"));
  fs::remove(path("in/b.mp4"));
  const CommandResult second = run_command(batch());
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_NE(second.output.find("2 files: 1 done, 1 already there, 0 failed"), std::string::npos) << second.output;
}

TEST_F(BatchCommand, ATaskHasTheOptionsOfItsElement) {
  clip("in/a.mkv");
  const CommandResult result =
      run_command("batch pose " + path("in") + " --output " + path("out") + " --model figure --point-radius 4");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(manifest(), (std::multimap<std::string, std::string>{{"a.mkv", "done"}}));
}

TEST_F(BatchCommand, AnInterruptLeavesNoOutput) {
  const CommandResult made = run_program(
      "gst-launch-1.0 -q videotestsrc num-buffers=3000 ! video/x-raw,format=I420,width=64,height=48 ! jpegenc !"
      " matroskamux ! filesink location=" +
      path("in/long.mkv"));
  ASSERT_EQ(made.status, 0) << made.output;
  const CommandResult result = run_program(
      "(" + kSightglass + " " + batch() + " >" + path("log") + " 2>&1 & job=$!; tries=0; until ls -A " + path("out") +
      " 2>/dev/null | grep -q long.mkv.mp4.part || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done; kill -TERM $job; "
      "wait $job; echo status $?; cat " +
      path("log") + ")");
  EXPECT_NE(result.output.find("status 1"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("interrupted, run it again to continue"), std::string::npos) << result.output;
  EXPECT_TRUE(manifest().empty());
  fs::remove(path("out/manifest.jsonl"));
  EXPECT_TRUE(fs::is_empty(path("out")));
}

// Results of links have the names of the links, are in the output directory, and replace nothing else.
TEST_F(BatchCommand, LinksAreReadButNeverFollowedForNames) {
  fs::create_directories(path("store"));
  clip("store/v.mkv");
  const auto size = fs::file_size(path("store/v.mkv"));
  fs::create_symlink("../store/v.mkv", path("in/a.mkv"));
  fs::create_symlink("nowhere.mp4", path("in/dead.mp4"));
  fs::create_symlink("..", path("in/up"));
  fs::create_directories(path("out"));
  fs::create_symlink(path("store/v.mkv"), path("out/a.mkv.mp4"));
  const CommandResult result = run_command(batch("--force"));
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_NE(result.output.find("2 files: 1 done, 0 already there, 1 failed"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("in/up: links to directories are not followed"), std::string::npos) << result.output;
  EXPECT_EQ(manifest(), (std::multimap<std::string, std::string>{{"a.mkv", "done"}, {"dead.mp4", "failed"}}));
  EXPECT_EQ(fs::file_size(path("store/v.mkv")), size);
  EXPECT_TRUE(fs::is_symlink(path("in/a.mkv")));
  EXPECT_FALSE(fs::is_symlink(path("out/a.mkv.mp4")));
  EXPECT_EQ(std::distance(fs::directory_iterator(path("store")), {}), 1);
}

// The lock is that of any process that writes the file.
TEST_F(BatchCommand, WaitsForAnotherProcessThatWritesAResult) {
  clip("in/a.mkv");
  clip("in/b.mkv");
  fs::create_directories(path("out"));
  auto other = AtomicFile::create_locked(path("out/a.mkv.mp4"), FileAccess::kEveryone);
  ASSERT_TRUE(other.ok() && other->has_value());
  CommandResult result;
  std::thread batch_thread([&] { result = run_command(batch("--shard 0/1"), ">" + path("log") + " 2>&1"); });
  const auto log = [&] {
    std::ifstream file(path("log"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (int i = 0; i < 600 && log().find("another process works on it; waiting") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(fs::exists(path("out/b.mkv.mp4"))) << "it processes the other files first";
  ASSERT_TRUE((*other)->append("the other's").ok() && (*other)->commit().ok());
  batch_thread.join();
  EXPECT_EQ(result.status, 0) << log();
  EXPECT_NE(log().find("2 files: 1 done, 1 already there, 0 failed"), std::string::npos) << log();
  EXPECT_EQ(fs::file_size(path("out/a.mkv.mp4")), std::string("the other's").size());
}

TEST_F(BatchCommand, ErrorsNameTheCause) {
  const auto expect_error = [](const std::string& arguments, int status, const std::string& words) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, status) << result.output;
    EXPECT_NE(result.output.find(words), std::string::npos) << result.output;
  };
  expect_error("batch " + path("nowhere") + " --output " + path("out"), 1, "nowhere: is not a directory");
  expect_error(batch("--shard 8/8"), 2, "'8/8' is not a shard; use INDEX/COUNT");
  expect_error("batch " + path("in"), 2, "batch needs a directory and --output DIRECTORY");
  expect_error("batch paint " + path("in") + " --output " + path("out"), 2,
               "paint is neither a directory nor a task: segment, pose");
  expect_error("batch " + path("in") + " pose --output " + path("out"), 2,
               "write arguments after the task: batch pose");
  expect_error(batch("--blur-strength many"), 2, "--blur-strength");
  expect_error("batch pose " + path("in") + " --output " + path("out") + " --blur-strength 2", 2, "--blur-strength");
  expect_error("batch " + path("in") + " --output " + path("in"), 2, "is both the input and the output directory");
  expect_error("batch " + path("in/sub") + " --output " + path("in"), 2, "contains the input directory");
  // A second process for the same shard.
  fs::create_directories(path("out"));
  const CommandResult locked =
      run_program("flock " + path("out/manifest.jsonl") + " " + kSightglass + " " + batch() + " 2>&1");
  EXPECT_EQ(locked.status, 1);
  EXPECT_NE(locked.output.find("another process works on this batch"), std::string::npos) << locked.output;
}

TEST_F(BatchCommand, ShardsAreDistinctAndComplete) {
  for (int i = 0; i < 11; ++i) write("in/" + std::to_string(i) + (i % 2 == 0 ? ".mp4" : ".MKV"), "");
  fs::create_directories(path("in/out"));
  write("in/out/result.mp4", "");
  std::set<std::string> seen;
  for (int index = 0; index < 4; ++index) {
    const auto files = video::list_batch(path("in"), path("in/out"), {index, 4});
    ASSERT_TRUE(files.ok());
    EXPECT_GE(files->size(), 2u);
    for (const BatchFile& file : *files) EXPECT_TRUE(seen.insert(file.name.string()).second) << file.name;
  }
  EXPECT_EQ(seen.size(), 11u) << "results are no input";
  EXPECT_EQ(video::batch_output({"in/a.mp4", "a.mp4"}, "out", ".mp4"), fs::path("out/a.mp4"));
  EXPECT_EQ(video::batch_output({"in/s/a.avi", "s/a.avi"}, "out", ".mp4"), fs::path("out/s/a.avi.mp4"));
  for (const char* bad : {"", "1", "/", "1/", "-1/4", "4/4", "0/0", "a/4", "1/4x"}) {
    EXPECT_FALSE(video::parse_shard(bad).ok()) << bad;
  }
  EXPECT_EQ(video::parse_shard("3/4")->index, 3);
}

}  // namespace
}  // namespace sightglass::test
