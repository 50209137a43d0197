// Subcommands for video, as users run them: figures, files, pipes, and servers in; files, images, and pipes out.
#include <fcntl.h>
#include <gst/pbutils/pbutils.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "video_case.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

// What a media file has.
struct Media {
  double seconds = 0;
  std::string video, audio;  // media types: "video/x-h264"
};

std::string type_of(GList* streams) {
  std::string type;
  if (streams != nullptr) {
    GstCaps* caps = gst_discoverer_stream_info_get_caps(GST_DISCOVERER_STREAM_INFO(streams->data));
    type = gst_structure_get_name(gst_caps_get_structure(caps, 0));
    gst_caps_unref(caps);
  }
  gst_discoverer_stream_info_list_free(streams);
  return type;
}

Media media_of(const std::string& path) {
  Media media;
  GstDiscoverer* discoverer = gst_discoverer_new(20 * GST_SECOND, nullptr);
  GstDiscovererInfo* info = gst_discoverer_discover_uri(discoverer, ("file://" + path).c_str(), nullptr);
  if (info != nullptr && gst_discoverer_info_get_result(info) == GST_DISCOVERER_OK) {
    media.seconds = static_cast<double>(gst_discoverer_info_get_duration(info)) / GST_SECOND;
    media.video = type_of(gst_discoverer_info_get_video_streams(info));
    media.audio = type_of(gst_discoverer_info_get_audio_streams(info));
  }
  if (info != nullptr) g_object_unref(info);
  g_object_unref(discoverer);
  std::printf("%s: %.2f s, %s, %s\n", path.c_str(), media.seconds, media.video.c_str(), media.audio.c_str());
  return media;
}

// The number of frames of an .mp4 file with H.264 that a decoder can begin with.
int key_frames(const std::string& path) {
  GstElement* pipeline = gst_parse_launch(
      ("filesrc location=" + path + " ! qtdemux ! h264parse ! fakesink name=sink signal-handoffs=true").c_str(),
      nullptr);
  int count = 0;
  const auto counted = +[](GstElement*, GstBuffer* buffer, GstPad*, gpointer data) {
    if (!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)) ++*static_cast<int*>(data);
  };
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_signal_connect(sink, "handoff", G_CALLBACK(counted), &count);
  gst_object_unref(sink);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 20 * GST_SECOND,
                                                   static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (message != nullptr) gst_message_unref(message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  std::printf("%s: %d key frames\n", path.c_str(), count);
  return count;
}

bool installed(const char* element) {
  GstElementFactory* factory = gst_element_factory_find(element);
  if (factory != nullptr) gst_object_unref(factory);
  return factory != nullptr;
}

class VideoCommand : public VideoCase {
 protected:
  void SetUp() override {
    VideoCase::SetUp();
    gst_init(nullptr, nullptr);
    for (const char* element : {"x264enc", "mp4mux", "vp8enc", "webmmux", "avenc_aac", "vorbisenc"}) {
      if (!installed(element)) GTEST_SKIP() << element << " is not installed";
    }
  }

  // A small file with video and audio: 10 frames at 10 frames per second.
  std::string clip(const std::string& name, const std::string& codecs_and_muxer, const std::string& audio) const {
    succeeded(
        run_program("gst-launch-1.0 -q videotestsrc num-buffers=10 ! video/x-raw,width=96,height=64,framerate=10/1 ! " +
                    codecs_and_muxer + " name=mux ! filesink location=" + path(name) +
                    " audiotestsrc num-buffers=43 ! " + audio + " ! mux. 2>&1"));
    return path(name);
  }
  std::string mp4() const { return clip("in.mp4", "x264enc ! mp4mux", "avenc_aac"); }
  std::string webm() const { return clip("in.webm", "vp8enc ! webmmux", "vorbisenc"); }
};

// Errors are one line that names the cause and the remedy.
void expect_error(const std::string& arguments, int status, const std::string& words) {
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.status, status) << arguments << ": " << result.output;
  EXPECT_NE(result.output.find(words), std::string::npos) << arguments << ": " << result.output;
}

constexpr const char* kQuick = " --refine none --blur-strength 2 --inference-interval 5";

TEST_F(VideoCommand, OptionsAreThePropertiesOfTheElement) {
  const CommandResult help = succeeded(run_command("segment --help"));
  for (const char* words : {"--blur-radius", "-1 to 1024", "--background", "{blur,color,image"}) {
    EXPECT_NE((help.output + run_command("segment --blur-radius 5000").output).find(words), std::string::npos) << words;
  }
  EXPECT_EQ(help.output.find("--qos"), std::string::npos) << "properties of base classes are no options";
  expect_output(run_command("pose --input figures --output none --hud --draw=false --line-width 3.5 --print-pipeline"),
                0,
                {"gst-launch-1.0 -e glfiguresrc ", "glposebin", "hud=\"true\"", "draw=\"false\"", "line-width=\"3.5\"",
                 "model=\"figure\"", "fakesink"});
  expect_error("segment --input figures --blur-radius 5000", 2, "use -1 to 1024");
  expect_error("segment --input figures --background beach", 2, "use blur, color, image, transparent, mask, overlay");
  expect_error("segment --input figures --bluradius 5", 2, "--bluradius");
}

TEST_F(VideoCommand, APropertyOfTheNameOfAnOptionIsSetByProperty) {
  expect_error("segment --input figures --seconds 1 --output none --property output=7", 1, "output 7");
  expect_error("segment --input figures --output none --property output", 2, "NAME=VALUE");
}

TEST_F(VideoCommand, FilesKeepTheirAudio) {
  const std::string quick(kQuick);
  struct Case {
    std::string input, output, video, audio;
  };
  std::vector<Case> cases = {
      {mp4(), path("copied.mp4"), "video/x-h264", "audio/mpeg"},          // as it is
      {path("in.mp4"), path("new.webm"), "video/x-vp8", "audio/x-opus"},  // encoded again
      {webm(), path("new.mp4"), "video/x-h264", "audio/mpeg"},
      {path("in.webm"), path("copied.mkv"), "video/x-h264", "audio/x-vorbis"},
  };
  // Matroska needs headers that only a parser adds, and MP4 has no FLAC.
  if (installed("flacenc") && installed("flacparse")) {
    cases.push_back({clip("flac.mkv", "x264enc ! matroskamux", "flacenc"), path("flac-copied.mkv"), "video/x-h264",
                     "audio/x-flac"});
    cases.push_back({path("flac.mkv"), path("flac.mp4"), "video/x-h264", "audio/mpeg"});
  }
  for (const Case& test : cases) {
    expect_output(run_command("segment --input " + test.input + " --output " + test.output + quick), 0,
                  {"10 frames of 96x64"});
    const Media media = media_of(test.output);
    EXPECT_EQ(media.video, test.video);
    EXPECT_EQ(media.audio, test.audio);
    EXPECT_NEAR(media.seconds, 1.0, 0.2);
  }
}

TEST_F(VideoCommand, FramesPassThroughPipes) {
  expect_output(run_program(kSightglass + " segment --input figures --size 160x120 --seconds 1 --output -" + kQuick +
                            " 2>" + path("first.log") + " | " + kSightglass + " segment --input - --output " +
                            path("out.y4m") + kQuick + " 2>&1"),
                0, {"15 frames of 160x120"});
  // A header for each frame, and 4:2:0.
  EXPECT_NEAR(static_cast<double>(fs::file_size(path("out.y4m"))), 15 * 160 * 120 * 1.5, 500);
}

// The frames arrive late. The limit counts from the first one, however long the start takes.
TEST_F(VideoCommand, CountsSecondsFromTheFirstFrame) {
  const CommandResult result = succeeded(run_program(
      "(sleep 3; gst-launch-1.0 -q videotestsrc num-buffers=600 ! video/x-raw,format=I420,width=64,height=48 ! y4menc !"
      " fdsink fd=1) | " +
      kSightglass + " segment --input - --seconds 1 --output " + path("late.mp4") + kQuick + " 2>&1"));
  EXPECT_GT(media_of(path("late.mp4")).seconds, 0) << result.output;
}

TEST_F(VideoCommand, StillsAndNumberedImagesWithAlpha) {
  const std::string figures = "segment --input figures --size 160x120 --seconds 1 --background transparent";
  const CommandResult still = succeeded(run_command(figures + " --output " + path("still.png")));
  EXPECT_EQ(media_of(path("still.png")).video, "image/png");
  succeeded(run_command(figures + " --output " + path("frame-%03d.png") + kQuick));
  EXPECT_TRUE(fs::exists(path("frame-014.png")));
  EXPECT_FALSE(fs::exists(path("frame-015.png")));
  if (!installed("avenc_prores_ks")) GTEST_SKIP() << "avenc_prores_ks is not installed";
  succeeded(run_command(figures + " --output " + path("cutout.mov") + kQuick));
  EXPECT_EQ(media_of(path("cutout.mov")).video, "video/x-prores");
  EXPECT_NE(run_command(figures + " --output " + path("flat.mp4") + kQuick).output.find("has no transparency"),
            std::string::npos);
}

TEST_F(VideoCommand, ReportsAsJsonLines) {
  const CommandResult result =
      succeeded(run_command("segment --json --input " + mp4() + " --output " + path("out.mp4"), ""));
  std::vector<nlohmann::json> lines;
  std::istringstream text(result.output);
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines.front()["event"], "starting");
  EXPECT_EQ(lines.back()["event"], "finished");
  EXPECT_EQ(lines.back()["frames"], 10);
  EXPECT_EQ(lines.back()["output"], path("out.mp4"));
  for (const auto& line : lines) {
    if (line["event"] == "progress") {
      EXPECT_NEAR(line["duration"].get<double>(), 1.0, 0.2);
    }
  }
}

TEST_F(VideoCommand, WritesResultsAsJsonLines) {
  succeeded(run_command("pose --input figures --seconds 1 --output none --results-file " + path("poses.json")));
  std::ifstream file(path("poses.json"));
  int lines = 0, people = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    people += static_cast<int>(nlohmann::json::parse(line)["objects"].size());
  }
  std::printf("%d lines, %d people\n", lines, people);
  EXPECT_GT(people, 5);
  expect_error("pose --input figures --output none --json --results-file -", 2, "standard output");
}

TEST_F(VideoCommand, RunsAnyPipeline) {
  expect_output(run_command("run-pipeline 'glfiguresrc num-buffers=5 ! glsegment model=figure ! fakesink'"), 0,
                {"5 frames"});
  EXPECT_EQ(run_command("run-pipeline videotestsrc num-buffers=5 ! fakesink").status, 0);
  expect_error("run-pipeline 'foo ! fakesink'", 2, "no element \"foo\"");
}

// An existing video stays, and an incomplete video leaves no file.
TEST_F(VideoCommand, LeavesNoUnplayableFile) {
  const std::string video = path("video.webm");
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(fs::path(video).parent_path())) {
      if (file.is_regular_file()) names.push_back(file.path().filename().string());
    }
    return names;
  };
  for (const char* before : {"", "an older video"}) {
    if (*before != '\0') std::ofstream(video) << before;
    expect_error("segment --input figures --seconds 1 --output " + video + " --property output=7", 1, "output 7");
    EXPECT_EQ(files(), *before != '\0' ? std::vector<std::string>{"video.webm"} : std::vector<std::string>{});
    if (*before != '\0') {
      EXPECT_EQ(fs::file_size(video), std::string(before).size());
    }
  }
}

// Reads what a program prints to its terminal until `words` appear, and returns everything so far.
std::string read_until(int terminal, std::string output, const std::string& words) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  char buffer[4096];
  while (output.find(words) == std::string::npos && std::chrono::steady_clock::now() < end) {
    const ssize_t bytes = ::read(terminal, buffer, sizeof(buffer));
    if (bytes > 0) output.append(buffer, static_cast<size_t>(bytes));
    if (bytes < 0 && errno != EAGAIN) break;
    if (bytes <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_NE(output.find(words), std::string::npos) << output;
  return output;
}

TEST_F(VideoCommand, KeysChangeTheRunningJob) {
  const std::string video = path("keys.mp4");
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) GTEST_SKIP() << "no pseudoterminal: " << std::strerror(errno) << "; is /dev/pts mounted?";
  if (child == 0) {
    ::execl(SIGHTGLASS_COMMAND, SIGHTGLASS_COMMAND, "segment", "--input", "figures", "--seconds", "600", "--output",
            video.c_str(), "--inference-interval", "5", "--refine", "none", nullptr);
    ::_exit(127);
  }
  ::fcntl(terminal, F_SETFL, O_NONBLOCK);
  std::string output = read_until(terminal, "", "frames per second");
  struct Press {
    char key;
    const char* answer;
  };
  for (const Press& press :
       {Press{'?', "next background"}, Press{'b', "background=color"}, Press{'o', "background=overlay"},
        Press{'h', "hud=true"}, Press{'m', "model=figure-recurrent"}, Press{' ', "paused"}, Press{' ', "playing"}}) {
    ASSERT_EQ(::write(terminal, &press.key, 1), 1);
    output = read_until(terminal, output, press.answer);
  }
  ASSERT_EQ(::write(terminal, "q", 1), 1);
  output = read_until(terminal, output, "written");
  int status = -1;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << output;
  EXPECT_GT(media_of(video).seconds, 0);
}

TEST_F(VideoCommand, ServesRtsp) {
  const std::string log = path("server.log"), address = "rtsp://127.0.0.1:8643/figures";
  const CommandResult result = run_program(
      "(" + kSightglass +
      " segment --no-keys --input figures --size 160x120 --seconds 120 --output rtsp://:8643/figures" +
      std::string(kQuick) + " >" + log + " 2>&1 & server=$!; tries=0; until grep -qs serving " + log +
      " || [ $((tries += 1)) -gt 900 ] || ! kill -0 $server; do sleep 0.1; done; timeout 100 " + kSightglass +
      " run-pipeline 'rtspsrc location=" + address +
      " ! rtph264depay ! h264parse ! identity eos-after=125 ! mp4mux ! filesink location=" + path("received.mp4") +
      "' 2>&1; echo status $?; timeout 30 " + kSightglass +
      " segment --input figures --output rtsp://:8643/figures 2>&1; timeout 100 python3 " +
      quoted(SIGHTGLASS_HOSTILE_RTSP) +
      " 8643 /figures 2>&1; kill -INT "
      "$server; wait $server; echo server $?; cat " +
      log + ")");
  if (result.output.find("built without an RTSP server") != std::string::npos) {
    GTEST_SKIP() << "gst-rtsp-server was not installed for the build";
  }
  expect_words(result.output, {"status 0", "server 0", "the port is in use"});
  EXPECT_NE(result.output.find("\nfine\n"), std::string::npos) << "no client may change the shared media\n"
                                                               << result.output;
  expect_words(result.output, {"RECORD  405\n", "ANNOUNCE with a body 405\n", "SET_PARAMETER  200\n",
                               "SET_PARAMETER with a body 451\n", "PLAY Scale: -1 200 False\n"});
  EXPECT_EQ(media_of(path("received.mp4")).video, "video/x-h264");
  EXPECT_GE(key_frames(path("received.mp4")), 4) << "a client that joins must not wait long for a picture";
}

TEST_F(VideoCommand, ErrorsNameTheCauseAndTheRemedy) {
  const std::string none = " --output none";
  expect_error("segment --input nowhere.mp4" + none, 1, "nowhere.mp4: no such file");
  expect_error("segment --input ./nowhere.mp4" + none, 1, "nowhere.mp4: no such file");
  expect_error("segment --input /dev/video99" + none, 1, "/dev/video99: no such camera");
  expect_error("segment --input 99" + none, 1, "99: no such camera");
  expect_error("segment --input figures", 1, "window: no display; write a file (--output video.mp4)");
  expect_error("segment --input figures --output video.xyz", 2, "video.xyz: unknown kind of output");
  expect_error("segment --input figures --output " + path("no/video.mp4"), 1, "there is no directory");
  expect_error("segment --input figures --output /dev/video77", 1, "modprobe v4l2loopback video_nr=77");
  expect_error("segment --input figures --output rtsp://:99999/x", 2, "99999 is not a port");
  expect_error("segment --input screen" + none, 1, "screen: there is neither an X11 display");
  expect_error("segment --input figures --seconds -1" + none, 2, "--seconds");
  expect_error("segment --input figures --size 12" + none, 2, "use 1280x720");
  expect_error("segment --input figures --inference-interval 4294967297" + none, 2, "use 1 to 3600");
  expect_error("segment --input figures --inference-interval ''" + none, 2, "use 1 to 3600");
  expect_error("segment --input figures --background ''" + none, 2, "use blur, color");
  expect_error("segment --input figures --background-color -1" + none, 2, "use 0 to 4294967295");
  expect_error("segment --input figures --property inference-interval=4294967297" + none, 2, "use 1 to 3600");
  expect_error("segment --input rtsp://admin:hunter2@127.0.0.1:1/x" + none, 1, "rtsp://***@127.0.0.1:1/x: ");
  expect_error("segment --input figures --output rtsp://admin:hunter2@:99999/x", 2, "rtsp://***@:99999/x: ");
  expect_error("segment --input figures --model figur" + none, 1, "similar names: figure");
  expect_error("segment --input foo://bar" + none, 1, "foo://bar: ");
  expect_error("segment --input rtsp://127.0.0.1:1/x" + none, 1, "check the address");
  expect_error("detect --input figures" + none, 1, "sightglass models fetch ssd-mobilenet-v1");
  expect_error("segment --input " + write("text.mp4", "no video") + none, 1, "text.mp4: ");
  const std::string whole = mp4();
  expect_error("segment --input " + whole + " --output " + whole, 2, "is both the input and the output");
  expect_error("segment --input " + whole + " --size 640x480" + none, 2, "--size and --rate are for cameras");
  fs::resize_file(whole, fs::file_size(whole) / 2);
  expect_error("segment --input " + whole + none, 1, "in.mp4: ");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  expect_error("segment --input " + path("pipe") + none, 2, "is not a regular file");
}

// With a stand-in for the desktop portal, which shares node 42 of PipeWire.
TEST_F(VideoCommand, SharesTheScreenThroughThePortal) {
  if (!installed("pipewiresrc")) GTEST_SKIP() << "pipewiresrc is not installed";
  if (run_program("dbus-run-session --version && /usr/bin/python3 -c 'import gi'").status != 0) {
    GTEST_SKIP() << "dbus-run-session or python3-gi is not installed";
  }
  const auto share = [&](const std::string& mode) {
    fs::remove(path("portal.log"));
    const std::string script = "/usr/bin/python3 " + quoted(SIGHTGLASS_MOCK_PORTAL) + " " + mode + " >" +
                               path("portal.log") + " & portal=$!; until grep -q ready " + path("portal.log") +
                               " 2>/dev/null; do sleep 0.1; done; timeout 60 " + kSightglass +
                               " segment --input screen --output none --print-pipeline; status=$?; kill $portal; "
                               "exit $status";
    return run_program("dbus-run-session -- sh -c " + quoted(script) + " 2>&1");
  };
  expect_output(share(""), 0, {"pipewiresrc fd=", " path=42 "});
  expect_output(share("decline"), 1, {"screen: sharing was declined"});
}

// Before it plays anything other than figures with the bundled model.
TEST_F(VideoCommand, NamesTheModelForPeopleAndWhatTheBundledOneMisses) {
  const std::string line = "segment --print-pipeline --output none --input " + mp4();
  const CommandResult video = run_command(line);
  expect_words(video.output, {"sightglass models fetch selfie-segmenter", "parts of people can be missing",
                              "model=\"figure-recurrent\""});
  const CommandResult chosen = run_command(line + " --model figure");
  EXPECT_EQ(chosen.output.find("models fetch"), std::string::npos) << chosen.output;
  const CommandResult figures = run_command("segment --print-pipeline --output none --input figures");
  EXPECT_EQ(figures.output.find("recurrent"), std::string::npos) << figures.output;
}

TEST_F(VideoCommand, ListsCameras) {
  const CommandResult result = succeeded(run_command("devices --json", "2>/dev/null"));
  const auto cameras = nlohmann::json::parse(result.output);
  EXPECT_TRUE(cameras.is_array());
  std::printf("%zu cameras\n", cameras.size());
}

}  // namespace
}  // namespace sightglass::test
