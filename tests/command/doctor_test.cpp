// `sightglass doctor` as users run it, on this machine and on broken ones.
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "harness/command_case.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

class DoctorTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    fs::create_directories(path("home/ada"));
    environment_ = "HOME=" + path("home/ada") + " XDG_CACHE_HOME=" + path("home/ada/cache") + " ";
  }

  // `changes`: "NAME=VALUE " for the environment.
  CommandResult doctor(const std::string& arguments, const std::string& changes = "",
                       const std::string& command = kSightglass) const {
    return run_program(environment_ + changes + command + " doctor " + arguments + " 2>" + path("stderr"));
  }

  nlohmann::json report(const CommandResult& result) const {
    return nlohmann::json::parse(result.output, nullptr, false);
  }

  std::string environment_;
};

bool contains_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("(^|[^A-Za-z0-9_])" + word + "($|[^A-Za-z0-9_])"));
}

// The entry of a problem, or null.
nlohmann::json problem(const nlohmann::json& report, const std::string& text) {
  for (const auto& entry : report.at("problems")) {
    if (entry.at("problem").get<std::string>().find(text) != std::string::npos) return entry;
  }
  return nullptr;
}

void expect_error(const nlohmann::json& report, const std::string& text, const std::string& remedy) {
  ASSERT_TRUE(report.is_object());
  const nlohmann::json found = problem(report, text);
  ASSERT_FALSE(found.is_null()) << text << " is not in " << report.at("problems").dump(1);
  EXPECT_EQ(found.at("severity"), "error") << text;
  EXPECT_NE(found.at("remedy").get<std::string>().find(remedy), std::string::npos) << found.dump(1);
}

TEST_F(DoctorTest, ReportsForBugReportsAreCompleteAndPrivate) {
  const CommandResult result = doctor("--json");
  const auto json = report(result);
  ASSERT_TRUE(json.is_object()) << result.output;
  EXPECT_EQ(result.status, 0) << json.at("problems").dump(1);
  for (const char* section : {"version", "system", "render_nodes", "egl", "gl", "dmabuf", "gstreamer", "video_nodes",
                              "cameras", "sinks", "encoders", "cache", "measured", "problems", "advice"}) {
    EXPECT_TRUE(json.contains(section)) << section;
  }
  EXPECT_EQ(json.at("gl").at("available"), true);
  EXPECT_FALSE(json.at("gl").at("extensions").empty());
  EXPECT_GE(json.at("gl").at("limits").at("workgroup_invocations"), 128);
  EXPECT_EQ(json.at("gl").at("quirks").size(), 4U);
  EXPECT_FALSE(json.at("dmabuf").at("export").at("formats").empty() &&
               json.at("dmabuf").at("export").at("error").is_null())
      << "neither formats nor a reason";
  const auto& measured = json.at("measured");
  EXPECT_EQ(measured.at("model"), "figure");
  for (const char* precision : {"fp32", "fp16"}) {
    EXPECT_GT(measured.at("gpu").at(precision).at("median_ms"), 0) << precision;
  }
  EXPECT_TRUE(measured.at("cpu").contains("median_ms") || measured.at("cpu").at("error") == "not installed")
      << measured.at("cpu");
  EXPECT_EQ(measured.at("composite").at("estimated"), false);
  EXPECT_GT(measured.at("composite").at("ms"), 0);
  EXPECT_TRUE(measured.at("settings").contains("holds_30_fps"));
  EXPECT_TRUE(json.at("advice").get<std::string>().ends_with(".")) << json.at("advice");

  EXPECT_EQ(json.at("cache").at("folder"), "~/cache/sightglass");
  EXPECT_EQ(result.output.find(path("home/ada")), std::string::npos) << result.output;
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  const passwd* user = ::getpwuid(::getuid());
  for (const std::string& name :
       {std::string(host.data()), std::string(user != nullptr ? user->pw_name : "localhost")}) {
    EXPECT_FALSE(name != "localhost" && contains_word(result.output, name)) << name << " is in " << result.output;
  }
}

TEST_F(DoctorTest, TextHasSectionsAndProblems) {
  const CommandResult result = succeeded(doctor("--no-measure"));
  for (const char* section :
       {"system\n", "\nEGL and OpenGL\n", "\nDMABUF\n", "\nGStreamer\n", "\ncameras\n", "\ncache\n", "\nproblems\n"}) {
    EXPECT_NE(result.output.find(section), std::string::npos) << section << "is not in\n" << result.output;
  }
  EXPECT_EQ(result.output.find("\nmeasured\n"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find(path("home/ada")), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("~/cache/sightglass"), std::string::npos) << result.output;
}

TEST_F(DoctorTest, WithoutEgl) {
  const CommandResult result =
      expect_output(doctor("--json --no-measure", "__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent "), 1, {});
  const auto json = report(result);
  expect_error(json, "OpenGL ES 3.1 is not available", "libegl-mesa0");
  EXPECT_EQ(json.at("gl").at("available"), false);
  EXPECT_TRUE(json.at("measured").is_null());
  EXPECT_TRUE(json.at("advice").is_null());
}

TEST_F(DoctorTest, WithoutGStreamerPlugins) {
  // A copy outside of the build directory, so that it does not find the plugins there.
  const std::string command = path("sightglass");
  fs::copy_file(SIGHTGLASS_COMMAND, command);
  fs::create_directories(path("plugins"));
  const std::string changes = "GST_PLUGIN_PATH= GST_PLUGIN_PATH_1_0= GST_PLUGIN_SYSTEM_PATH=" + path("plugins") +
                              " GST_PLUGIN_SYSTEM_PATH_1_0=" + path("plugins") + " GST_REGISTRY=" + path("registry") +
                              " GST_REGISTRY_1_0=" + path("registry") + " ";
  const CommandResult result = expect_output(doctor("--json --no-measure", changes, command), 1, {});
  const auto json = report(result);
  expect_error(json, "does not find the plugin sightglass", "gstreamer1.0-sightglass");
  expect_error(json, "does not have a video sink", "apt install");
  expect_error(json, "glupload", "gstreamer1.0-gl");
  ASSERT_FALSE(problem(json, "no encoder").is_null());
  EXPECT_EQ(problem(json, "no encoder").at("severity"), "warning");
  expect_output(doctor("--no-measure", changes, command), 1,
                {"error         GStreamer does not find the plugin sightglass\n  remedy  "});
}

TEST_F(DoctorTest, ABrokenCacheDirectory) {
  const CommandResult result = expect_output(
      doctor("--json --no-measure", "XDG_CACHE_HOME=" + write("home/ada/file", "not a directory") + " "), 1, {});
  expect_error(report(result), "the cache directory cannot be used: ~/file/sightglass", "XDG_CACHE_HOME");
  const CommandResult unset = succeeded(
      run_program("env -u XDG_CACHE_HOME -u HOME " + kSightglass + " doctor --json --no-measure 2>/dev/null"));
  EXPECT_FALSE(problem(report(unset), "no cache directory").is_null()) << unset.output;
}

TEST_F(DoctorTest, AModelThatDoesNotRun) {
  const CommandResult result = expect_output(doctor("--json --model " + path("home/ada/none.tflite")), 1, {});
  const auto json = report(result);
  expect_error(json, "the model ~/none.tflite does not run", "sightglass check ~/none.tflite");
  EXPECT_EQ(json.at("advice"), "Solve the problems above; ~/none.tflite cannot be measured.");
}

TEST_F(DoctorTest, WrongUse) {
  EXPECT_EQ(doctor("figure").status, 2);
  EXPECT_EQ(doctor("--model").status, 2);
  expect_output(run_command("doctor --no-measure", "2>&1 >/dev/full"), 1, {"cannot write to standard output"});
}

}  // namespace
}  // namespace sightglass::test
