// `sightglass batch`: shards, continuation, failures, and interruption; its files and its manifest, without a model.
#include "video/batch.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "gpu_engine/files.h"
#include "harness/command_case.h"
#include "harness/value_of.h"
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
    succeeded(run_program(
        "gst-launch-1.0 -q videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=64,height=48 ! jpegenc !"
        " matroskamux ! filesink location=" +
        path(name)));
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
  const CommandResult first = expect_output(run_command(batch()), 1, {"3 files: 2 done, 0 already there, 1 failed"});
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
  expect_output(run_command(batch()), 0, {"2 files: 1 done, 1 already there, 0 failed"});
}

TEST_F(BatchCommand, ATaskHasTheOptionsOfItsElement) {
  clip("in/a.mkv");
  succeeded(run_command("batch pose " + path("in") + " --output " + path("out") + " --model figure --point-radius 4"));
  EXPECT_EQ(manifest(), (std::multimap<std::string, std::string>{{"a.mkv", "done"}}));
}

TEST_F(BatchCommand, AnInterruptLeavesNoOutput) {
  succeeded(run_program(
      "gst-launch-1.0 -q videotestsrc num-buffers=3000 ! video/x-raw,format=I420,width=64,height=48 ! jpegenc !"
      " matroskamux ! filesink location=" +
      path("in/long.mkv")));
  const CommandResult result = run_program(
      "(" + kSightglass + " " + batch() + " >" + path("log") + " 2>&1 & job=$!; tries=0; until ls -A " + path("out") +
      " 2>/dev/null | grep -q long.mkv.mp4.part || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done; kill -TERM $job; "
      "wait $job; echo status $?; cat " +
      path("log") + ")");
  expect_words(result.output, {"status 1", "interrupted, run it again to continue"});
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
  expect_output(run_command(batch("--force")), 1,
                {"2 files: 1 done, 0 already there, 1 failed", "in/up: links to directories are not followed"});
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
    expect_output(run_command(arguments), status, {words});
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
  expect_output(run_program("flock " + path("out/manifest.jsonl") + " " + kSightglass + " " + batch() + " 2>&1"), 1,
                {"another process works on this batch"});
}

TEST_F(BatchCommand, ShardsAreDistinctAndComplete) {
  for (int i = 0; i < 11; ++i) write("in/" + std::to_string(i) + (i % 2 == 0 ? ".mp4" : ".MKV"), "");
  fs::create_directories(path("in/out"));
  write("in/out/result.mp4", "");
  std::set<std::string> seen;
  for (int index = 0; index < 4; ++index) {
    const auto files = value_of(video::list_batch(path("in"), path("in/out"), {index, 4}));
    EXPECT_GE(files.size(), 2u);
    for (const BatchFile& file : files) EXPECT_TRUE(seen.insert(file.name.string()).second) << file.name;
  }
  EXPECT_EQ(seen.size(), 11u) << "results are no input";
  EXPECT_EQ(video::batch_output({"in/a.mp4", "a.mp4"}, "out", ".mp4"), fs::path("out/a.mp4"));
  EXPECT_EQ(video::batch_output({"in/s/a.avi", "s/a.avi"}, "out", ".mp4"), fs::path("out/s/a.avi.mp4"));
  for (const char* bad : {"", "1", "/", "1/", "-1/4", "4/4", "0/0", "a/4", "1/4x"}) {
    EXPECT_FALSE(video::parse_shard(bad).ok()) << bad;
  }
  EXPECT_EQ(video::parse_shard("3/4")->index, 3);
}

namespace fs = std::filesystem;
using video::BatchFile;
using video::BatchManifest;

class BatchFiles : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    fs::create_directories(path("in/sub"));
    fs::create_directories(path("out"));
  }
  std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Appends a line, and returns the inputs of all lines. Each must be an object.
  std::vector<std::string> inputs_after(const std::string& name) const {
    {
      auto manifest = value_of(BatchManifest::open(path("out"), {}));
      EXPECT_TRUE(manifest.add_failed({name, name}, "damaged").ok());
    }
    std::vector<std::string> inputs;
    std::ifstream file(path("out/manifest.jsonl"));
    for (std::string line; std::getline(file, line);) inputs.push_back(nlohmann::json::parse(line)["input"]);
    return inputs;
  }
};

// Also for names that a shell, a format, or a terminal would interpret.
TEST_F(BatchFiles, NamesComeFromTheWalk) {
  fs::create_directories(path("store"));
  write("store/v.mp4", "");
  write("in/sub/-%s \n:.avi", "");
  fs::create_symlink("../store/v.mp4", path("in/link.mkv"));
  fs::create_symlink("../store/v.mp4", path("in/no-video.txt"));
  fs::create_symlink("dead.mov", path("in/dead.mov"));
  write("out/result.mp4", "");
  fs::create_symlink("../out/result.mp4", path("in/result.mp4"));
  fs::create_symlink("../../store", path("in/sub/folder"));
  fs::create_symlink(".", path("in/circle.mp4"));
  fs::create_symlink(path("in/sub"), path("in/sub/sub"));
  std::vector<std::string> problems;
  const auto files = value_of(video::list_batch(path("in"), path("out"), {}, &problems));
  std::vector<std::string> names;
  for (const BatchFile& file : files) names.push_back(file.name);
  EXPECT_EQ(names, (std::vector<std::string>{"dead.mov", "link.mkv", "sub/-%s \n:.avi"}));
  std::sort(problems.begin(), problems.end());
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[1], path("in/sub/folder") + ": links to directories are not followed");
}

TEST_F(BatchFiles, ResultsHaveDistinctNamesWhateverIsThere) {
  std::set<fs::path> outputs;
  const std::vector<std::string> inputs = {"clip.avi",     "clip.avi.mp4", "clip.avi.mp4.mp4", "clip.mp4",
                                           "clip.mp4.mp4", "clip.MP4",     "clip.MP4.mp4",     "clip.mkv",
                                           "clip.ts",      "clip.txt.mp4", "sub/clip.avi"};
  for (const std::string& name : inputs) outputs.insert(video::batch_output({name, name}, "out", ".mp4"));
  EXPECT_EQ(outputs.size(), inputs.size());
  EXPECT_EQ(video::batch_output({"clip.avi.mp4", "clip.avi.mp4"}, "out", ".mp4"), "out/clip.avi.mp4.mp4");
}

TEST_F(BatchFiles, ResultsStayInTheOutputDirectory) {
  fs::create_directories(path("elsewhere"));
  fs::create_symlink("../elsewhere", path("out/link"));
  EXPECT_TRUE(video::make_result_folder(path("out/new/folder/a.mp4"), path("out")).ok());
  EXPECT_TRUE(fs::is_directory(path("out/new/folder")));
  const Status status = video::make_result_folder(path("out/link/folder/a.mp4"), path("out"));
  EXPECT_NE(status.message().find("out/link/folder: leads out of "), std::string::npos) << status.message();
  EXPECT_TRUE(fs::is_empty(path("elsewhere")));
  EXPECT_TRUE(video::is_inside(path("in/sub"), path("in")) && video::is_inside(path("in"), path("in")));
  EXPECT_FALSE(video::is_inside(path("in"), path("in/sub")) || video::is_inside(path("in"), path("i")));
}

TEST_F(BatchFiles, ManifestsContinueOnALineOfTheirOwn) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(inputs_after("a"), (Names{"a"}));
  const std::string whole = text("out/manifest.jsonl");
  write("out/manifest.jsonl", whole + R"({"status":"done","inp)");
  EXPECT_EQ(inputs_after("b"), (Names{"a", "b"}));
  write("out/manifest.jsonl", R"({"status":"don)");
  EXPECT_EQ(inputs_after("c"), (Names{"c"}));
  write("out/manifest.jsonl", R"({"status":"done","input":"d"})");
  EXPECT_EQ(inputs_after("e"), (Names{"d", "e"})) << "only the end of the line was missing";
}

// A limit of the size of files has the effect of a full disk.
TEST_F(BatchFiles, AFullDiskLeavesNoPartOfALine) {
  ::signal(SIGXFSZ, SIG_IGN);
  auto manifest = BatchManifest::open(path("out"), {});
  ASSERT_TRUE(manifest.ok() && manifest->add_failed({"a", "a"}, "damaged").ok());
  const std::string whole = text("out/manifest.jsonl");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {whole.size() + 7, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  errno = ENOENT;
  const Status full = manifest->add_failed({"b", "b"}, "damaged");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(full.message().find("manifest.jsonl: File too large"), std::string::npos) << full.message();
  EXPECT_EQ(text("out/manifest.jsonl"), whole);
  ASSERT_TRUE(manifest->add_failed({"c", "c"}, "damaged").ok());
  EXPECT_EQ(text("out/manifest.jsonl").find("\"c\""), whole.find("\"a\"") + whole.size());
}

TEST_F(BatchFiles, ManifestsAreRegularFilesWithOneWriter) {
  {
    const auto first = value_of(BatchManifest::open(path("out"), {}));
    EXPECT_FALSE(BatchManifest::open(path("out"), {}).ok());
    EXPECT_TRUE(BatchManifest::open(path("out"), {0, 2}).ok());
  }
  for (const char* target : {"/dev/null", "elsewhere"}) {
    fs::remove(path("out/manifest.jsonl"));
    fs::create_symlink(target, path("out/manifest.jsonl"));
    EXPECT_FALSE(BatchManifest::open(path("out"), {}).ok()) << target;
  }
}

}  // namespace
}  // namespace sightglass::test
