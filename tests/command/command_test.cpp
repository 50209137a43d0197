// The `sightglass` command as users run it: exit status, messages, outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gst/tiny_model.h"
#include "harness/command_case.h"
#include "harness/compare.h"
#include "harness/golden.h"
#include "harness/picture_bomb.h"
#include "harness/special_files.h"
#include "harness/value_of.h"
#include "model/picture_input.h"
#include "zip_builder.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

HostTensor read_raw(const std::string& path, const HostTensor& like) {
  HostTensor tensor(like.type, like.shape);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(tensor.data.data()), static_cast<std::streamsize>(tensor.data.size()));
  EXPECT_EQ(static_cast<size_t>(file.gcount()), tensor.data.size()) << path;
  EXPECT_EQ(file.peek(), EOF) << path << " is too long";
  return tensor;
}

// As a word of a shell.
std::string figure() { return quoted(real_model("figure").string()); }

TEST_F(CommandTest, UsageErrors) {
  EXPECT_EQ(run_command("").status, 2);
  EXPECT_EQ(run_command("--help").status, 0);
  EXPECT_EQ(run_command("run").status, 2);
  EXPECT_EQ(run_command("run model.tflite --runs minus").status, 2);
  EXPECT_EQ(run_command("run model.tflite --limits few").status, 2);
  EXPECT_EQ(run_command("run model.tflite --range 0,1 --scale 2").status, 2);
  EXPECT_EQ(run_command("--version").status, 0);
}

TEST_F(CommandTest, ErrorsNameTheFile) {
  expect_output(run_command("run " + path("none.tflite")), 1, {"none.tflite"});

  const CommandResult damaged =
      expect_output(run_command("run " + write("damaged.tflite", "this is no model, whatever its name")), 1, {});
  EXPECT_NE(damaged.output.find("damaged.tflite"), std::string::npos) << damaged.output;
}

TEST_F(CommandTest, RejectsWrongInputs) {
  const std::string run = "run " + figure() + " --runs 0 --input ";
  const struct {
    std::string arguments, expected;
  } cases[] = {
      {path("none.png"), "none.png"},
      {write("short.raw", "1234"), "has 4 bytes; the tensor has 786432"},
      {"random:x", "needs an integer seed"},
      {"random:1 --input random:2", "2 inputs are given"},
      {"random:1 --output-prefix " + path("no/folder/p"), "no/folder/p.out0.raw"},
  };
  for (const auto& wrong : cases) {
    const CommandResult result = run_command(run + wrong.arguments);
    EXPECT_EQ(result.status, 1) << wrong.arguments;
    EXPECT_NE(result.output.find(wrong.expected), std::string::npos) << result.output;
  }
}

// If the command waited for them, `timeout` would end it with status 124.
TEST_F(CommandTest, SpecialFilesAreRejected) {
  const std::string command = "timeout 60 " + kSightglass + " ";
  for (const std::string extension : {"", ".raw"}) {
    for (const auto& [file, kind] : make_special_files(path("special"), extension)) {
      std::vector<std::string> lines = {"run figure --runs 0 --input " + file};
      if (extension.empty()) lines.insert(lines.end(), {"run " + file, "check " + file, "dump " + file});
      for (const std::string& line : lines) {
        const CommandResult result = run_program(command + line + " 2>&1");
        EXPECT_EQ(result.status, line.starts_with("check") ? 2 : 1) << line;
        EXPECT_NE(result.output.find(file), std::string::npos) << line << ": " << result.output;
        EXPECT_NE(result.output.find(kind), std::string::npos) << line << ": " << result.output;
      }
    }
  }
}

TEST_F(CommandTest, ImagesLargerThanATextureAreRejected) {
  const std::string picture = write("bomb.png", png_bomb(30000, 40000));
  expect_output(run_command("run figure --runs 0 --input " + picture), 1,
                {picture, std::string("30000x40000 pixels"), std::string("scale it down")});
}

TEST_F(CommandTest, AFullDiskIsAFailure) {
  const std::pair<std::string, int> lines[] = {
      {"check figure", 2},        {"check --json figure", 2}, {"dump figure", 1},
      {"operators", 1},           {"models list", 1},         {"models info figure", 1},
      {"models fetch figure", 1}, {"run figure --runs 0", 1}, {"--help", 1}};
  for (const auto& [line, status] : lines) {
    const CommandResult result = run_command(line, "2>&1 >/dev/full");
    EXPECT_EQ(result.status, status) << line;
    EXPECT_NE(result.output.find("sightglass: cannot write to standard output: "), std::string::npos)
        << line << ": " << result.output;
  }
}

TEST_F(CommandTest, ACacheThatOthersMayWriteToIsNotUsed) {
  const std::string cache = path("shared-cache");
  fs::create_directories(cache);
  fs::permissions(cache, fs::perms::all);
  expect_output(run_command("run figure --runs 0 --cache-dir " + cache), 0, {"warning     " + cache});
  const CommandResult run = run_command("run figure --runs 0 --json --cache-dir " + cache, "");
  const auto report = nlohmann::json::parse(run.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << run.output;
  EXPECT_NE(report.at("cache").at("note").get<std::string>().find("chmod go-w"), std::string::npos) << run.output;
  EXPECT_TRUE(fs::is_empty(cache));
}

TEST_F(CommandTest, FilesAreWrittenCompletelyOrNotAtAll) {
  fs::create_directories(path("out"));
  const std::string line = "run figure --runs 0 --output-prefix " + path("out/p") + " --trace " + path("out/t.json");
  ASSERT_EQ(run_command(line).status, 0);
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(path("out"))) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name.starts_with("p.out") || name == "t.json") << name;
    ++files;
  }
  EXPECT_GE(files, 2U);
  fs::create_hard_link(path("out/t.json"), path("earlier.json"));
  ASSERT_EQ(run_command(line).status, 0);
  EXPECT_EQ(fs::hard_link_count(path("earlier.json")), 1U) << "the existing file is replaced, not overwritten";
}

TEST_F(CommandTest, OutputsMatchTheReference) {
  std::vector<GoldenCase> cases = golden_cases_of("figure");
  ASSERT_FALSE(cases.empty());
  for (const GoldenCase& golden : golden_cases_of("segmentation/mediapipe_selfie_segmenter_256"))
    cases.push_back(golden);
  for (const GoldenCase& golden : cases) {
    const auto description = value_of(describe_case(golden));
    const std::string& source = description.inputs[0].source;
    const std::string input =
        source == "random" ? "random:1" : quoted((golden.directory / source).string()) + " --range 0,1";
    const std::string prefix = path(golden.name);
    const CommandResult result =
        succeeded(run_command("run " + quoted(golden.model_file.string()) + " --runs 2 --json --limits min" +
                                  " --output-prefix " + prefix + " --input " + input,
                              ""));
    const auto references = value_of(load_references(golden));
    const Reference& mask = references.front();
    const HostTensor output = read_raw(prefix + ".out0.raw", HostTensor(mask.numbers.type, mask.shape));
    const Comparison comparison = compare(mask.numbers, mask.part_of(output));
    std::printf("%s %s: %s\n", golden.model.c_str(), golden.name.c_str(), to_string(comparison).c_str());
    EXPECT_LE(comparison.relative_max, 1e-3);

    const auto report = nlohmann::json::parse(result.output, nullptr, false);
    ASSERT_TRUE(report.is_object()) << result.output;
    EXPECT_EQ(report.at("limits"), "min");
    EXPECT_EQ(report.at("inputs").at(0).at("shape"), (std::vector<int>{1, 256, 256, 3}));
    EXPECT_EQ(report.at("outputs").at(0).at("file"), prefix + ".out0.raw");
    EXPECT_GT(report.at("dispatches").get<int>(), 0);
    EXPECT_GE(report.at("memory").at("arena_bytes"), report.at("memory").at("lower_bound_bytes"));
    EXPECT_GT(report.at("run_ms").at("first").get<double>(), 0);
    EXPECT_LE(report.at("run_ms").at("min"), report.at("run_ms").at("median"));
    EXPECT_FALSE(report.at("gl").at("renderer").get<std::string>().empty());
  }
}

TEST_F(CommandTest, RawInputsAreUnchanged) {
  const GoldenCase golden = golden_cases_of("figure").front();
  ASSERT_EQ(golden.name, "random");
  const auto inputs = value_of(load_inputs(golden));
  const auto& data = inputs.front().data;
  const std::string raw = write("input.raw", std::string(reinterpret_cast<const char*>(data.data()), data.size()));
  const std::string run = "run " + quoted(golden.model_file.string()) + " --runs 0 --output-prefix ";
  ASSERT_EQ(run_command(run + path("a") + " --input " + raw).status, 0);
  expect_output(run_command(run + path("b") + " --input random:1"), 0, {"dispatches"});
  const HostTensor mask(DataType::kFloat32, Shape{1, 256, 256, 1});
  EXPECT_TRUE(compare(read_raw(path("a.out0.raw"), mask), read_raw(path("b.out0.raw"), mask)).identical);
}

TEST_F(CommandTest, DumpsNeedNoGpu) {
  expect_output(run_command("dump " + figure()), 0, {"CONV_2D", "# known as    Sightglass model", "person_mask"});
  const CommandResult dot = expect_output(run_command("dump --dot --stage rewritten " + figure()), 0, {"digraph"});
  EXPECT_EQ(run_command("dump --stage plan " + figure()).status, 0);
  EXPECT_EQ(run_command("dump --stage plan --dot " + figure()).status, 1);
}

TEST_F(CommandTest, DumpsShowTheLabelsOfAFile) {
  const std::string selfie = "segmentation/mediapipe_selfie_segmenter_256";
  if (real_model(selfie).empty()) GTEST_SKIP() << no_model(selfie);
  const CommandResult text = run_command("dump " + quoted(real_model(selfie).string()));
  expect_words(text.output, {"# known as    MediaPipe selfie segmenter", "labels: selfie"});
}

TEST_F(CommandTest, ChecksNeedNoGpu) {
  EXPECT_EQ(run_command("check").status, 2);
  EXPECT_EQ(run_command("check " + path("none.tflite")).status, 2);
  EXPECT_EQ(run_command("check " + write("damaged.tflite", "this is no model, whatever its name")).status, 2);
  EXPECT_EQ(run_command("check model.tflite --limits device").status, 2);
  expect_output(run_command("check " + figure() + " --limits typical --precision fp16"), 0,
                {"runs entirely on the GPU"});
  expect_output(run_command("check " + red_model(Head::kUnknownOp)), 1, {"CUSTOM 'SightglassTestOp' #"});
}

TEST_F(CommandTest, ChecksOfQuantizedModels) {
  const std::string name = "classify_detect/mobilenet_v1_0.25_224_quant";
  if (real_model(name).empty()) GTEST_SKIP() << no_model(name);
  const std::string check = "check --json " + quoted(real_model(name).string());
  EXPECT_EQ(run_command(check + " --quantized-models refused").status, 1);
  const CommandResult runs = succeeded(run_command(check, ""));
  const auto report = nlohmann::json::parse(runs.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << runs.output;
  EXPECT_EQ(report.at("inputs").at(0).at("type"), "uint8");
  EXPECT_EQ(report.at("inputs").at(0).at("quantization").at("zero_point").size(), 1u);
  EXPECT_NEAR(report.at("multiply_adds").get<double>(), 41e6, 2e6);  // as published for this network
}

TEST_F(CommandTest, OtherInputShapes) {
  for (const char* wrong : {"", "sub_2", "sub_2=", "=1x2", "a=1x", "a=x1", "a=1x0", "a=1x-1", "a=1,2",
                            "a=1x99999999999", "a=1x1x1x1x1x1x1x1x1"}) {
    EXPECT_EQ(run_command("check model.tflite --input-shape '" + std::string(wrong) + "'").status, 2) << wrong;
  }
  const std::string model = red_model();
  const CommandResult check = succeeded(run_command("check --json " + model + " --input-shape input=1x129x193x3", ""));
  const auto report = nlohmann::json::parse(check.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << check.output;
  EXPECT_EQ(report.at("inputs").at(0).at("shape"), (std::vector<int>{1, 129, 193, 3}));
  EXPECT_EQ(report.at("outputs").at(0).at("shape"), (std::vector<int>{1, 129, 193, 1}));

  const CommandResult run = succeeded(run_command("run --json --runs 0 " + model + " --input-shape 0=1x65x33x3", ""));
  EXPECT_EQ(nlohmann::json::parse(run.output, nullptr, false).at("outputs").at(0).at("shape"),
            (std::vector<int>{1, 65, 33, 1}));

  expect_output(run_command("check " + model + " --input-shape frame=1x65x65x3"), 2, {"inputs are 0 'input'"});
  // Operators in a file may fix sizes.
  expect_output(run_command("check " + figure() + " --input-shape 0=1x321x321x3"), 1, {"ADD #"});
}

TEST_F(CommandTest, ListsOperators) {
  const CommandResult page = expect_output(run_command("operators --markdown"), 0, {"| CONV_2D |"});
  EXPECT_EQ(run_command("operators").output, page.output);
  EXPECT_EQ(run_command("operators --json --markdown").status, 2);
  const auto table = nlohmann::json::parse(run_command("operators --json", "").output, nullptr, false);
  ASSERT_TRUE(table.is_object());
  EXPECT_GT(table.at("operators").size(), 100u);
  for (const auto& entry : table.at("operators")) {
    EXPECT_TRUE(entry.at("while_loading").get<bool>() != !entry.at("kernels").empty()) << entry.at("name");
  }
}

TEST_F(CommandTest, ChecksAreJsonForScripts) {
  const CommandResult runs = succeeded(run_command("check --json " + figure(), ""));
  const auto report = nlohmann::json::parse(runs.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << runs.output;
  EXPECT_EQ(report.at("runs"), true);
  EXPECT_EQ(report.at("inputs").at(0).at("type"), "float32");
  EXPECT_EQ(report.at("inputs").at(0).at("shape"), (std::vector<int>{1, 256, 256, 3}));
  EXPECT_TRUE(report.at("obstacles").empty());
  EXPECT_NEAR(report.at("multiply_adds").get<double>(), 124e6, 1e6);  // according to the model card
  const auto& plan = report.at("plan");
  EXPECT_GT(plan.at("dispatches").get<int>(), 0);
  EXPECT_GT(plan.at("memory").at("weight_bytes").get<int>(), 0);
  EXPECT_GE(plan.at("memory").at("arena_bytes"), plan.at("memory").at("lower_bound_bytes"));

  const CommandResult refused = expect_output(run_command("check --json " + red_model(Head::kUnknownOp), ""), 1, {});
  const auto refusal = nlohmann::json::parse(refused.output, nullptr, false);
  ASSERT_TRUE(refusal.is_object()) << refused.output;
  EXPECT_EQ(refusal.at("runs"), false);
  EXPECT_EQ(refusal.at("operators").at(0).at("obstructed"), 1);
  EXPECT_NE(refusal.at("obstacles").at(0).at("where").get<std::string>().find("CUSTOM 'SightglassTestOp' #"),
            std::string::npos);
}

TEST_F(CommandTest, ChecksManyModelsAtOnce) {
  const std::string runs = figure(), refused = red_model(Head::kUnknownOp);
  EXPECT_EQ(run_command("check " + runs + " " + runs).status, 0);
  const CommandResult both =
      expect_output(run_command("check --json --fallback cpu " + runs + " " + refused, ""), 1, {});
  const auto reports = nlohmann::json::parse(both.output, nullptr, false);
  ASSERT_TRUE(reports.is_array() && reports.size() == 2) << both.output;
  EXPECT_TRUE(reports.at(0).at("fallback").at("operators").empty());
  EXPECT_EQ(reports.at(1).at("obstacles").at(0).at("nearest"),
            "express it with built-in operators, or end the model before it");
  const CommandResult unreadable =
      expect_output(run_command("check " + path("none.tflite") + " " + runs), 2, {"none.tflite"});
  EXPECT_NE(unreadable.output.find("runs entirely on the GPU"), std::string::npos) << "the other file is still checked";
}

// A bundle is several models: check takes all of them, the others one.
TEST_F(CommandTest, BundlesHaveMembers) {
  std::ifstream file(real_model("figure"), std::ios::binary);
  const std::string contents{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::byte> archive =
      zip({{.name = "a.tflite", .contents = contents, .deflates = true}, {.name = "b.tflite", .contents = contents}});
  const std::string bundle = write("two.task", {reinterpret_cast<const char*>(archive.data()), archive.size()});
  const CommandResult check = succeeded(run_command("check --json " + bundle));
  const auto reports = nlohmann::json::parse(check.output);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].at("model"), bundle + ":a.tflite");
  EXPECT_EQ(reports[1].at("known_as").at("name"), "Sightglass model, trained on rendered figures");
  const CommandResult one = succeeded(run_command("check --json " + bundle + ":b.tflite"));
  EXPECT_EQ(nlohmann::json::parse(one.output).at("model"), bundle + ":b.tflite");
  EXPECT_EQ(run_command("check " + bundle + ":c.tflite").status, 2);

  for (const std::string command : {"run --runs 0 ", "dump ", "bench --no-starts --runs 1 "}) {
    expect_output(run_command(command + bundle), 1,
                  {"it has a.tflite, b.tflite; select one, such as " + bundle + ":a.tflite"});
  }
  const CommandResult run = succeeded(run_command("run --json --runs 0 " + bundle + ":a.tflite"));
  EXPECT_EQ(run_command("dump " + bundle + ":a.tflite").status, 0);
  expect_output(run_command("run --runs 0 " + bundle + ":c.tflite"), 1,
                {"no member 'c.tflite'; it has a.tflite, b.tflite"});
}

TEST_F(CommandTest, ProgramsAreCachedBetweenStarts) {
  const std::string run = "run " + figure() + " --runs 0 --json ";
  const auto cached = [&](const std::string& options) {
    const CommandResult result = succeeded(run_command(run + options));
    return nlohmann::json::parse(result.output).at("cached_programs").get<int>();
  };
  EXPECT_EQ(cached(""), 0);
  const bool formats = fs::exists(path("cache/sightglass/programs"));  // whether the driver has program binaries
  EXPECT_EQ(cached("") > 0, formats);
  EXPECT_EQ(cached("--no-cache"), 0);
  EXPECT_EQ(cached("--cache-dir " + path("other")), 0);
  EXPECT_EQ(fs::exists(path("other/programs")), formats);
  EXPECT_EQ(cached("--cache-dir /proc/none"), 0) << "an impossible directory";
  EXPECT_EQ(run_command("run none.tflite --no-cache --cache-dir x").status, 2);
}

TEST_F(CommandTest, TheEngineOnlyExampleMakesTheSameMask) {
  const std::vector<GoldenCase> cases = golden_cases_of("figure");
  const auto golden = std::find_if(cases.begin(), cases.end(), [](const auto& one) { return one.name == "seed100"; });
  ASSERT_NE(golden, cases.end());
  succeeded(run_program(quoted(SIGHTGLASS_ENGINE_ONLY) + " " + quoted(golden->model_file.string()) + " " +
                        quoted((golden->directory / "seed100.png").string()) + " " + path("mask.png") + " 2>&1"));
  const auto references = value_of(load_references(*golden));
  const Reference& reference = references.front();
  const auto mask = value_of(load_picture(path("mask.png"), 4096));
  const auto got = value_of(picture_to_tensor(mask, DataType::kFloat32, reference.shape));
  const double iou = mask_iou(reference.numbers, reference.part_of(got));
  std::printf("IoU %.5f\n", iou);
  EXPECT_GE(iou, 0.999);
}

}  // namespace
}  // namespace sightglass::test
