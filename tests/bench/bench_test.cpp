// The tools of ./dev bench: their output, the report, and their errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "harness/command_case.h"

namespace sightglass::test {
namespace {

using nlohmann::json;

// One model as in the output of `sightglass bench --json`.
json model(const std::string& name, double ms) {
  return {{"model", "folder/" + name + ".tflite"},
          {"run_ms", {{"median", ms}, {"p95", ms * 1.1}, {"min", ms}}},
          {"run_with_transfers_ms", {{"median", ms * 1.25}, {"min", ms}}},
          {"gflops", 5.0},
          {"peak_share", 0.25},
          {"dispatches", 60},
          {"gl_calls_per_dispatch", 4.5},
          {"barriers", 57},
          {"memory", {{"arena_bytes", 1048576}, {"weight_bytes", 524288}}},
          {"arena_ratio", 1.0},
          {"weights_of_file", 0.5},
          {"start_ms",
           {{"cold",
             {{"context", 20},
              {"import", 1},
              {"tuning", 0},
              {"plan", 2},
              {"session", 900},
              {"first_run", 77},
              {"total", 1000}}},
            {"warm",
             {{"context", 20},
              {"import", 1},
              {"tuning", 0},
              {"plan", 2},
              {"session", 9},
              {"first_run", 18},
              {"total", 50}}}}}};
}

json models(double ms) {
  return {{"gl", {{"renderer", "a renderer"}, {"version", "OpenGL ES 3.2"}}},
          {"device", {{"multiply_add_gflops", 80.0}, {"copy_gb_per_s", 7.0}}},
          {"timing", "fences"},
          {"models", json::array({model("deeplabv3_257_mv_gpu", ms), model("unknown_to_peers", ms)})},
          {"failures", json::array()}};
}

class BenchReportTest : public CommandTest {
 protected:
  CommandResult report(const std::string& arguments) const {
    return run_program(quoted(SIGHTGLASS_BENCH_REPORT) + " --version-name v1 --results " + path("results.json") +
                       " --report " + path("report.md") + " " + arguments + " 2>&1");
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_F(BenchReportTest, JoinsComparesAndKeepsResults) {
  const std::string first = write("models.json", models(80).dump());
  succeeded(report("--models " + first + " --peers " + quoted(SIGHTGLASS_PEERS)));
  const std::string text = read("report.md");
  expect_words(text, {"# Benchmarks: a renderer",
                      "| deeplabv3_257_mv_gpu | 80.00 | 88.00 | 100.00 | 5.0 | 25.0 % | 60 | 4.5 | 57 |"});
  // 525 ms of another engine against 80 ms plus a quarter for transfers.
  expect_words(text, {"| deeplabv3_257_mv_gpu | 525.0 | 100.00 | 5.25 |", "| geometric mean of 1 | | | 5.25 |",
                      "| deeplabv3_257_mv_gpu | 1000 | 50 | 5.0 % |"});
  EXPECT_EQ(text.find("Against earlier results"), std::string::npos) << "there are no earlier results";
  EXPECT_EQ(json::parse(read("results.json")).at("version"), "v1");

  // All rows of a table have the same number of cells.
  std::stringstream lines(text);
  std::ptrdiff_t cells = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool row = line.starts_with("|");
    const std::ptrdiff_t these = row ? std::ranges::count(line, '|') : 0;
    EXPECT_TRUE(!row || cells == 0 || these == cells) << line;
    cells = these;
  }

  const std::string before = write("before.json", read("results.json"));
  const std::string second = write("models2.json", models(40).dump());
  ASSERT_EQ(report("--models " + second + " --against " + before).status, 0);
  const std::string compared = read("report.md");
  expect_words(compared, {"## Against earlier results", "| deeplabv3_257_mv_gpu, run | 80.000 | 40.000 | 2.00 |"});
  EXPECT_EQ(compared.find("| deeplabv3_257_mv_gpu, cold start |"), std::string::npos) << "that did not change";
  EXPECT_EQ(compared.find("Other engines"), std::string::npos) << "no peers were given";
}

// Tests, tuning, and rooflines, as the bundle of packaging/bundle adds them.
TEST_F(BenchReportTest, AddsTestsTuningAndRooflines) {
  json slow = models(80), tuned = models(40);
  json& first = slow.at("models").at(0);
  first["profile"] = {
      {"total_ms", 80.0},
      {"steps", json::array({{{"ms", 60.0}}, {{"ms", 20.0}}})},
      {"kernels", json::array({{{"kernel", "conv2d.comp"}, {"ms", 60.0}, {"share", 0.75}, {"roofline_share", 0.5}},
                               {{"kernel", "pool.comp"}, {"ms", 20.0}, {"share", 0.25}, {"roofline_share", 0.1}}})}};
  for (json& model : tuned.at("models")) model["tuning"] = {{"note", "3 of 4 changed"}};
  const json failure = {{"failure", "first line\nsecond | line"}, {"type", ""}};
  const json tests = {
      {"time", "1.5s"},
      {"testsuites",
       json::array({{{"name", "Suite"},
                     {"testsuite", json::array({{{"name", "Passes"}, {"status", "RUN"}, {"result", "COMPLETED"}},
                                                {{"name", "Skips"}, {"status", "RUN"}, {"result", "SKIPPED"}},
                                                {{"name", "Hidden"}, {"status", "NOTRUN"}, {"result", "SUPPRESSED"}},
                                                {{"name", "Fails"},
                                                 {"status", "RUN"},
                                                 {"result", "COMPLETED"},
                                                 {"failures", json::array({failure})}}})}}})}};
  succeeded(report("--models " + write("models.json", slow.dump()) + " --tuned " + write("tuned.json", tuned.dump()) +
                   " --tests " + write("some_test.json", tests.dump()) + " --tests " + path("crashed_test.json") +
                   " --chart " + path("chart.svg") + " --peers " + quoted(SIGHTGLASS_PEERS)));
  const std::string text = read("report.md");
  for (const char* row :
       {"| some_test | 1 | 1 | 1 | 1.5 |", "| crashed_test | – | did not finish | – | – |",
        "- `crashed_test` ended early", "- `some_test`, `Suite.Fails`: first line second   line",
        "| deeplabv3_257_mv_gpu | 2 | 80.00 | 32.00 | 40 % | `conv2d.comp` | 75 % |",
        "| unknown_to_peers | 80.00 | 40.00 | 2.00 | 3 of 4 changed |", "| geometric mean of 2 | | | 2.00 | |"}) {
    EXPECT_NE(text.find(row), std::string::npos) << row << "\n" << text;
  }
  const json results = json::parse(read("results.json"));
  EXPECT_EQ(results.at("checks").at(0).at("failures").at(0).at("test"), "Suite.Fails");
  EXPECT_FALSE(results.at("checks").at(1).at("finished").get<bool>());
  EXPECT_EQ(results.at("tuned").at("models").size(), 2u);
  const std::string chart = read("chart.svg");
  expect_words(chart, {">deeplabv3_257_mv_gpu</text>", ">80.00</text>", ">40.00</text>", ">32.00</text>",
                       ">525.00</text>", "another machine", "</svg>"});
}

// Only tests ran: the report names the device, and has no empty tables.
TEST_F(BenchReportTest, NeedsNoModels) {
  json device = models(80);
  device.at("models") = json::array();
  succeeded(report("--models " + write("device.json", device.dump()) + " --chart " + path("chart.svg") + " --peers " +
                   quoted(SIGHTGLASS_PEERS)));
  const std::string text = read("report.md");
  EXPECT_NE(text.find("80.0 GFLOP/s"), std::string::npos) << text;
  EXPECT_EQ(text.find("\n## "), std::string::npos) << text;
}

// A run of the bundle that was killed: the last line is incomplete, and programs left only logs.
TEST_F(BenchReportTest, ReadsWhatAKilledRunHasRecorded) {
  const json device = {{"gl", {{"renderer", "a renderer"}, {"version", "OpenGL ES 3.2"}}},
                       {"machine",
                        {{"date", "today"},
                         {"processor", "p"},
                         {"cores", 3},
                         {"memory", "m"},
                         {"system", "s"},
                         {"kernel", "k"},
                         {"load_average", {0.5, 0.4, 0.3}}}}};
  const json frames = {
      {"name", "glsegment blur"},
      {"width", 1280},
      {"height", 720},
      {"streams", 1},
      {"renderer", "a renderer"},
      {"frames_per_second", 240.0},
      {"slowest_stream_frames_per_second", 240.0},
      {"elements", json::array({{{"element", "glsegment"}, {"gpu_time_p50_ms", 1.5}, {"failures", 2}}})},
      {"latency_ms", {{"p50", 4.0}, {"p95", 5.0}}},
      {"resident_mib", 100.0},
      {"copies", {{"count", 3}, {"bytes", 4096}}}};
  json more_streams = frames;
  more_streams.at("streams") = 4;
  const auto line = [](const char* part, const char* step, int status, const json& result) {
    json fields{{"part", part}, {"step", step}, {"status", status}, {"seconds", 1}};
    if (!result.is_null()) fields["result"] = result;
    return fields.dump() + "\n";
  };
  json other_model = models(40);
  other_model.at("models").erase(1);
  other_model.at("models").at(0).at("model") = "other.tflite";
  other_model.at("device").at("copy_gb_per_s") = 9.0;
  const std::string steps =
      line("device", "device", 0, device) + line("test", "ops_test.0", 124, {}) + line("test", "ops_test.1", 0, {}) +
      line("test", "gl_test", 139, {}) + line("speed", "deeplab", 0, models(80)) +
      line("speed", "other", 0, other_model) + line("frames", "blur", 0, more_streams) +
      line("frames", "blur", 0, frames) + line("tuning", "slow", 137, {}) + line("tuning", "slower", 124, {}) +
      line("operators", "operators", 124, {}) +
      line("compare", "PyTorch", 0, {{"model", "m"}, {"engine", "PyTorch"}, {"ms", 8.0}, {"ours_ms", 4.0}}) +
      line("compare", "LiteRT", 0, {{"model", ""}, {"engine", "LiteRT"}, {"missing", "no node"}}) + "{\"part\": \"sp";
  std::filesystem::create_directories(path("logs/tests"));
  write("logs/tests/ops_test.0.log",
        "[ RUN      ] Conv.Fails\nx.cpp:1: Failure\nwrong sum\n[  FAILED  ] Conv.Fails (3 ms)\n"
        "[ RUN      ] Conv.Hangs\n");
  write("logs/tests/ops_test.1.log", "");
  const json pool = {{"name", "Works"}, {"status", "RUN"}, {"result", "COMPLETED"}};
  const json suite = {{"name", "Pool"}, {"testsuite", json::array({pool})}};
  write("logs/tests/ops_test.1.json", json{{"time", "0.5s"}, {"testsuites", json::array({suite})}}.dump());
  write("logs/tests/gl_test.log", "[ RUN      ] Gl.Crashes\n");
  write("logs/tests/plan_test.log",
        "[ RUN      ] Plan.One\n[  SKIPPED ] Plan.One (0 ms)\n[ RUN      ] Plan.Two\nx.cpp:2: Failure\nbad\n");
  succeeded(
      report("--steps " + write("results.jsonl", steps) + " --logs " + path("logs") + " --chart " + path("chart.svg")));
  const std::string text = read("report.md");
  for (const char* part :
       {"| date | today |", "9.0 GB/s",
        "\n## What was wrong\n\n- `gl_test` ended early after 0 tests, in `Gl.Crashes`\n",
        "- `ops_test`: 1 of 2 tests failed: `Conv.Fails`\n- `ops_test` was stopped after 2 tests, in `Conv.Hangs`\n",
        "- `plan_test`: 1 of 1 tests failed: `Plan.Two`\n- `plan_test` was stopped after 1 tests, in `Plan.Two`\n",
        "- `plan_test`, `Plan.Two`: x.cpp:2: Failure bad",
        "- stopped at the end of its time: tuning of slow; slower\n- stopped at the end of its time: operators\n",
        "- glsegment blur, 1280 × 720, 1 streams: 3 copies between CPU and GPU, 4096 bytes\n",
        "- glsegment blur, 1280 × 720, 1 streams: 2 frames of glsegment failed\n", "| ops_test, stopped | 1 | 1 | 0 |",
        "- `ops_test`, `Conv.Fails`: x.cpp:1: Failure wrong sum", "| deeplabv3_257_mv_gpu | 80.00 |",
        "| other | 40.00 |", "| glsegment blur, 1280 × 720 | 1 | 240.0 | 240.0 | 1.50 | 0.00 | 4.00 | 5.00 | 100 | 3 |",
        "| m | PyTorch | – | 8.00 | 4.00 | 2.00 |  |", "- LiteRT: no node\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_LT(text.find("1280 × 720 | 1 |"), text.find("1280 × 720 | 4 |"));
  EXPECT_EQ(report("--steps " + write("empty.jsonl", "")).status, 1) << "no device";
}

CommandResult run_frames(const std::string& arguments) {
  ::setenv("GST_GL_PLATFORM", "egl", 0);
  ::setenv("GST_GL_WINDOW", "egl-device", 0);
  ::setenv("GST_GL_API", "gles2", 0);
  const std::string bench = quoted(SIGHTGLASS_FRAMES_BENCH) + " --width 64 --height 48 --seconds 0.1 --frames 20 ";
  return run_program(bench + arguments + " 2>/dev/null");
}

json measure(const std::string& arguments) { return json::parse(run_frames(arguments).output, nullptr, false); }

// The counts come from the log of the tracer.
TEST_F(CommandTest, FramesAreMeasuredAndCopiesCounted) {
  const json plain = measure("--name two --streams 2");
  ASSERT_TRUE(plain.is_object());
  EXPECT_FALSE(plain.contains("error")) << plain;
  EXPECT_EQ(plain.at("copies").at("count"), 0);
  EXPECT_GE(plain.at("frames"), 2);
  EXPECT_GT(plain.at("frames_per_second"), plain.at("slowest_stream_frames_per_second"));
  const json copied =
      measure("--name down --elements 'gldownload ! video/x-raw ! glupload ! video/x-raw(memory:GLMemory)'");
  ASSERT_TRUE(copied.is_object());
  EXPECT_GT(copied.at("copies").at("count"), 20) << copied;
  EXPECT_GT(copied.at("copies").at("bytes"), 20 * 64 * 48 * 4);
  EXPECT_GT(copied.at("latency_ms").at("p95"), 0);
  const json failed = measure("--name wrong --elements 'glsegment model=none.tflite'");
  ASSERT_TRUE(failed.is_object());
  EXPECT_NE(failed.at("error").get<std::string>().find("none.tflite"), std::string::npos) << failed;
}

// The frames before counting would take as long as the limit.
TEST_F(CommandTest, FramesOfSlowDevicesAreMeasuredInTime) {
  const json slow = measure("--name slow --limit 20 --elements 'identity sleep-time=2000000'");
  ASSERT_TRUE(slow.is_object());
  ASSERT_FALSE(slow.contains("error")) << slow;
  EXPECT_GE(slow.at("frames"), 1);
  EXPECT_GE(slow.at("latency_ms").at("frames"), 1);
  EXPECT_LT(slow.at("latency_ms").at("frames"), 10);
  const CommandResult slower = run_frames("--name slower --limit 1 --elements 'identity sleep-time=1500000'");
  EXPECT_EQ(slower.status, 124) << "as if timeout(1) had stopped it";
  EXPECT_EQ(json::parse(slower.output).value("error", ""),
            "1 of 1 streams had no first frame in time, with a limit of 1 s");
}

TEST_F(CommandTest, TheDeviceIsNamed) {
  const json device = json::parse(run_program(quoted(SIGHTGLASS_GL_DEVICE)).output, nullptr, false);
  ASSERT_TRUE(device.is_object());
  const auto renderer = device.at("gl").at("renderer").get<std::string>();
  EXPECT_EQ(device.at("gl").at("software"), renderer.find("pipe") != std::string::npos) << renderer;
  EXPECT_GT(device.at("machine").at("cores"), 0);
}

TEST_F(BenchReportTest, ReportsErrors) {
  EXPECT_NE(report("").status, 0);
  expect_output(report("--models " + path("none.json")), 1, {"none.json"});
  const CommandResult damaged = expect_output(report("--models " + write("damaged.json", "{\"models\": [")), 1, {});
  EXPECT_NE(damaged.output.find("damaged.json"), std::string::npos) << damaged.output;
  json incomplete = models(10);
  incomplete.at("models").at(0).erase("gflops");
  expect_output(report("--models " + write("incomplete.json", incomplete.dump())), 1, {"gflops"});
  const std::string good = write("models.json", models(10).dump());
  EXPECT_EQ(report("--models " + good + " --against " + path("none.json")).status, 1);
}

TEST_F(CommandTest, OperatorsAreTimed) {
  const CommandResult result = succeeded(run_program(quoted(SIGHTGLASS_OPERATOR_BENCH) + " --passes 1"));
  const json operators = json::parse(result.output, nullptr, false);
  ASSERT_TRUE(operators.is_object()) << result.output;
  EXPECT_GT(operators.at("operators").size(), 20u);
  for (const json& entry : operators.at("operators")) EXPECT_GT(entry.at("ms").get<double>(), 0) << entry.at("name");
  EXPECT_EQ(run_program(quoted(SIGHTGLASS_OPERATOR_BENCH) + " --passes 0 2>&1").status != 0, true);
}

TEST_F(CommandTest, PipelinesAreTimed) {
  ::setenv("GST_GL_PLATFORM", "egl", 0);
  ::setenv("GST_GL_WINDOW", "egl-device", 0);
  ::setenv("GST_GL_API", "gles2", 0);
  const std::string bench = quoted(SIGHTGLASS_ELEMENT_BENCH);
  const CommandResult result = succeeded(run_program(bench + " --frames 5 --repetitions 1 --width 64 --height 48"));
  const json element = json::parse(result.output, nullptr, false);
  ASSERT_TRUE(element.is_object()) << result.output;
  ASSERT_EQ(element.at("pipelines").size(), 2u) << "no model, no glsegment";
  for (const json& pipeline : element.at("pipelines")) {
    EXPECT_NEAR(pipeline.at("ms_per_frame").get<double>() * pipeline.at("frames_per_second").get<double>(), 1000, 1e-6);
  }
  EXPECT_NE(run_program(bench + " --model " + path("none.tflite") + " 2>&1").status, 0);
  EXPECT_NE(run_program(bench + " --frames none 2>&1").status, 0);
}

TEST_F(CommandTest, TheScriptRejectsUnknownOptions) {
  const std::string script = quoted(SIGHTGLASS_BENCH_SCRIPT) + " " + quoted(SIGHTGLASS_BUILD) + " ";
  EXPECT_EQ(run_program(script + "--help").status, 0);
  expect_output(run_program(script + "--fast 2>&1"), 1, {"--fast"});
  EXPECT_EQ(run_program(script + "--runs 2>&1").status, 1);
  EXPECT_EQ(run_program(script + "--against " + path("none.json") + " 2>&1").status, 1);
}

}  // namespace
}  // namespace sightglass::test
