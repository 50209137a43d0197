// `sightglass bench`, and the profiles of `run` and `bench`, for scripts and users.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "harness/command_case.h"
#include "harness/golden.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

class MeasureTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    model_ = real_model("figure").string();
  }

  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string model_;
};

TEST_F(CommandTest, WrongUseOfBenchAndProfile) {
  EXPECT_EQ(run_command("bench --runs 0").status, 2);
  EXPECT_EQ(run_command("bench --precision fp8").status, 2);
  EXPECT_EQ(run_command("bench a.tflite b.tflite --trace x.json").status, 2);
  EXPECT_EQ(run_command("bench --trace x.json").status, 2) << "the model is missing";
  EXPECT_EQ(run_command("run model.tflite --trace").status, 2);
  expect_output(run_command("bench --no-starts " + path("none.tflite")), 1, {"none.tflite"});
}

TEST_F(CommandTest, TheDeviceCanBeMeasuredWithoutModels) {
  const auto report = nlohmann::json::parse(run_command("bench --json", "").output, nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_GT(report.at("device").at("multiply_add_gflops").get<double>(), 0.1);
  EXPECT_GT(report.at("device").at("copy_gb_per_s").get<double>(), 0.01);
  EXPECT_TRUE(report.at("models").empty());
  EXPECT_FALSE(report.at("gl").at("renderer").get<std::string>().empty());
}

TEST_F(MeasureTest, ProfilesListStepTimes) {
  const CommandResult result =
      succeeded(run_command("run " + test::quoted(model_) + " --runs 5 --json --trace " + path("trace.json"), ""));
  const auto report = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << result.output;
  const auto& profile = report.at("profile");
  const auto& steps = profile.at("steps");
  EXPECT_EQ(steps.size(), report.at("dispatches").get<size_t>());
  double sum = 0, share = 0;
  int64_t multiply_adds = 0;
  for (const auto& step : steps) {
    sum += step.at("ms").get<double>();
    share += step.at("share").get<double>();
    multiply_adds += step.at("multiply_adds").get<int64_t>();
    EXPECT_FALSE(step.at("node").get<std::string>().empty());
    EXPECT_FALSE(step.at("kernel").get<std::string>().empty());
    EXPECT_GT(step.at("read_bytes").get<int64_t>() + step.at("written_bytes").get<int64_t>(), 0);
    EXPECT_GT(step.at("roofline_share").get<double>(), 0);
    for (const char* key : {"level", "groups", "weight_bytes", "gflops", "bound_by"}) EXPECT_TRUE(step.contains(key));
  }
  EXPECT_NEAR(sum, profile.at("total_ms").get<double>(), 1e-6 * sum);
  EXPECT_NEAR(share, 1, 1e-6);
  EXPECT_EQ(multiply_adds, report.at("multiply_adds").get<int64_t>());
  EXPECT_NEAR(static_cast<double>(multiply_adds), 124e6, 1e6);  // according to the model card
  int of_kernels = 0;
  for (const auto& kernel : profile.at("kernels")) of_kernels += kernel.at("steps").get<int>();
  EXPECT_EQ(of_kernels, static_cast<int>(steps.size()));
  // Separate steps take longer than a run, and the machine may be busy. This check finds wrong units and lost steps.
  EXPECT_GT(sum, report.at("run_ms").at("min").get<double>() / 4);
  EXPECT_LT(sum, report.at("run_ms").at("median").get<double>() * 8);

  const auto trace = nlohmann::json::parse(read("trace.json"), nullptr, false);
  ASSERT_TRUE(trace.is_object());
  double at = 0;
  size_t events = 0;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    EXPECT_GE(event.at("ts").get<double>(), at - 1e-3) << "steps follow one another";
    at = event.at("ts").get<double>() + event.at("dur").get<double>();
    EXPECT_EQ(event.at("name"), steps.at(events).at("node"));
    ++events;
  }
  EXPECT_EQ(events, steps.size());
  EXPECT_NEAR(at, sum * 1e3, 1);
}

TEST_F(MeasureTest, ProfilesPrintTables) {
  expect_output(run_command("run " + test::quoted(model_) + " --runs 1 --profile"), 0,
                {"roofline", "DEPTHWISE_CONV_2D #"});
  expect_output(run_command("run " + test::quoted(model_) + " --runs 0 --trace " + path("no/such/folder.json")), 1,
                {"no/such/folder.json"});
}

TEST_F(MeasureTest, BenchMeasuresModelsAndTheirStarts) {
  const CommandResult result = run_command(
      "bench " + test::quoted(model_) + " " + path("none.tflite") + " --runs 4 --precision fp16 --json", "2>/dev/null");
  EXPECT_EQ(result.status, 1) << "one of the models does not exist";
  const auto report = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << result.output;
  ASSERT_EQ(report.at("failures").size(), 1u);
  EXPECT_NE(report.at("failures").at(0).get<std::string>().find("none.tflite"), std::string::npos);
  ASSERT_EQ(report.at("models").size(), 1u) << "the other model is measured";
  const auto& model = report.at("models").at(0);
  EXPECT_EQ(model.at("precision"), "fp16");
  EXPECT_LE(model.at("run_ms").at("min"), model.at("run_ms").at("median"));
  EXPECT_LE(model.at("run_ms").at("median"), model.at("run_ms").at("p95"));
  EXPECT_GT(model.at("gflops").get<double>(), 0);
  EXPECT_GT(model.at("peak_share").get<double>(), 0);
  EXPECT_LT(model.at("peak_share").get<double>(), 1);
  EXPECT_GE(model.at("arena_ratio").get<double>(), 1);
  EXPECT_GT(model.at("dispatches").get<int>(), 0);
  EXPECT_GT(model.at("barriers").get<int>(), 0);
  EXPECT_GT(model.at("gl_calls").get<int>(), model.at("dispatches").get<int>());
  EXPECT_GT(model.at("gl_calls_per_dispatch").get<double>(), 1);
  EXPECT_LE(model.at("gl_calls_per_dispatch").get<double>(), 5);
  EXPECT_EQ(model.at("file_bytes").get<uintmax_t>(), fs::file_size(model_));
  EXPECT_GT(model.at("weights_of_file").get<double>(), 0);
  const auto& cold = model.at("start_ms").at("cold");
  const auto& warm = model.at("start_ms").at("warm");
  for (const auto& start : {cold, warm}) {
    double sum = 0;
    for (const char* part : {"context", "import", "tuning", "plan", "session", "first_run"})
      sum += start.at(part).get<double>();
    EXPECT_NEAR(sum, start.at("total").get<double>(), 1e-6);
  }
  EXPECT_EQ(cold.at("cached_programs"), 0) << "the caches of a cold start are empty";
  EXPECT_GT(warm.at("total").get<double>(), 0);
  EXPECT_FALSE(model.contains("profile"));
}

}  // namespace
}  // namespace sightglass::test
