// How the subcommands for video end: when their work is done, at a time limit, by signals, and when something hangs.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "video_case.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQuickSettings = " --model figure --refine none --blur-strength 2 --inference-interval 5";

class VideoEnding : public VideoCase {
 protected:
  void SetUp() override {
    VideoCase::SetUp();
    if (run_program("gst-inspect-1.0 --exists x264enc && gst-inspect-1.0 --exists mp4mux && "
                    "gst-inspect-1.0 --exists avenc_aac")
            .status != 0) {
      GTEST_SKIP() << "x264enc, mp4mux, or avenc_aac is not installed";
    }
  }

  // Six seconds: an encoder that looks ahead keeps more of them than a queue does.
  std::string slow_clip(int width, int height) const {
    const std::string file = path("slow.mp4");
    succeeded(run_program("gst-launch-1.0 -q videotestsrc num-buffers=60 ! video/x-raw,framerate=10/1,width=" +
                          std::to_string(width) + ",height=" + std::to_string(height) +
                          " ! x264enc speed-preset=ultrafast ! mp4mux name=mux ! filesink location=" + file +
                          " audiotestsrc num-buffers=258 ! avenc_aac ! mux. 2>&1"));
    return file;
  }

  // Starts the command in the background, sends the signals after its first frame, and appends its status, the
  // milliseconds from the first signal, and its messages. "0" as a signal: waits a second.
  CommandResult run_with_signals(const std::string& arguments, const std::string& signals) const {
    const std::string log = path("log");
    std::string line = "cd " + path("") + " && rm -f log && (" + kSightglass + " " + arguments + " --json --no-keys >" +
                       log + " 2>&1 & job=$!; tries=0; until grep -qsE 'progress|stalled' " + log +
                       " || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done; begin=$(date +%s%N); ";
    std::istringstream words(signals);
    for (std::string word; words >> word;) {
      line += word == "0" ? "sleep 1; " : "kill -" + word + " $job 2>/dev/null; ";
    }
    return run_program(line + "wait $job; echo status $? after $((($(date +%s%N) - begin) / 1000000)) ms; cat " + log +
                       ") 2>&1");
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(path(""))) names.push_back(file.path().filename().string());
    return names;
  }
  bool has(const std::string& name) const {
    const auto names = files();
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  static bool plays(const std::string& file) {
    return run_program("gst-launch-1.0 -q filesrc location=" + file + " ! decodebin ! video/x-raw ! fakesink").status ==
           0;
  }
};

int milliseconds_of(const CommandResult& result) {
  const size_t at = result.output.find(" after ");
  return at == std::string::npos ? -1 : std::stoi(result.output.substr(at + 7));
}

// The decoder of this width asks the queue for buffers after the encoder has ended, and gets no answer.
TEST_F(VideoEnding, AnImageEndsWithItsFirstFrame) {
  const std::string still = path("still.png");
  const CommandResult result = run_program("timeout 200 " + kSightglass + " segment --input " + slow_clip(854, 480) +
                                           " --output " + still + kQuickSettings + " 2>&1");
  expect_output(result, 0, {"written: "});
  EXPECT_GT(fs::file_size(still), 0u);
}

// 16x16 pixels and three frames of 0.2 seconds, each pixel after a clear code.
std::string gif_bytes() {
  std::string gif = std::string("GIF89a") + '\x10' + '\0' + '\x10' + '\0' + '\x91' + '\0' + '\0';
  gif += std::string("\0\0\0\xff\0\0\0\xff\0\0\0\xff", 12);
  gif += std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);
  for (unsigned frame = 0; frame < 3; ++frame) {
    gif += std::string("\x21\xf9\x04\x04\x14\0\0\0", 8) + std::string("\x2c\0\0\0\0\x10\0\x10\0\0\x02", 11);
    std::string block;
    unsigned bits = 0, count = 0;
    const auto add = [&](unsigned code) {
      bits |= code << count;
      for (count += 3; count >= 8; count -= 8, bits >>= 8) block += static_cast<char>(bits & 0xff);
    };
    for (int pixel = 0; pixel < 256; ++pixel) {
      add(4);
      add(frame);
    }
    add(5);
    block += static_cast<char>(bits & 0xff);
    gif += static_cast<char>(block.size()) + block + '\0';
  }
  return gif + ';';
}

TEST_F(VideoEnding, AnimatedImagesEnd) {
  if (run_program("gst-inspect-1.0 --exists avdemux_gif").status != 0) GTEST_SKIP() << "avdemux_gif is not installed";
  const std::string gif = write("in.gif", gif_bytes());
  const CommandResult result = run_program("timeout 200 " + kSightglass + " segment --input " + gif + " --output " +
                                           path("gif.mp4") + kQuickSettings + " 2>&1");
  expect_output(result, 0, {"3 frames of 16x16"});
  EXPECT_TRUE(plays(path("gif.mp4")));
}

TEST_F(VideoEnding, ResultsDoNotWaitForTheEncoder) {
  const CommandResult result =
      run_program("timeout 200 " + kSightglass + " pose --model figure --input " + slow_clip(96, 64) + " --output " +
                  path("both.mp4") + " --results-file " + path("both.json") + " 2>&1");
  expect_output(result, 0, {"60 frames of 96x64"});
  EXPECT_TRUE(plays(path("both.mp4")));
  EXPECT_TRUE(has("both.json"));
}

TEST_F(VideoEnding, SegmentRejectsResults) {
  expect_output(run_command("segment --input figures --output none --results-file " + path("r.json")), 2,
                {"--background mask"});
}

TEST_F(VideoEnding, SecondsOfAFileAreItsOwn) {
  const std::string clip = slow_clip(96, 64);
  expect_output(run_command("segment --input " + clip + " --seconds 2 --output " + path("two.mp4") + kQuickSettings), 0,
                {"20 frames of 96x64"});
  // 86 packets of audio are two seconds.
  const CommandResult audio =
      run_program("gst-launch-1.0 filesrc location=" + path("two.mp4") +
                  " ! qtdemux name=d d.audio_0 ! identity silent=false -v ! fakesink | grep -c chain");
  EXPECT_NEAR(std::stoi("0" + audio.output), 86, 2) << audio.output;
  expect_output(run_command("segment --input " + clip + " --seconds 9 --output none" + kQuickSettings), 0,
                {"60 frames of 96x64"});
}

TEST_F(VideoEnding, EverySignalCompletesTheFile) {
  for (const char* signal : {"HUP", "TERM", "INT"}) {
    const std::string name = std::string(signal) + ".mp4";
    const CommandResult result = run_with_signals(
        "segment --input figures --size 160x120 --seconds 600 --output " + name + kQuickSettings, signal);
    EXPECT_NE(result.output.find("status 0 "), std::string::npos) << result.output;
    EXPECT_TRUE(plays(path(name))) << result.output;
  }
}

TEST_F(VideoEnding, HangupsAreIgnoredUnderNohup) {
  const CommandResult result =
      run_program("cd " + path("") + " && (trap '' HUP; " + kSightglass +
                  " segment --json --input figures --size 160x120 --seconds 2 --output none" + kQuickSettings +
                  " >log 2>&1 & job=$!; until grep -q progress log; do sleep 0.1; done; kill "
                  "-HUP $job; wait $job; echo status $?; cat "
                  "log)");
  expect_words(result.output, {"status 0", "\"frames\":30"});
}

// An element that hangs like a driver does.
constexpr const char* kHangs = "identity sleep-time=600000000";

TEST_F(VideoEnding, ASignalEndsWhatHangs) {
  const CommandResult pipeline =
      run_with_signals("run-pipeline 'videotestsrc ! " + std::string(kHangs) + " ! fakesink'", "TERM");
  EXPECT_GE(milliseconds_of(pipeline), 0) << pipeline.output;
  EXPECT_LE(milliseconds_of(pipeline), 6000) << pipeline.output;
  EXPECT_NE(pipeline.output.find("identity0: does not end"), std::string::npos) << pipeline.output;
  const CommandResult second =
      run_with_signals("run-pipeline 'videotestsrc ! " + std::string(kHangs) + " ! fakesink'", "INT 0 INT");
  EXPECT_LE(milliseconds_of(second), 2000) << second.output;
  expect_words(second.output, {"status 130 after", "ended by a second signal"});
  const CommandResult file =
      run_with_signals("segment --input figures --size 160x120 --seconds 600 --output hung.mp4 --encoder '" +
                           std::string(kHangs) + " ! x264enc'" + kQuickSettings,
                       "TERM");
  EXPECT_LE(milliseconds_of(file), 6000) << file.output;
  EXPECT_FALSE(has("hung.mp4"));
}

TEST_F(VideoEnding, StallsAreNamed) {
  const CommandResult element =
      run_command("run-pipeline --patience 2 'videotestsrc ! " + std::string(kHangs) + " ! fakesink'");
  expect_output(element, 1, {"identity0: takes no data for "});
  // The writer of the pipe stays, and writes no more.
  const CommandResult input = run_program("cd " + path("") +
                                          " && mkfifo pipe && { (gst-launch-1.0 -q videotestsrc num-buffers=5 ! "
                                          "video/x-raw,format=I420,width=64,height=48 ! "
                                          "y4menc ! fdsink fd=1; exec sleep 600) >pipe & writer=$!; " +
                                          kSightglass + " segment --input - --patience 4 --output five.mp4" +
                                          kQuickSettings + " <pipe 2>&1; status=$?; kill $writer; exit $status; }");
  expect_output(input, 1, {"standard input: no frame for "});
  EXPECT_NE(input.output.find("the 5 frames until then are in "), std::string::npos) << input.output;
  EXPECT_TRUE(plays(path("five.mp4"))) << "the recording up to a failure of the input is complete";
}

TEST_F(VideoEnding, ClosedDescriptorsAreErrors) {
  const std::string command = kSightglass;
  expect_output(run_program("timeout 30 " + command + " segment --input - --output none 2>&1 <&-"), 2,
                {"standard input is closed"});
  expect_output(run_program("timeout 30 " + command + " segment --input figures --output - 2>&1 >&-"), 2,
                {"standard output is closed"});
  expect_output(run_program("timeout 30 " + command + " models list 2>&1 >&-"), 1, {"cannot write to standard output"});
  const CommandResult all = run_program("cd " + path("") + " && (" + command +
                                        " serve --input figures --listen 127.0.0.1:0 <&- >&- 2>&- & job=$!; sleep 2; " +
                                        "for i in 0 1 2; do readlink /proc/$job/fd/$i; done; kill -9 $job)");
  EXPECT_EQ(all.output, "/dev/null\n/dev/null\n/dev/null\n");
}

TEST_F(VideoEnding, PrintedLinesRun) {
  const std::string clip = path("it's a \"clip\".mp4");
  fs::rename(slow_clip(96, 64), clip);
  const std::string out = path("out $HOME.mp4");
  for (const std::string& arguments :
       {"segment --input '" + path("it'\\''s a \"clip\".mp4") + "' --output '" + out + "'" + kQuickSettings,
        std::string("run-pipeline 'videotestsrc num-buffers=5 ! video/x-raw(ANY),width=64 ! fakesink'")}) {
    const CommandResult line = succeeded(run_command(arguments + " --print-pipeline"));
    std::ofstream(path("line.sh")) << line.output;
    const CommandResult result = run_program("timeout 200 sh " + path("line.sh") + " 2>&1");
    EXPECT_EQ(result.status, 0) << line.output << result.output;
  }
  EXPECT_TRUE(fs::exists(out));
  expect_output(run_command("segment --input figures --output rtsp://:8555/x --print-pipeline"), 2,
                {"has no RTSP server"});
}

}  // namespace
}  // namespace sightglass::test
