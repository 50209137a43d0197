// The files of a batch and its manifest, without a model.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/command_case.h"
#include "video/batch.h"

namespace sightglass::test {
namespace {

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
      auto manifest = BatchManifest::open(path("out"), {});
      EXPECT_TRUE(manifest.ok()) << manifest.status().message();
      if (!manifest.ok()) return {};
      EXPECT_TRUE(manifest->add_failed({name, name}, "damaged").ok());
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
  const auto files = video::list_batch(path("in"), path("out"), {}, &problems);
  ASSERT_TRUE(files.ok());
  std::vector<std::string> names;
  for (const BatchFile& file : *files) names.push_back(file.name);
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
    const auto first = BatchManifest::open(path("out"), {});
    ASSERT_TRUE(first.ok());
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
