// The files that the subcommands for video write: their names, what is at their places, and their last frames.
#include "video/output.h"

#include <gst/app/gstappsrc.h>
#include <gst/pbutils/pbutils.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <set>
#include <thread>
#include <vector>

#include "gpu_engine/files.h"
#include "video/frame_layout.h"
#include "video/output_file.h"
#include "video_case.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFigures =
    " --input figures --seconds 1 --size 65x49 --model figure --refine none --blur-strength 2";

// Decodes a file. The times are those of its frames, in seconds.
struct Decoded {
  int width = 0, height = 0;
  std::vector<double> times;
};

Decoded decoded(const std::string& path) {
  Decoded result;
  GstElement* const pipeline = gst_parse_launch(
      ("filesrc location=\"" + path + "\" ! decodebin ! fakesink name=sink signal-handoffs=true").c_str(), nullptr);
  GstElement* const sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  const auto on_frame = +[](GstElement*, GstBuffer* buffer, GstPad* pad, gpointer data) {
    auto& decoded = *static_cast<Decoded*>(data);
    GstEvent* const event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
    const GstSegment* segment = nullptr;
    gst_event_parse_segment(event, &segment);
    const guint64 time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    gst_event_unref(event);
    decoded.times.push_back(static_cast<double>(time) / GST_SECOND);
    GstCaps* const caps = gst_pad_get_current_caps(pad);
    gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &decoded.width);
    gst_structure_get_int(gst_caps_get_structure(caps, 0), "height", &decoded.height);
    gst_caps_unref(caps);
  };
  g_signal_connect(sink, "handoff", G_CALLBACK(on_frame), &result);
  gst_object_unref(sink);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* const bus = gst_element_get_bus(pipeline);
  GstMessage* const message = gst_bus_timed_pop_filtered(
      bus, 20 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (message != nullptr) gst_message_unref(message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  std::printf("%s: %zu frames of %dx%d\n", path.c_str(), result.times.size(), result.width, result.height);
  return result;
}

class OutputFiles : public VideoCase {
 protected:
  void SetUp() override {
    VideoCase::SetUp();
    gst_init(nullptr, nullptr);
    for (const char* element : {"x264enc", "mp4mux", "matroskamux", "vp8enc", "webmmux"}) {
      GstElementFactory* const factory = gst_element_factory_find(element);
      if (factory == nullptr) GTEST_SKIP() << element << " is not installed";
      gst_object_unref(factory);
    }
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(""))) {
      if (entry.is_regular_file()) names.insert(entry.path().filename());
    }
    return names;
  }
  // Frames that are shown at these times, in milliseconds.
  std::string clip(const std::string& name, const std::vector<int>& times) const {
    GstElement* const pipeline = gst_parse_launch(
        ("appsrc name=source format=time caps=video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! x264enc"
         " bframes=0 ! h264parse ! matroskamux ! filesink location=" +
         path(name))
            .c_str(),
        nullptr);
    GstElement* const source = gst_bin_get_by_name(GST_BIN(pipeline), "source");
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    constexpr size_t kBytes = 64 * 48 * 3 / 2;
    for (size_t i = 0; i < times.size(); ++i) {
      GstBuffer* const buffer = gst_buffer_new_allocate(nullptr, kBytes, nullptr);
      gst_buffer_memset(buffer, 0, static_cast<guint8>(20 * i), kBytes);
      GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(times[i]) * GST_MSECOND;
      GST_BUFFER_DURATION(buffer) = 33 * GST_MSECOND;
      gst_app_src_push_buffer(GST_APP_SRC(source), buffer);
    }
    gst_app_src_end_of_stream(GST_APP_SRC(source));
    gst_object_unref(source);
    GstBus* const bus = gst_element_get_bus(pipeline);
    GstMessage* const message = gst_bus_timed_pop_filtered(
        bus, 20 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    EXPECT_TRUE(message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) << name;
    if (message != nullptr) gst_message_unref(message);
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    return path(name);
  }
  static CommandResult segment(const std::string& input, const std::string& output) {
    return run_command("segment --model figure --refine none --blur-strength 2 --input " + input + " --output '" +
                       output + "'");
  }
};

TEST_F(OutputFiles, NamesAreNoFormats) {
  using video::parse_numbered_name;
  for (const char* name :
       {"a.png", "100%.png", "n%n.png", "e%s.png", "%d/a.png", "%-5d.png", "%ld.png", "%12345d.png"}) {
    EXPECT_FALSE(parse_numbered_name(name)) << name;
  }
  struct Case {
    const char *name, *third, *format;
  };
  for (const Case& test : {Case{"f-%05d.png", "f-00003.png", "f-%05d.png"}, Case{"%d", "3", "%d"},
                           Case{"50% %s/%n%2d%.png", "50% %s/%n 3%.png", "50%% %%s/%%n%2d%%.png"},
                           Case{"%d-%d.png", "%d-3.png", "%%d-%d.png"}}) {
    const auto name = parse_numbered_name(test.name);
    ASSERT_TRUE(name) << test.name;
    EXPECT_EQ(name->at(3), test.third);
    EXPECT_EQ(name->format(), test.format);
    EXPECT_TRUE(name->matches(test.third));
  }
  EXPECT_FALSE(parse_numbered_name("f-%05d.png")->matches("f-x.png"));

  fs::create_directory(path("50% %s"));
  ASSERT_EQ(run_command("segment" + std::string(kFigures) + " --output '" + path("e%s%n.png") + "'").status, 0);
  EXPECT_EQ(names(), (std::set<std::string>{"e%s%n.png"})) << "and nothing else";
  succeeded(run_command("segment" + std::string(kFigures) + " --output '" + path("50% %s/%n-%03d.jpg") + "'"));
  EXPECT_TRUE(fs::exists(path("50% %s/%n-014.jpg")));
  EXPECT_EQ(std::distance(fs::directory_iterator(path("50% %s")), {}), 15);
}

TEST_F(OutputFiles, PipesAndDevicesAreWrittenToAndStay) {
  for (const char* name : {"frames.y4m", "results"}) ASSERT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
  fs::create_symlink("/dev/null", path("null"));
  succeeded(run_program("timeout 90 cat " + path("frames.y4m") + " >" + path("got.y4m") + " & timeout 90 cat " +
                        path("results") + " >" + path("got.json") + " & timeout 60 " + kSightglass +
                        " pose --input figures --size 64x48 --seconds 1 --model figure --output " + path("frames.y4m") +
                        " --results-file " + path("results") + " 2>&1; status=$?; wait; exit $status"));
  EXPECT_TRUE(fs::is_fifo(path("frames.y4m")) && fs::is_fifo(path("results")));
  EXPECT_NEAR(static_cast<double>(fs::file_size(path("got.y4m"))), 15 * 64 * 48 * 1.5, 500);
  EXPECT_GT(fs::file_size(path("got.json")), 100U);
  const CommandResult null = succeeded(run_command("pose" + std::string(" --input figures --size 64x48 --seconds 1") +
                                                   " --model figure --output none --results-file " + path("null")));
  EXPECT_TRUE(fs::is_symlink(path("null")) && fs::is_character_file(path("null")));
}

TEST_F(OutputFiles, FilesThatAreReadOrWrittenTwiceAreErrors) {
  const std::string input = write("frame-3.png", "an image"), sheet = path("sheet.png");
  const auto expect_error = [&](const std::string& arguments, const std::string& words) {
    const CommandResult result = run_command("pose --print-pipeline --model figure " + arguments);
    EXPECT_EQ(result.status, 2) << arguments << result.output;
    EXPECT_NE(result.output.find(words), std::string::npos) << result.output;
  };
  const std::string figures = "--input figures --output ";
  expect_error(figures + sheet + " --contact-sheet " + sheet, "sheet.png: is written twice");
  expect_error(figures + "none --results-file " + sheet + " --contact-sheet " + sheet, "sheet.png: is written twice");
  const std::string model = "--input figures --output none --model " + input;
  EXPECT_NE(run_command("pose --print-pipeline " + model + " --results-file " + input).output.find("both the input"),
            std::string::npos);
  const auto images = video::parse_numbered_name(path("frame-%d.png"));
  EXPECT_TRUE(images->matches(input));
}

TEST_F(OutputFiles, AFileHasOneWriter) {
  const auto other = AtomicFile::create_locked(path("out.y4m"), FileAccess::kEveryone);
  ASSERT_TRUE(other.ok() && other->has_value());
  expect_output(run_command("segment" + std::string(kFigures) + " --output " + path("out.y4m")), 1,
                {"out.y4m: another process writes this file"});
}

TEST_F(OutputFiles, OddSizesLoseAPixelAndSaySo) {
  for (const char* encoder : {"x264enc bframes=0", "vah264enc", "video/x-raw ! openh264enc"}) {
    EXPECT_TRUE(video::needs_even_size(encoder)) << encoder;
  }
  EXPECT_FALSE(video::needs_even_size("video/x-raw,format=I420 ! vp8enc deadline=1"));
  for (const char* ending : {"mp4", "webm"}) {
    const std::string output = path(std::string("odd.") + ending);
    const CommandResult result = succeeded(run_command("segment" + std::string(kFigures) + " --output " + output));
    const bool cropped = result.output.find("frames of 65x49 become 64x48") != std::string::npos;
    EXPECT_EQ(cropped, std::string_view(ending) == "mp4") << result.output;
    const Decoded video = decoded(output);
    EXPECT_EQ(video.width, cropped ? 64 : 65);
    EXPECT_EQ(video.height, cropped ? 48 : 49);
    EXPECT_EQ(video.times.size(), 15U);
  }
}

TEST_F(OutputFiles, VariableRatesKeepTheirTail) {
  const std::vector<int> times = {0, 33, 66, 100, 500, 520, 540, 2000, 2033, 3900, 4000};
  const std::string input = clip("variable.mkv", times);
  for (const char* ending : {"mp4", "mov"}) {
    const std::string output = path(std::string("variable.") + ending);
    succeeded(segment(input, output));
    const Decoded video = decoded(output);
    ASSERT_EQ(video.times.size(), times.size());
    for (size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(video.times[i], 1e-3 * times[i], 0.005) << i;
  }
}

TEST_F(OutputFiles, AFileThatEndsEarlyIsReportedAndItsResultKept) {
  std::vector<int> times(60);
  for (size_t i = 0; i < times.size(); ++i) times[i] = static_cast<int>(33 * i);
  const std::string input = clip("whole.mkv", times);
  EXPECT_EQ(video::describe_cut(input), "");
  const auto size = fs::file_size(input);
  fs::resize_file(input, size / 2);
  expect_output(segment(input, path("half.mkv")), 1,
                {"whole.mkv: ends early: " + std::to_string(size / 2) + " of at least " + std::to_string(size) +
                 " bytes are there; the output has what is there"});
  const size_t frames = decoded(path("half.mkv")).times.size();
  EXPECT_TRUE(frames > 10 && frames < 60) << frames;
}

TEST_F(OutputFiles, FormatsWithSizesOrAnEndShowWhetherTheyAreCut) {
  const std::string source = "gst-launch-1.0 -q videotestsrc ! video/x-raw,format=I420,width=64,height=48 ! tee name=t";
  const auto frames = [&](int count) {
    return " && " + std::string(source).insert(source.find(" ! "), " num-buffers=" + std::to_string(count));
  };
  succeeded(run_program(
      "mkdir " + path("cut") + " && cd " + path("cut") + frames(9) +
      " t. ! queue ! x264enc key-int-max=3 ! tee name=h h. ! queue ! h264parse ! mp4mux ! filesink location=a.mp4"
      " h. ! queue ! h264parse ! mp4mux faststart=true ! filesink location=fast.mp4"
      " h. ! queue ! h264parse ! mp4mux fragment-duration=100 ! filesink location=fragments.mp4"
      " h. ! queue ! h264parse ! avimux ! filesink location=a.avi"
      " h. ! queue ! h264parse ! flvmux ! filesink location=a.flv"
      " h. ! queue ! h264parse ! qtmux ! filesink location=a.mov"
      " t. ! queue ! theoraenc ! oggmux ! filesink location=a.ogv"
      " t. ! queue ! vp8enc ! webmmux ! filesink location=a.webm" +
      frames(1) +
      " t. ! queue ! videoconvert ! pngenc ! filesink location=a.png t. ! queue ! jpegenc ! filesink location=a.jpg "
      "2>&1"));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(path("cut"))) {
    const std::string name = entry.path().string();
    EXPECT_EQ(video::describe_cut(name), "") << name;
    fs::resize_file(name, fs::file_size(name) * 6 / 10);
    EXPECT_TRUE(video::describe_cut(name).starts_with("ends early")) << name;
    ++files;
  }
  EXPECT_EQ(files, 10);
  EXPECT_EQ(video::describe_cut(write("empty", "")), "");
  EXPECT_EQ(video::describe_cut(write("text", "no video, but some text")), "");
}

}  // namespace
}  // namespace sightglass::test
