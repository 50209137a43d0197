// How `sightglass doctor` judges and prints reports, with reports written by hand.
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "doctor/judge.h"

namespace sightglass::doctor {
namespace {

// A machine that lacks nothing.
DoctorReport healthy() {
  DoctorReport report;
  report.system.version = "1.0";
  report.render_nodes = {{"/dev/dri/renderD128", "i915", "render", true}};
  report.egl.attempts = {{"EGL device 0", ""}};
  report.egl.display = "EGL device 0";
  report.gl.available = true;
  report.gl.device.renderer = "Mesa Intel(R) UHD Graphics";
  report.gl.family = "Intel";
  report.dmabuf.formats_known = true;
  report.dmabuf.imports = {{"NV12", {{"LINEAR", false}}, true, false, true},
                           {"YUYV", {{"LINEAR", true}}, false, true, false}};
  report.dmabuf.exports = {{"XR24", "LINEAR", ""}};
  report.gst = {"1.22.0",   "1.0", "/usr/lib/libgstsightglass.so", true,
                true,       true,  {{"glimagesink", true, true}},  {{"x264enc", true, false}},
                "video.mp4"};
  report.cache.folder = "/home/ada/.cache/sightglass";
  return report;
}

struct Expected {
  Severity severity;
  std::string text, remedy;  // parts
};

void expect_only(const DoctorReport& report, const Expected& expected) {
  const std::vector<Problem> problems = find_problems(report);
  ASSERT_EQ(problems.size(), 1U) << expected.text;
  EXPECT_EQ(problems[0].severity, expected.severity) << expected.text;
  EXPECT_NE(problems[0].text.find(expected.text), std::string::npos) << problems[0].text;
  EXPECT_NE(problems[0].remedy.find(expected.remedy), std::string::npos) << problems[0].remedy;
  EXPECT_EQ(has_error(problems), expected.severity == Severity::kError);
}

TEST(DoctorProblems, AHealthyMachineHasNone) {
  EXPECT_TRUE(find_problems(healthy()).empty());
  EXPECT_FALSE(has_error({}));
}

TEST(DoctorProblems, WithoutOpenGl) {
  DoctorReport report = healthy();
  report.gl = {};
  report.gl.error = "no EGL display\nwith details";
  expect_only(report, {Severity::kError, "OpenGL ES 3.1 is not available: no EGL display", "libegl-mesa0"});
}

TEST(DoctorProblems, ASoftwareRendererIsAWarning) {
  DoctorReport report = healthy();
  report.gl.software = true;
  report.gl.device.renderer = "llvmpipe";
  report.dmabuf = {};
  expect_only(report, {Severity::kWarning, "on the CPU (llvmpipe)", "install the driver of your GPU"});
  report.render_nodes.clear();
  expect_only(report, {Severity::kWarning, "/dev/dri has no render node", "make /dev/dri available"});
  report.system.environment = {{"LIBGL_ALWAYS_SOFTWARE", "1"}};
  expect_only(report, {Severity::kWarning, "on the CPU", "unset LIBGL_ALWAYS_SOFTWARE"});
}

TEST(DoctorProblems, PermissionForTheGpu) {
  DoctorReport report = healthy();
  report.render_nodes[0].accessible = false;
  expect_only(report, {Severity::kWarning, "no permission to open the GPU /dev/dri/renderD128", "-aG render"});
  report.gl = {};
  report.gl.error = "none";
  const std::vector<Problem> problems = find_problems(report);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_TRUE(std::ranges::all_of(problems, [](const Problem& one) { return one.severity == Severity::kError; }));
  // A container can lack the names of groups.
  report.render_nodes[0].group = "";
  EXPECT_NE(find_problems(report)[1].remedy.find("-aG render "), std::string::npos);
}

TEST(DoctorProblems, PartsOfGStreamer) {
  DoctorReport report = healthy();
  report.gst.plugin_file.clear();
  expect_only(report, {Severity::kError, "does not find the plugin sightglass", "GST_PLUGIN_PATH"});
  report = healthy();
  report.gst.gl_elements = false;
  expect_only(report, {Severity::kError, "glupload", "gstreamer1.0-gl"});
  report = healthy();
  report.gst.sinks[0].installed = false;
  expect_only(report, {Severity::kError, "does not have a video sink", "apt install"});
  report = healthy();
  report.gst.display = false;
  expect_only(report, {Severity::kWarning, "no display", "--output video.mp4"});
  report = healthy();
  report.gst.video_file.clear();
  expect_only(report, {Severity::kWarning, "no encoder", "gstreamer1.0-plugins-ugly"});
}

TEST(DoctorProblems, PermissionForACamera) {
  DoctorReport report = healthy();
  report.video_nodes = {{"/dev/video0", "uvcvideo", "video", false}, {"/dev/video1", "uvcvideo", "video", true}};
  expect_only(report, {Severity::kWarning, "no permission to open the camera /dev/video0", "-aG video"});
}

TEST(DoctorProblems, DmabufsOfAGpu) {
  DoctorReport report = healthy();
  report.dmabuf.import_error = "no extension";
  expect_only(report, {Severity::kWarning, "cannot arrive without a copy: no extension", "newer driver"});
  report = healthy();
  report.dmabuf.exports = {{"XR24", "LINEAR", "failed"}};
  expect_only(report, {Severity::kWarning, "cannot leave as DMABUFs", "gldownload"});
}

TEST(DoctorProblems, TheCache) {
  DoctorReport report = healthy();
  report.cache.error = "others may write to it";
  expect_only(report, {Severity::kError, "others may write to it", "XDG_CACHE_HOME"});
  report.cache = {};
  expect_only(report, {Severity::kWarning, "no cache directory", "XDG_CACHE_HOME"});
}

TEST(DoctorProblems, Measurements) {
  DoctorReport report = healthy();
  report.measured = MeasuredSection{};
  report.measured->model = "blink";
  report.measured->gpu_error = "blink: unsupported operator";
  expect_only(report, {Severity::kError, "blink does not run: blink: unsupported", "sightglass check blink"});
  report.measured->fp32 = ModelTime{1, 1};
  expect_only(report, {Severity::kWarning, "does not run with precision=fp16", "sightglass check blink"});
  report.measured->gpu_error.clear();
  report.measured->composite_error = "no context";
  expect_only(report, {Severity::kError, "glsegment does not run: no context", "GST_GL_PLATFORM=egl"});
}

TEST(DoctorProblems, ErrorsComeFirst) {
  DoctorReport report = healthy();
  report.gst.display = false;
  report.cache.error = "broken";
  const std::vector<Problem> problems = find_problems(report);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].severity, Severity::kError);
}

MeasuredSection times(double fp32, double fp16, double composite) {
  MeasuredSection measured;
  measured.model = "figure";
  measured.fp32 = ModelTime{fp32, fp32};
  if (fp16 > 0) measured.fp16 = ModelTime{fp16, fp16};
  measured.composite = composite;
  return measured;
}

using Kind = Settings::Kind;

TEST(DoctorAdvice, DefaultsIfTheyHold) {
  const MeasuredSection measured = times(5, 4.5, 3);
  const Settings settings = choose_settings(measured);
  EXPECT_EQ(settings.kind, Kind::kEveryFrame);
  EXPECT_FALSE(settings.fp16) << "a gain of 10% is not worth it";
  EXPECT_EQ(advice(measured),
            "Use the default settings; figure takes 5.0 ms on the GPU: 30 frames per second are held with a result for "
            "every frame.");
}

TEST(DoctorAdvice, Fp16IfItIsMuchFasterOrNecessary) {
  MeasuredSection measured = times(8, 4.1, 3);
  measured.cpu = CpuTime{"tflite", 4, 21};
  EXPECT_EQ(advice(measured),
            "Use precision=fp16; figure takes 4.1 ms on the GPU and 21 ms on the CPU: 30 frames per second are held "
            "with a result for every frame.");
  const Settings settings = choose_settings(times(28, 26, 3));
  EXPECT_EQ(settings.kind, Kind::kEveryFrame);
  EXPECT_TRUE(settings.fp16) << "only fp16 fits into 30 - 3 ms";
  EXPECT_FALSE(choose_settings(times(26, 40, 3)).fp16);
  EXPECT_FALSE(choose_settings(times(26, 0, 3)).fp16) << "not measured";
}

TEST(DoctorAdvice, IntervalIfOneRunIsLittleLate) {
  const MeasuredSection measured = times(40, 39, 5);
  const Settings settings = choose_settings(measured);
  EXPECT_EQ(settings.kind, Kind::kInterval);
  EXPECT_EQ(settings.interval, 2);
  EXPECT_NE(advice(measured).find("Use inference-interval=2; figure takes 40 ms"), std::string::npos);
  EXPECT_NE(advice(measured).find("every second frame."), std::string::npos) << advice(measured);
  // 20 ms are left per frame of 10 ms: 41 ms need three frames.
  EXPECT_EQ(choose_settings(times(41, 0, 10)).interval, 3);
}

TEST(DoctorAdvice, LatestIfARunIsLate) {
  const MeasuredSection measured = times(95, 60, 10);
  const Settings settings = choose_settings(measured);
  EXPECT_EQ(settings.kind, Kind::kLatest);
  EXPECT_TRUE(settings.fp16);
  EXPECT_EQ(settings.gpu_budget, 20000000) << "30 ms less 10 ms";
  EXPECT_EQ(settings.mask_age, 3);
  EXPECT_EQ(advice(measured),
            "Use precision=fp16 mask-sync=latest gpu-budget=20000000; figure takes 60 ms on the GPU: 30 frames per "
            "second are held with results that are about 3 frames old.");
}

TEST(DoctorAdvice, NotReachable) {
  const MeasuredSection model = times(400, 0, 3);
  EXPECT_EQ(choose_settings(model).kind, Kind::kModelTooSlow);
  EXPECT_NE(advice(model).find("not reachable with useful results: figure takes 400 ms"), std::string::npos);
  const MeasuredSection frames = times(5, 4, 29.5);
  EXPECT_EQ(choose_settings(frames).kind, Kind::kFramesTooSlow);
  EXPECT_NE(advice(frames).find("not reachable at 1280x720"), std::string::npos) << advice(frames);
  MeasuredSection software = times(46, 76, 188);
  software.software = true;
  EXPECT_EQ(advice(software),
            "30 frames per second are not reachable at 1280x720: glsegment takes 188 ms per frame without the model, "
            "and figure takes 46 ms on the software renderer; use smaller frames, refine=none, or a GPU.");
  MeasuredSection absurd = times(1e30, 0, 3);
  EXPECT_EQ(choose_settings(absurd).kind, Kind::kModelTooSlow);
}

TEST(DoctorAdvice, WithoutAGpu) {
  MeasuredSection measured;
  measured.model = "figure";
  EXPECT_EQ(advice(measured), "Solve the problems above; figure cannot be measured.");
  measured.cpu = CpuTime{"tflite", 4, 21};
  EXPECT_EQ(advice(measured),
            "Solve the problems above; figure takes 21 ms on the CPU, and cannot be measured on the GPU.");
}

TEST(DoctorAdvice, AFasterCpuIsNamed) {
  MeasuredSection measured = times(24, 0, 3);
  measured.cpu = CpuTime{"tflite", 4, 11};
  EXPECT_NE(advice(measured).find("24 ms on the GPU and 11 ms on the CPU (TensorFlow Lite is faster"),
            std::string::npos)
      << advice(measured);
}

TEST(DoctorAdvice, CompositingIsEstimatedFromTheBandwidth) {
  MeasuredSection measured = times(5, 0, 0);
  measured.composite.reset();
  EXPECT_EQ(composite_time(measured), 0) << "unknown";
  measured.copied_bytes_per_second = 10e9;
  EXPECT_NEAR(composite_time(measured), 5.9, 0.05) << "16 times 3.7 MB at 10 GB/s";
  measured.composite = 2;
  EXPECT_EQ(composite_time(measured), 2);
}

TEST(DoctorQuirks, ThoseOfTheDriver) {
  const auto applying = [](const char* renderer, const char* version) {
    DeviceInfo device;
    device.renderer = renderer;
    device.version = version;
    device.limits.external_textures = true;
    std::vector<std::string> names;
    for (const Quirk& quirk : quirks_of(device)) {
      if (quirk.applies) names.push_back(quirk.name);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(applying("Mali-G52", "OpenGL ES 3.2"), Names());
  EXPECT_EQ(applying("virgl (Intel)", "OpenGL ES 3.2"), Names{"wrong buffer textures"});
  EXPECT_EQ(applying("Mesa Intel(R) UHD", "OpenGL ES 3.2 Mesa 22.3.6"), Names{"external textures in compute shaders"});
  EXPECT_EQ(applying("llvmpipe (LLVM 15)", "OpenGL ES 3.2 Mesa 22.3.6"),
            (Names{"loops end early", "external textures in compute shaders", "YUV images"}));
}

TEST(DoctorCameras, FormatsThatArriveWithoutACopy) {
  const DmabufSection importer = healthy().dmabuf;
  const video::CameraFormat yuy2{false, "YUY2", 640, 480, 30}, bayer{false, "RGB", 640, 480, 30},
      jpeg{true, "", 640, 480, 30};
  EXPECT_EQ(arrival_of(yuy2, true, "isp", importer).zero_copy, true);
  EXPECT_EQ(arrival_of(yuy2, true, "isp", importer).reason, "");
  EXPECT_EQ(arrival_of(yuy2, false, "isp", importer).zero_copy, false);
  EXPECT_EQ(arrival_of(yuy2, std::nullopt, "isp", importer).zero_copy, std::nullopt);
  EXPECT_EQ(arrival_of(jpeg, true, "isp", importer).zero_copy, false);
  EXPECT_EQ(arrival_of(bayer, true, "isp", importer).zero_copy, false);
  EXPECT_NE(arrival_of(bayer, true, "isp", importer).reason.find("does not import this format"), std::string::npos);
  EXPECT_EQ(arrival_of(yuy2, true, "uvcvideo", importer).zero_copy, false);
  EXPECT_EQ(arrival_of(yuy2, true, "uvcvideo", importer).reason, "USB cameras write to CPU memory");
  DmabufSection none;
  EXPECT_EQ(arrival_of(yuy2, true, "isp", none).zero_copy, std::nullopt) << "the driver lists no formats";
  none.import_error = "no extension";
  EXPECT_EQ(arrival_of(yuy2, true, "isp", none).zero_copy, false);
}

TEST(DoctorPrivacy, PrivateWordsAreReplaced) {
  const PrivateWords words{{"/home/ada"}, {}, "ada", "lovelace"};
  const std::pair<std::string, std::string> cases[] = {
      {"/home/ada/.cache/x", "~/.cache/x"},
      {"/home/adam/x", "/home/USER/x"},
      {"/home/bob/x", "/home/USER/x"},
      {"/run/user/1000/bus", "/run/user/UID/bus"},
      {"user ada on lovelace.", "user USER on HOST."},
      {"Canada, adapter, /media/ada/disk", "Canada, adapter, /media/USER/disk"},
      {"", ""},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(without_private_words(text, words), expected);
  EXPECT_EQ(without_private_words("~/x of root on localhost", {{"/nowhere"}, {}, "root", "localhost"}),
            "~/x of root on localhost");
  EXPECT_EQ(without_private_words("/x", {}), "/x");
}

TEST(DoctorPrivacy, PathsNameNoHomeWhateverHomeSays) {
  const PrivateWords root{{"/tmp/sandbox", "/root"}, {"/srv/people/ada"}, "root", "localhost"};
  const std::pair<std::string, std::string> cases[] = {
      {"/root/p/build/gst_plugin:/tmp/sandbox/x", "~/p/build/gst_plugin:~/x"},
      {"/mnt/root/video.mp4", "/mnt/USER/video.mp4"},
      {"/srv/people/ada/x, /srv/people/adam", "/home/USER/x, /srv/people/adam"},
      {"not root, group root", "not root, group root"},
      {"/rootfs/x", "/rootfs/x"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(without_private_words(text, root), expected);
  const PrivateWords nested{{"/data", "/data/homes/ada"}, {}, "ada", ""};
  EXPECT_EQ(without_private_words("/data/homes/ada/x", nested), "~/x");
}

TEST(DoctorPrivacy, TheHomeOfTheUserDatabaseIsPrivate) {
  const passwd* const user = ::getpwuid(::getuid());
  if (user == nullptr || std::string(user->pw_dir).size() < 2) GTEST_SKIP() << "this user has no home directory";
  const char* const variable = std::getenv("HOME");
  const std::string before = variable != nullptr ? variable : "";
  for (const char* home : {"/tmp/sandbox", "/", ""}) {
    ::setenv("HOME", home, 1);
    EXPECT_EQ(without_private_words(std::string(user->pw_dir) + "/x", private_words()), "~/x") << "HOME=" << home;
  }
  ::unsetenv("HOME");
  EXPECT_EQ(without_private_words(std::string(user->pw_dir) + "/x", private_words()), "~/x");
  if (variable != nullptr) ::setenv("HOME", before.c_str(), 1);
}

TEST(DoctorPrivacy, SerialNumbersAreReplaced) {
  EXPECT_EQ(without_serials("HD Webcam C920"), "HD Webcam C920");
  EXPECT_EQ(without_serials("Intel RealSense 435i 832112070255"), "Intel RealSense 435i …");
  EXPECT_EQ(without_serials("Camera (A1B2C3D4E5)"), "Camera (…)");
  EXPECT_EQ(without_serials("Integrated Camera: Integrated"), "Integrated Camera: Integrated");
}

TEST(DoctorFormat, BothFormatsHaveAllSectionsAndNothingPrivate) {
  DoctorReport report = healthy();
  report.system.environment = {{"GST_PLUGIN_PATH", "/home/ada/plugins"}};
  report.cameras = {{"Cam 12345678", "/dev/video0", "v4l2src", {{"640x480, YUY2", true, ""}}}};
  report.measured = times(8, 4.1, 3);
  report.measured->cpu_error = "not installed";
  report.cache.error = "/home/ada/.cache/sightglass on lovelace: broken";
  const std::vector<Problem> problems = find_problems(report);
  const PrivateWords words{{"/home/ada"}, {}, "ada", "lovelace"};
  const std::string text = format_text(report, problems, words), json = format_json(report, problems, words);
  for (const std::string& form : {text, json}) {
    for (const char* word : {"ada", "lovelace", "12345678"}) EXPECT_EQ(form.find(word), std::string::npos) << form;
    for (const char* word : {"~/plugins", "XR24", "YUYV", "glimagesink", "x264enc", "not installed", "i915", "NV12",
                             "Use precision=fp16; figure takes 4.1 ms"}) {
      EXPECT_NE(form.find(word), std::string::npos) << word << "\n" << form;
    }
  }
  const auto root = nlohmann::json::parse(json, nullptr, false);
  ASSERT_TRUE(root.is_object()) << json;
  EXPECT_EQ(root.at("measured").at("settings").at("precision"), "fp16");
  EXPECT_EQ(root.at("problems").at(0).at("severity"), "error");
  EXPECT_EQ(root.at("cameras").at(0).at("formats").at(0).at("zero_copy"), true);
  EXPECT_EQ(text.back(), '\n');
}

TEST(DoctorFormat, DeviceNamesCannotControlTheTerminal) {
  DoctorReport report = healthy();
  report.cameras = {{"Evil \x1b[2J\nproblems", "/dev/video0", "v4l2src", {}}};
  const std::string text = format_text(report, {}, {}), json = format_json(report, {}, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("Evil ?[2J?problems"), std::string::npos) << text;
  EXPECT_EQ(json.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sightglass::doctor
