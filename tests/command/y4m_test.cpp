// y4mread, y4mwrite, and raw frames in containers: every size and format, byte by byte; ranges of encoded ones.
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "harness/scratch_folder.h"
#include "video/frame_layout.h"
#include "video/gst_setup.h"

namespace sightglass::test {
namespace {

using video::ElementPtr;

constexpr int kStreamFrames = 2;

struct Format {
  const char* colorspace;
  int shift_x, shift_y, planes, bytes;  // of chroma; bytes per sample
};
constexpr Format kFormats[] = {{"420jpeg", 1, 1, 3, 1}, {"420mpeg2", 1, 1, 3, 1}, {"422", 1, 0, 3, 1},
                               {"444", 0, 0, 3, 1},     {"411", 2, 0, 3, 1},      {"mono", 0, 0, 1, 1},
                               {"420p10", 1, 1, 3, 2},  {"422p10", 1, 0, 3, 2},   {"444p10", 0, 0, 3, 2},
                               {"420p12", 1, 1, 3, 2},  {"mono16", 0, 0, 1, 2}};

// A stream with random samples, and the rows of its frames in order.
struct Stream {
  std::string bytes;
  std::vector<std::string> rows;
};

Stream make_stream(const Format& format, int width, int height, const std::string& frame_line = "FRAME\n") {
  std::mt19937 random(static_cast<unsigned>(width * 131 + height));
  Stream stream;
  stream.bytes = "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " F25:1 Ip A1:1 C" +
                 format.colorspace + "\n";
  for (int frame = 0; frame < kStreamFrames; ++frame) {
    stream.bytes += frame_line;
    for (int plane = 0; plane < format.planes; ++plane) {
      const int shift_x = plane > 0 ? format.shift_x : 0, shift_y = plane > 0 ? format.shift_y : 0;
      const int columns = (width + (1 << shift_x) - 1) >> shift_x, rows = (height + (1 << shift_y) - 1) >> shift_y;
      for (int row = 0; row < rows; ++row) {
        std::string samples;
        for (int i = 0; i < columns * format.bytes; ++i) samples += static_cast<char>(random() % 4);
        stream.bytes += samples;
        stream.rows.push_back(std::move(samples));
      }
    }
  }
  return stream;
}

class Y4m : public ::testing::Test {
 protected:
  void SetUp() override {
    video::start_gstreamer();
    std::filesystem::create_directories(folder_);
    if (!video::installed("y4mread")) gst_registry_scan_path(gst_registry_get(), SIGHTGLASS_PLUGINS);
    ASSERT_TRUE(video::installed("y4mread"));
  }

  std::string write(const std::string& bytes) const {
    const std::string path = folder_ / "in.y4m";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string written() const {
    std::ifstream file(folder_ / "out.y4m", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string out() const { return folder_ / "out.y4m"; }

  const std::filesystem::path folder_ = scratch_folder() / "y4m";
};

// What a pipeline says at its end.
struct End {
  std::string error, warning;
};

End run_to_end(const std::string& text) {
  const ElementPtr pipeline(gst_parse_launch(text.c_str(), nullptr));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const video::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  constexpr auto kKinds = static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  End end;
  while (GstMessage* message = gst_bus_timed_pop_filtered(bus.get(), 20 * GST_SECOND, kKinds)) {
    GError* error = nullptr;
    const GstMessageType type = GST_MESSAGE_TYPE(message);
    if (type == GST_MESSAGE_ERROR) gst_message_parse_error(message, &error, nullptr);
    if (type == GST_MESSAGE_WARNING) gst_message_parse_warning(message, &error, nullptr);
    if (error != nullptr) (type == GST_MESSAGE_ERROR ? end.error : end.warning) = error->message;
    g_clear_error(&error);
    gst_message_unref(message);
    if (type != GST_MESSAGE_WARNING) break;
  }
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return end;
}

// The rows of all frames that come out of a pipeline with an appsink "sink".
std::vector<std::string> rows_of(GstElement* pipeline) {
  std::vector<std::string> rows;
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline), "sink"));
  while (GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink.get()), 20 * GST_SECOND)) {
    GstVideoInfo info;
    GstVideoFrame frame;
    const bool mapped = gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) != FALSE &&
                        gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ) != FALSE;
    EXPECT_TRUE(mapped);
    for (guint plane = 0; mapped && plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
      const int width = GST_VIDEO_FRAME_COMP_WIDTH(&frame, plane) * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, plane);
      for (int row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, plane); ++row) {
        const auto* data = static_cast<const char*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
        rows.emplace_back(data + row * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane), static_cast<size_t>(width));
      }
    }
    if (mapped) gst_video_frame_unmap(&frame);
    gst_sample_unref(sample);
  }
  return rows;
}

TEST_F(Y4m, KeepsEverySampleOfEverySize) {
  for (const Format& format : kFormats) {
    for (const int width : {1, 2, 3, 5, 7, 31, 642, 853, 854}) {
      for (const int height : {1, 2, 7}) {
        const std::string name =
            std::string(format.colorspace) + " " + std::to_string(width) + "x" + std::to_string(height);
        const Stream stream = make_stream(format, width, height);
        const std::string source = "filesrc location=" + write(stream.bytes) + " blocksize=1000 ! y4mread ! ";
        // The second one is an element that does not read GstVideoMeta.
        for (const char* between : {"", "identity drop-allocation=true ! "}) {
          const ElementPtr pipeline(
              gst_parse_launch((source + between + "appsink name=sink sync=false").c_str(), nullptr));
          gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
          EXPECT_EQ(rows_of(pipeline.get()), stream.rows) << name << " " << between;
          gst_element_set_state(pipeline.get(), GST_STATE_NULL);
        }
        EXPECT_EQ(run_to_end(source + "y4mwrite ! filesink location=" + out()).error, "") << name;
        EXPECT_EQ(written(), stream.bytes) << name;
      }
    }
  }
}

// Other programs store raw frames without padding. The demuxers of GStreamer pass them on as if they had it.
TEST_F(Y4m, RawFramesInContainersKeepTheirRows) {
  for (const int width : {31, 642, 853}) {
    const Stream stream = make_stream(kFormats[0], width, 7);
    std::string raw;
    for (const std::string& row : stream.rows) raw += row;
    for (const char* muxer : {"matroskamux"}) {
      const int chroma = (width + 1) / 2;
      const auto list = [](int one, int two, int three) {
        return "\"<" + std::to_string(one) + "," + std::to_string(two) + "," + std::to_string(three) + ">\"";
      };
      const End made =
          run_to_end("filesrc location=" + write(raw) + " ! rawvideoparse format=i420 height=7 framerate=25/1 width=" +
                     std::to_string(width) + " plane-strides=" + list(width, chroma, chroma) + " plane-offsets=" +
                     list(0, 7 * width, 7 * width + 4 * chroma) + " ! " + muxer + " ! filesink location=" + out());
      ASSERT_EQ(made.error, "") << muxer;
      const ElementPtr pipeline(gst_parse_launch(
          ("filesrc location=" + out() + " ! decodebin name=decoder ! appsink name=sink sync=false").c_str(), nullptr));
      video::correct_demuxers(pipeline.get());
      gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
      EXPECT_EQ(rows_of(pipeline.get()), stream.rows) << muxer << " " << width;
      gst_element_set_state(pipeline.get(), GST_STATE_NULL);
    }
  }
}

// The range is in the stream and in the container. What no container says comes from the stream.
TEST_F(Y4m, EncodedFramesKeepTheirRange) {
  if (!video::installed("x264enc")) GTEST_SKIP() << "x264enc is not installed";
  for (const char* muxer : {"mp4mux", "qtmux", "matroskamux", "mpegtsmux"}) {
    for (const bool full : {true, false}) {
      const std::string colors = std::string(full ? "1" : "2") + ":4:5:1";
      const End made = run_to_end(
          "videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=64,height=48 ! capssetter replace=true "
          "caps=video/x-raw,format=I420,width=64,height=48,framerate=30/1,colorimetry=" +
          colors + " ! x264enc option-string=fullrange=" + (full ? "on" : "off") + " ! h264parse ! " + muxer +
          " ! filesink location=" + out());
      ASSERT_EQ(made.error, "") << muxer;
      const ElementPtr pipeline(gst_parse_launch(
          ("filesrc location=" + out() + " ! decodebin name=decoder ! appsink name=sink sync=false").c_str(), nullptr));
      video::correct_demuxers(pipeline.get());
      gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
      const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
      GstSample* const sample = gst_app_sink_pull_sample(GST_APP_SINK(sink.get()));
      ASSERT_NE(sample, nullptr) << muxer;
      const GstStructure* const caps = gst_caps_get_structure(gst_sample_get_caps(sample), 0);
      EXPECT_STREQ(gst_structure_get_string(caps, "colorimetry"), colors.c_str()) << muxer;
      EXPECT_FALSE(gst_structure_has_field(caps, "sightglass-container-colorimetry")) << muxer;
      gst_sample_unref(sample);
      gst_element_set_state(pipeline.get(), GST_STATE_NULL);
    }
  }
}

TEST_F(Y4m, WritesFramesWithPaddedRows) {
  const std::string raw = "videotestsrc num-buffers=2 pattern=ball ! video/x-raw,format=I420,width=853,height=7 ! ";
  ASSERT_EQ(run_to_end(raw + "y4mwrite ! filesink location=" + out()).error, "");
  const std::string direct = written();
  EXPECT_EQ(direct.size() - direct.find('\n') - 1, 2 * (6 + 853 * 7 + 2 * 427 * 4));
}

TEST_F(Y4m, ParametersOfFramesAndUnknownOnesAreSkipped) {
  Stream stream = make_stream(kFormats[0], 5, 3, "FRAME Ip XSOME=thing\n");
  stream.bytes.insert(stream.bytes.find('\n'), " XYSCSS=420JPEG");
  const ElementPtr pipeline(gst_parse_launch(
      ("filesrc location=" + write(stream.bytes) + " ! y4mread ! appsink name=sink sync=false").c_str(), nullptr));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  EXPECT_EQ(rows_of(pipeline.get()), stream.rows);
  // Again from the beginning, as `sightglass serve` plays files.
  ASSERT_TRUE(gst_element_seek_simple(pipeline.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
  EXPECT_EQ(rows_of(pipeline.get()), stream.rows);
  gint64 duration = 0;
  EXPECT_TRUE(gst_element_query_duration(pipeline.get(), GST_FORMAT_TIME, &duration));
  EXPECT_EQ(duration, kStreamFrames * GST_SECOND / 25);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

TEST_F(Y4m, SaysWhatItDoesNotRead) {
  const auto message = [&](const std::string& bytes) {
    const End end = run_to_end("filesrc location=" + write(bytes) + " ! y4mread ! fakesink");
    return end.error.empty() ? end.warning : end.error;
  };
  const auto expect = [&](const std::string& bytes, const std::string& words) {
    const std::string said = message(bytes);
    EXPECT_NE(said.find(words), std::string::npos) << words << " in " << said;
  };
  expect("YUV4MPEG2 W8 H8 F25:1 Cmono10\n", "frames of format mono10 are not supported; use one of 420jpeg");
  expect("YUV4MPEG2 W8 H8 F25:1 C444alpha\n", "frames of format 444alpha are not supported");
  expect("YUV4MPEG2 W0 H8 F25:1\n", "W0");
  expect("YUV4MPEG2 H8 F25:1\n", "no width (W)");
  expect("YUV4MPEG2 W99999 H8 F25:1\n", "W99999");
  expect("YUV4MPEG2 W8 H8 F25\n", "F25");
  expect("RIFF W8 H8\n", "does not begin with YUV4MPEG2");
  expect(std::string(10000, 'Y'), "does not end");
  const std::string bytes = make_stream(kFormats[0], 5, 3).bytes;
  expect(bytes + "more", "cut");
  expect(bytes.substr(0, bytes.size() - 1), "cut: frame 1 has");
  std::string wrong = bytes;
  wrong.insert(wrong.find("FRAME", wrong.find("FRAME") + 1), "1\n");
  expect(wrong, "does not begin with FRAME");
}

}  // namespace
}  // namespace sightglass::test
