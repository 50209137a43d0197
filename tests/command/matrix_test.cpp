// What goes into a video subcommand comes out: sizes, pixel formats, containers, outputs, rates, pixel aspect ratios,
// and orientations, in rows that a seed chooses. SIGHTGLASS_MATRIX=all runs rows for every pair (./dev matrix-test).
#include "matrix.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <cmath>
#include <cstring>
#include <iterator>

#include "video/gst_setup.h"
#include "video_case.h"

namespace sightglass::test {
namespace {

using video::ElementPtr;

constexpr int kLeastSide = 16;       // of most muxers
constexpr int kLeastSubsampled = 4;  // of videoconvert
constexpr int kSteep = 6;            // of frames in whose subsampled chroma the colors below are lost

struct Source {
  const char* name;
  const char* ending;
  const char* encoder;  // behind videoconvert, in gst-launch syntax
  bool pipe = false;    // standard input
  bool still = false, even = false, keeps_ratio = true, rotates = false;
  int least = 1;  // side that the muxer takes
};
constexpr Source kSources[] = {
    {.name = "Y4M 4:2:0, pipe", .ending = ".y4m", .encoder = "video/x-raw,format=I420 ! y4mwrite", .pipe = true},
    {.name = "Y4M 4:4:4, pipe", .ending = ".y4m", .encoder = "video/x-raw,format=Y444 ! y4mwrite", .pipe = true},
    {.name = "Y4M 4:2:2 10 bits", .ending = ".y4m", .encoder = "video/x-raw,format=I422_10LE ! y4mwrite"},
    {.name = "Y4M 4:1:1", .ending = ".y4m", .encoder = "video/x-raw,format=Y41B ! y4mwrite"},
    {.name = "H.264 in MP4",
     .ending = ".mp4",
     .encoder = "video/x-raw,format=I420 ! x264enc pass=quant quantizer=12 speed-preset=ultrafast ! mp4mux",
     .even = true,
     .rotates = true,
     .least = kLeastSide},
    {.name = "H.264 4:4:4 in MKV",
     .ending = ".mkv",
     .encoder = "video/x-raw,format=Y444 ! x264enc pass=quant quantizer=12 speed-preset=ultrafast ! matroskamux"},
    {.name = "VP8 in WebM",
     .ending = ".webm",
     .encoder = "vp8enc deadline=1 min-quantizer=0 max-quantizer=8 ! webmmux",
     .least = kLeastSide},
    {.name = "Motion JPEG in AVI",
     .ending = ".avi",
     .encoder = "jpegenc quality=95 ! avimux",
     .keeps_ratio = false,
     .least = kLeastSide},
    {.name = "PNG", .ending = ".png", .encoder = "video/x-raw,format=RGB ! pngenc", .still = true},
    {.name = "JPEG",
     .ending = ".jpg",
     .encoder = "video/x-raw,format=I420 ! jpegenc quality=95",
     .still = true,
     .rotates = true},
};
constexpr size_t kFullChroma = 1;  // Y4M 4:4:4
struct Target {
  const char* name;
  int least = 1;
};
constexpr Target kOutputs[] = {
    {".png"}, {".mp4", kLeastSide}, {".y4m"}, {".webm", kLeastSide}, {".mkv", kLeastSubsampled},
    {".jpg"}, {".mov", kLeastSide}, {"-"}};
struct Ratio {
  int numerator, denominator;
};
constexpr Ratio kRates[] = {{25, 1}, {30000, 1001}, {5, 1}, {60, 1}};
constexpr Ratio kAspects[] = {{1, 1}, {1, 1}, {4, 3}, {8, 9}};
constexpr int kOrientations = 8;  // of EXIF, from 1
constexpr int kFrames = 4;

// Colors of the upright frame; u and v are fractions of its size. A steeper slope would show the chroma of 4:2:0 in
// small frames.
struct Color {
  double red, green, blue;
};
Color color_at(double u, double v, int frame) { return {90 + 60 * u, 90 + 60 * v, 70.0 + 25 * frame}; }

// The place in the upright frame that a place of the stored one shows.
std::pair<double, double> upright(int orientation, double u, double v) {
  switch (orientation) {
    case 2:
      return {1 - u, v};
    case 3:
      return {1 - u, 1 - v};
    case 4:
      return {u, 1 - v};
    case 5:
      return {v, u};
    case 6:
      return {1 - v, u};
    case 7:
      return {1 - v, 1 - u};
    case 8:
      return {v, 1 - u};
    default:
      return {u, v};
  }
}

struct Trial {
  int width, height;  // as stored
  Source source;
  Target target;
  Ratio rate, aspect;
  int orientation;

  bool swaps() const { return orientation >= 5; }
  int upright_width() const { return swaps() ? height : width; }
  int upright_height() const { return swaps() ? width : height; }
  bool too_small() const {
    const int even = target.name == std::string_view(".webm") ? 0 : 1;  // the encoder of the others takes even sizes
    return target.least > 1 && std::min(width & ~even, height & ~even) < target.least;
  }
  std::string name() const {
    return std::string(source.name) + ", " + std::to_string(width) + "x" + std::to_string(height) + ", " +
           std::to_string(rate.numerator) + "/" + std::to_string(rate.denominator) + " fps, pixels " +
           std::to_string(aspect.numerator) + ":" + std::to_string(aspect.denominator) + ", orientation " +
           std::to_string(orientation) + ", to " + target.name;
  }
};

Trial make_trial(const std::vector<int>& sizes, const std::vector<size_t>& row) {
  Trial trial{sizes[row[0]],
              sizes[row[1]],
              kSources[row[2]],
              kOutputs[row[3]],
              kRates[row[4]],
              kAspects[row[5]],
              static_cast<int>(row[6]) + 1};
  // videoconvert, which makes the input, subsamples smaller frames wrongly.
  if (std::min(trial.width, trial.height) < kLeastSubsampled) trial.source = kSources[kFullChroma];
  trial.width = std::max(trial.width, trial.source.least);
  trial.height = std::max(trial.height, trial.source.least);
  if (trial.source.even) {
    trial.width += trial.width % 2;
    trial.height += trial.height % 2;
  }
  if (trial.source.still || !trial.source.keeps_ratio) trial.aspect = {1, 1};
  if (!trial.source.rotates) trial.orientation = 1;
  // Demuxers know no mirrored movies.
  constexpr int kRotations[] = {1, 1, 3, 3, 1, 6, 6, 8, 8};
  if (!trial.source.still) trial.orientation = kRotations[trial.orientation];
  return trial;
}

GstBuffer* stored_frame(const Trial& trial, int number) {
  const int stride = GST_ROUND_UP_4(3 * trial.width);
  GstBuffer* buffer =
      gst_buffer_new_allocate(nullptr, static_cast<gsize>(stride) * static_cast<gsize>(trial.height), nullptr);
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  for (int y = 0; y < trial.height; ++y) {
    for (int x = 0; x < trial.width; ++x) {
      const auto [u, v] = upright(trial.orientation, (x + 0.5) / trial.width, (y + 0.5) / trial.height);
      const Color color = color_at(u, v, number);
      guint8* pixel = map.data + y * stride + 3 * x;
      pixel[0] = static_cast<guint8>(std::lround(color.red));
      pixel[1] = static_cast<guint8>(std::lround(color.green));
      pixel[2] = static_cast<guint8>(std::lround(color.blue));
    }
  }
  gst_buffer_unmap(buffer, &map);
  const auto time = [&](int n) {
    return gst_util_uint64_scale(static_cast<guint64>(n), static_cast<guint64>(trial.rate.denominator) * GST_SECOND,
                                 static_cast<guint64>(trial.rate.numerator));
  };
  GST_BUFFER_PTS(buffer) = time(number);
  GST_BUFFER_DURATION(buffer) = time(number + 1) - time(number);
  return buffer;
}

// Waits for the end of a pipeline, and returns its error.
std::string finish(GstElement* pipeline) {
  const video::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline));
  GstMessage* const message = gst_bus_timed_pop_filtered(
      bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  std::string text = message == nullptr ? "no end" : "";
  if (message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    text = error->message;
    g_error_free(error);
  }
  if (message != nullptr) gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return text;
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The eight orientations as matrices of MP4 (a, b, c, d), by the number of EXIF.
constexpr int kMatrices[9][4] = {{1, 0, 0, 1}, {1, 0, 0, 1},  {-1, 0, 0, 1},  {-1, 0, 0, -1}, {1, 0, 0, -1},
                                 {0, 1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0}, {0, -1, 1, 0}};

void rotate_mp4(std::string& bytes, int orientation) {
  const size_t header = bytes.find("tkhd");
  ASSERT_NE(header, std::string::npos);
  const size_t matrix = header + 4 + 40 + (bytes[header + 4] == 1 ? 12 : 0);
  constexpr size_t kPlaces[] = {0, 4, 12, 16};
  for (size_t i = 0; i < 4; ++i) {
    const auto value = static_cast<uint32_t>(kMatrices[orientation][i] * 0x10000);
    for (size_t byte = 0; byte < 4; ++byte) {
      bytes[matrix + kPlaces[i] + byte] = static_cast<char>(value >> (24 - 8 * byte) & 0xff);
    }
  }
}

void rotate_jpeg(std::string& bytes, int orientation) {
  std::string exif(
      "\xff\xe1\x00\x22"
      "Exif\0\0"
      "MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0",
      36);
  exif[29] = static_cast<char>(orientation);
  bytes.insert(2, exif);
}

struct DecodedFrames {
  int width = 0, height = 0;
  Ratio aspect{1, 1};
  std::vector<std::string> frames;  // RGB, tightly packed
};

DecodedFrames decode_frames(const std::string& path) {
  const ElementPtr pipeline(
      gst_parse_launch(("filesrc location=" + path +
                        " ! decodebin ! videoconvert ! video/x-raw,format=RGB ! appsink name=sink "
                        "sync=false")
                           .c_str(),
                       nullptr));
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  DecodedFrames decoded;
  while (GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink.get()), 30 * GST_SECOND)) {
    GstVideoInfo info;
    GstVideoFrame frame;
    gst_video_info_from_caps(&info, gst_sample_get_caps(sample));
    if (gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) {
      decoded.width = GST_VIDEO_INFO_WIDTH(&info);
      decoded.height = GST_VIDEO_INFO_HEIGHT(&info);
      decoded.aspect = {GST_VIDEO_INFO_PAR_N(&info), GST_VIDEO_INFO_PAR_D(&info)};
      std::string pixels;
      for (int y = 0; y < decoded.height; ++y) {
        pixels.append(static_cast<const char*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                          static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
                      static_cast<size_t>(3 * decoded.width));
      }
      decoded.frames.push_back(std::move(pixels));
      gst_video_frame_unmap(&frame);
    }
    gst_sample_unref(sample);
  }
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return decoded;
}

// The mean difference of a frame to what went in. A frame that is a pixel smaller or larger is cropped or padded;
// another size is scaled.
double difference(const Trial& trial, const DecodedFrames& decoded, size_t number) {
  const auto fraction = [](int pixel, int size, int expected) {
    if (std::abs(size - expected) > 1) return (pixel + 0.5) / size;
    return (std::min(pixel, expected - 1) + 0.5) / expected;
  };
  double sum = 0;
  const std::string& pixels = decoded.frames[number];
  for (int y = 0; y < decoded.height; ++y) {
    for (int x = 0; x < decoded.width; ++x) {
      const Color color = color_at(fraction(x, decoded.width, trial.upright_width()),
                                   fraction(y, decoded.height, trial.upright_height()), static_cast<int>(number));
      const size_t at = 3 * (static_cast<size_t>(y) * static_cast<size_t>(decoded.width) + static_cast<size_t>(x));
      const auto sample = [&](size_t i) { return static_cast<double>(static_cast<guint8>(pixels[at + i])); };
      sum += std::abs(sample(0) - color.red) + std::abs(sample(1) - color.green) + std::abs(sample(2) - color.blue);
    }
  }
  return sum / (3.0 * decoded.width * decoded.height);
}

class Matrix : public VideoCase {
 protected:
  void SetUp() override {
    VideoCase::SetUp();
    video::start_gstreamer();
    if (!video::installed("y4mwrite")) gst_registry_scan_path(gst_registry_get(), SIGHTGLASS_PLUGINS);
    for (const char* element : {"y4mwrite", "x264enc", "vp8enc", "mp4mux", "webmmux", "avimux", "pngenc", "jpegenc"}) {
      if (!video::installed(element)) GTEST_SKIP() << element << " is not installed";
    }
  }

  std::string make_input(const Trial& trial) const {
    const std::string file = path(std::string("in") + trial.source.ending);
    const std::string caps =
        "video/x-raw,format=RGB,width=" + std::to_string(trial.width) + ",height=" + std::to_string(trial.height) +
        ",framerate=" + std::to_string(trial.rate.numerator) + "/" + std::to_string(trial.rate.denominator) +
        ",pixel-aspect-ratio=" + std::to_string(trial.aspect.numerator) + "/" +
        std::to_string(trial.aspect.denominator);
    const ElementPtr pipeline(
        gst_parse_launch(("appsrc name=source format=time caps=\"" + caps + "\" ! videoconvert ! " +
                          trial.source.encoder + " ! filesink location=" + file)
                             .c_str(),
                         nullptr));
    const ElementPtr source(gst_bin_get_by_name(GST_BIN(pipeline.get()), "source"));
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    for (int i = 0; i < (trial.source.still ? 1 : kFrames); ++i) {
      gst_app_src_push_buffer(GST_APP_SRC(source.get()), stored_frame(trial, i));
    }
    gst_app_src_end_of_stream(GST_APP_SRC(source.get()));
    EXPECT_EQ(finish(pipeline.get()), "");
    if (trial.orientation > 1) {
      std::string bytes = read_all(file);
      trial.source.still ? rotate_jpeg(bytes, trial.orientation) : rotate_mp4(bytes, trial.orientation);
      std::ofstream(file, std::ios::binary) << bytes;
    }
    return file;
  }

  void check(const Trial& trial) const {
    SCOPED_TRACE(trial.name());
    const std::string input = make_input(trial);
    const std::string ending = trial.target.name;
    const bool pipe = ending == "-";
    const std::string output = path("out" + (pipe ? ".y4m" : ending));
    const std::string redirect = (trial.source.pipe ? " <" + input : std::string(" </dev/null")) +
                                 (pipe ? " 2>" + path("log") + " >" + output : " 2>&1");
    std::filesystem::remove(output);
    const CommandResult result =
        run_program("timeout 60 " + kSightglass + " segment --model figure --blur-radius 0 --refine none --input " +
                    (trial.source.pipe ? "-" : input) + " --output " + (pipe ? "-" : output) + redirect);
    if (trial.too_small()) {
      EXPECT_EQ(result.status, 1);
      EXPECT_NE(result.output.find("too small"), std::string::npos) << result.output;
      EXPECT_FALSE(std::filesystem::exists(output));
      std::printf("%s: refused\n", trial.name().c_str());
      return;
    }
    ASSERT_EQ(result.status, 0) << result.output << (pipe ? read_all(path("log")) : "");
    const DecodedFrames decoded = decode_frames(output);
    const bool still = trial.source.still || ending == ".png" || ending == ".jpg";
    EXPECT_EQ(decoded.frames.size(), static_cast<size_t>(still ? 1 : kFrames));
    ASSERT_FALSE(decoded.frames.empty());
    // Some containers store the shape in whole pixels.
    const double expected = static_cast<double>(trial.upright_width()) / trial.upright_height() *
                            (trial.swaps() ? static_cast<double>(trial.aspect.denominator) / trial.aspect.numerator
                                           : static_cast<double>(trial.aspect.numerator) / trial.aspect.denominator);
    const double shape =
        static_cast<double>(decoded.width) / decoded.height * decoded.aspect.numerator / decoded.aspect.denominator;
    const bool same = decoded.width == trial.upright_width() && decoded.height == trial.upright_height();
    const bool keeps_ratio = !still && !pipe;
    if (same && keeps_ratio) {
      EXPECT_NEAR(shape / expected, 1, 0.02 + 1.0 / std::min(decoded.width, decoded.height))
          << decoded.width << "x" << decoded.height;
    }
    double worst = 0;
    // videoconvert, which decodes them here, repeats the first one if they have one row.
    const size_t compared = decoded.height == 1 ? 1 : decoded.frames.size();
    for (size_t i = 0; i < compared; ++i) worst = std::max(worst, difference(trial, decoded, i));
    EXPECT_LT(worst, std::min(trial.width, trial.height) <= kSteep ? 10 : 6) << decoded.width << "x" << decoded.height;
    std::printf("%s: %dx%d, %zu frames, difference %.1f\n", trial.name().c_str(), decoded.width, decoded.height,
                decoded.frames.size(), worst);
  }
};

TEST_F(Matrix, WhatGoesInComesOut) {
  const char* const wanted = std::getenv("SIGHTGLASS_MATRIX");
  const bool all = wanted != nullptr && std::string_view(wanted) == "all";
  std::vector<int> sizes = {64, 31, 97, 130, 7, 16};
  if (all) sizes.insert(sizes.end(), {1, 2, 3, 5, 127, 353, 642, 853, 854, 1080, 1921});
  const std::vector<size_t> levels = {sizes.size(),      sizes.size(),        std::size(kSources),  std::size(kOutputs),
                                      std::size(kRates), std::size(kAspects), size_t{kOrientations}};
  constexpr size_t kQuick = 6;
  constexpr unsigned kSeed = 38;
  for (const std::vector<size_t>& row : pairwise_rows(levels, all ? SIZE_MAX : kQuick, kSeed)) {
    check(make_trial(sizes, row));
    if (HasFatalFailure() && !all) return;
  }
}

TEST_F(Matrix, FramesThatAreTooSmallForAFileAreNamed) {
  for (const Target& target : kOutputs) {
    for (const int side : {3, 15}) {
      const Trial trial{side, 20, kSources[kFullChroma], target, kRates[0], kAspects[0], 1};
      if (trial.too_small()) check(trial);
    }
  }
}

TEST(PairwiseRows, CoverEveryPair) {
  const std::vector<size_t> levels = {4, 3, 5, 2};
  const auto rows = pairwise_rows(levels, SIZE_MAX, 1);
  EXPECT_LT(rows.size(), 60U) << "all combinations are 120";
  for (size_t a = 0; a < levels.size(); ++a) {
    for (size_t b = a + 1; b < levels.size(); ++b) {
      std::set<std::pair<size_t, size_t>> seen;
      for (const auto& row : rows) seen.emplace(row[a], row[b]);
      EXPECT_EQ(seen.size(), levels[a] * levels[b]);
    }
  }
}

}  // namespace
}  // namespace sightglass::test
