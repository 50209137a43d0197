// `sightglass models`, and names in place of files, as users run them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "harness/command_case.h"
#include "harness/golden.h"
#include "http_server.h"
#include "known_models.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kMobileNet = "classify_detect/mobilenet_v1_0.25_224_float";
constexpr const char* kHair = "segmentation/mediapipe_hair_segmentation";

class ModelsCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    ::setenv("no_proxy", "*", 1);
    ::unsetenv("SIGHTGLASS_MODEL_MIRROR");
  }
  static void use(const HttpServer& server) { ::setenv("SIGHTGLASS_MODEL_MIRROR", server.address().c_str(), 1); }
  std::string stored(const std::string& file) const { return path("data/sightglass/models/" + file); }
  static std::string bytes_of(const std::string& name) {
    std::ifstream file(real_model(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

void expect_failed(const CommandResult& result, std::initializer_list<std::string> words, int status = 1) {
  EXPECT_EQ(result.status, status) << result.output;
  for (const std::string& word : words) {
    EXPECT_NE(result.output.find(word), std::string::npos) << "no '" << word << "' in: " << result.output;
  }
}

TEST_F(ModelsCommand, Usage) {
  EXPECT_EQ(run_command("models").status, 2);
  EXPECT_EQ(run_command("models --help").status, 0);
  EXPECT_EQ(run_command("models fetch").status, 2);
  EXPECT_EQ(run_command("models fetch --all deeplabv3").status, 2);
  EXPECT_EQ(run_command("models info").status, 2);
  EXPECT_EQ(run_command("models fetch deeplabv3 --stall-timeout 0").status, 2);
}

TEST_F(ModelsCommand, ListsAllNames) {
  const CommandResult text = succeeded(run_command("models list"));
  const CommandResult list = succeeded(run_command("models list --json"));
  const json models = json::parse(list.output);
  EXPECT_GE(models.size(), 20u);
  for (const json& model : models) {
    const std::string name = model.at("name");
    EXPECT_NE(text.output.find(name), std::string::npos);
    EXPECT_EQ(model.at("stored"), name.starts_with("figure") ? "verified" : "absent") << name;
    EXPECT_EQ(model.at("sha256").get<std::string>().size(), 64u);
    const CommandResult info = succeeded(run_command("models info --json " + name));
    EXPECT_EQ(json::parse(info.output), model);
  }
}

TEST_F(ModelsCommand, DescribesAModel) {
  const CommandResult info = succeeded(run_command("models info hair-segmenter"));
  for (const std::string word :
       {"https://storage.googleapis.com/mediapipe-assets/hair_segmentation.tflite?generation=1661875756623461",
        "d2c940c4fd80edeaf38f5d7387d1b4235ee320ed120080df67c663e749e77633", "780588", "Apache-2.0",
        "hair_segmentation.tflite", "segmentation", "no;"}) {
    EXPECT_NE(info.output.find(word), std::string::npos) << word << " in " << info.output;
  }
}

TEST_F(ModelsCommand, TheBundledModelIsNeverFetched) {
  expect_output(run_command("models info figure"), 0, {"bundled with sightglass"});
  expect_output(run_command("models fetch figure"), 0, {"share/sightglass/models/figure.tflite"});
  succeeded(run_command("run figure --runs 1"));
}

TEST_F(ModelsCommand, UnknownNames) {
  expect_failed(run_command("models info blaze-face"), {"'blaze-face'", "blazeface-full", "sightglass models list"});
  expect_failed(run_command("models fetch deeplab"), {"'deeplab'", "deeplabv3"});
  for (const std::string command : {"run", "dump", "bench --no-starts"}) {
    expect_failed(run_command(command + " deeplab"), {"'deeplab' is neither a file", "deeplabv3"});
  }
  expect_failed(run_command("check deeplab"), {"'deeplab' is neither a file", "deeplabv3"}, 2);
}

TEST_F(ModelsCommand, AWrongFileIsNeitherStoredNorRun) {
  const HttpServer server({{.body = "somebody else's file"}});
  use(server);
  expect_failed(run_command("models fetch deeplabv3"),
                {server.address() + "/deeplabv3.tflite",
                 "expected 9711334db2b01d5894feb8ed0f5cb3e97d125b8d229f8d8692f625801818f5ef"});
  EXPECT_TRUE(fs::is_empty(stored("")));
  expect_failed(run_command("dump deeplabv3"), {"`sightglass models fetch deeplabv3`"});

  // A wrong file that was stored in another way is not run either.
  write("data/sightglass/models/deeplabv3.tflite", "somebody else's file");
  for (const std::string command : {"run", "dump"}) {
    expect_failed(run_command(command + " deeplabv3"), {"SHA-256", "`sightglass models fetch deeplabv3`"});
  }
  EXPECT_NE(run_command("models info deeplabv3").output.find("replaces it"), std::string::npos);
}

TEST_F(ModelsCommand, ANameReplacesAPath) {
  if (real_model(kMobileNet).empty()) GTEST_SKIP() << no_model(kMobileNet);
  const HttpServer server({{.body = bytes_of(kMobileNet)}});
  use(server);
  const std::string name = "mobilenet-v1-0.25", file = stored("mobilenet_v1_0.25_224_1_default_1.tflite");
  // A failure does not prevent the other downloads.
  const CommandResult fetched = run_command("models fetch nothing " + name);
  expect_failed(fetched, {"'nothing'", name + ": stored", file});
  EXPECT_NE(run_command("models fetch " + name).output.find("already stored"), std::string::npos);
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(json::parse(run_command("models info --json " + name).output).at("stored"), "verified");

  const CommandResult check = succeeded(run_command("check --json " + name));
  EXPECT_EQ(json::parse(check.output).at("model"), file);
  EXPECT_EQ(json::parse(check.output).at("known_as").at("name"), "MobileNet v1 0.25");
  EXPECT_EQ(run_command("dump " + name).output, run_command("dump " + file).output);
  const CommandResult run = succeeded(run_command("run --runs 0 --json " + name, ""));
  succeeded(run_command("bench --runs 1 --json " + name, ""));

  std::ofstream(file, std::ios::binary | std::ios::app) << '!';
  expect_failed(run_command("run --runs 0 " + name), {"SHA-256", "`sightglass models fetch " + name + "`"});
  EXPECT_EQ(json::parse(run_command("models info --json " + name).output).at("stored"), "changed");
  EXPECT_EQ(run_command("models fetch " + name).status, 0);
  EXPECT_EQ(run_command("dump " + name).status, 0);
}

// The command that `./dev test-models` runs.
TEST_F(ModelsCommand, FetchesAll) {
  std::vector<std::string> names;
  std::vector<Answer> answers;
  bool all_here = true;
  for (const KnownModel& model : known_models()) {
    if (model.published.name == nullptr || is_shipped(model)) continue;
    names.emplace_back(model.published.name);
    answers.push_back({.body = names.back() == "mobilenet-v1-0.25" ? bytes_of(kMobileNet)
                               : names.back() == "hair-segmenter"  ? bytes_of(kHair)
                                                                   : "somebody else's file"});
    // A file that is shorter than published is requested again.
    const bool is_short = answers.back().body.size() < 100 && model.published.bytes > 0;
    if (is_short || (names.size() % 3 == 0 && answers.back().body.size() < 100)) {
      answers.back() = {.body = "", .status = 404};
    }
    all_here = all_here && answers.back().body.size() > 100;
  }
  ASSERT_FALSE(all_here);
  const HttpServer server(answers);
  use(server);
  // A wrong or missing model does not prevent the others, and is reported.
  const CommandResult fetched = expect_output(run_command("models fetch --all"), 1, {});
  EXPECT_EQ(server.requests().size(), names.size());
  for (const std::string& name : names) EXPECT_NE(fetched.output.find(name), std::string::npos) << name;
  EXPECT_NE(fetched.output.find("figure: bundled with sightglass"), std::string::npos);
  if (real_model(kMobileNet).empty() || real_model(kHair).empty()) return;

  // Tests find stored models by checksum.
  const KnownModel* hair = find_known_model("hair-segmenter");
  EXPECT_EQ(downloaded_model(stored(""), hair->sha256), fs::path(stored(hair->published.file)));
  EXPECT_EQ(downloaded_model(stored(""), find_known_model("deeplabv3")->sha256), fs::path());
  // Stored models are not requested again. Changed ones are.
  const HttpServer again({{.body = "", .status = 404}});
  use(again);
  EXPECT_EQ(run_command("models fetch --all").status, 1);
  EXPECT_EQ(again.requests().size(), names.size() - 2);
  std::ofstream(stored(hair->published.file), std::ios::binary | std::ios::app) << '!';
  EXPECT_EQ(downloaded_model(stored(""), hair->sha256), fs::path());
  run_command("models fetch --all");
  EXPECT_EQ(again.requests().size(), 2 * names.size() - 3);
}

TEST_F(ModelsCommand, ManyAtOnceAndOneKilled) {
  if (real_model(kHair).empty()) GTEST_SKIP() << no_model(kHair);
  const std::string body = bytes_of(kHair);
  const std::string file = stored("hair_segmentation.tflite");
  const HttpServer server({{.body = body, .piece = 20'000, .pause_ms = 30}});
  use(server);
  // Killed during the download, without cleanup.
  run_command("models fetch hair-segmenter & pid=$!; while kill -0 $pid && [ ! -s " + file +
              ".part ]; do sleep 0.02; done; kill -9 $pid; wait");
  ASSERT_FALSE(fs::exists(file));
  ASSERT_TRUE(fs::exists(file + ".part"));

  std::vector<CommandResult> results(4);
  std::vector<std::thread> callers;
  callers.reserve(results.size());
  for (CommandResult& result : results) {
    callers.emplace_back([&result] { result = run_command("models fetch hair-segmenter"); });
  }
  for (std::thread& caller : callers) caller.join();
  int downloads = 0;
  for (const CommandResult& result : results) {
    EXPECT_EQ(result.status, 0) << result.output;
    if (result.output.find(": stored") != std::string::npos) ++downloads;
  }
  EXPECT_EQ(downloads, 1);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_GT(server.requests()[1].from, 0) << "the existing part is used";
  EXPECT_FALSE(fs::exists(file + ".part"));
  EXPECT_EQ(json::parse(run_command("models info --json hair-segmenter").output).at("stored"), "verified");
}

TEST_F(ModelsCommand, AStalledServerAndAnUnwritablePath) {
  Answer stalled{.body = std::string(100'000, 'x'), .stall_after = 10};
  const HttpServer server({stalled});
  use(server);
  expect_failed(run_command("models fetch deeplabv3 --stall-timeout 1"), {"--stall-timeout", "10 bytes are kept"});

  ::setenv("XDG_DATA_HOME", write("a-file", "").c_str(), 1);
  expect_failed(run_command("models fetch deeplabv3"), {path("a-file"), "XDG_DATA_HOME"});
}

}  // namespace
}  // namespace sightglass::test
