// sightglass-render-figures: writes frames of glfiguresrc with their masks and keypoints to one file, for dataset.py.
//
// The file is little-endian: 8 bytes "SGFIGS01"; uint32 size S, count N, first seed, 0; then N records of
//   uint32 seed; 17 x float32 {x, y, visibility}, as in SightglassFigureMeta; S x S x 3 bytes RGB; S x S bytes
//   mask.
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu_engine/files.h"
#include "sightglass/gst/figure_meta.h"
#include "sightglass/status.h"
#include "standard_output.h"

namespace {

using sightglass::AtomicFile;
using sightglass::device_error;
using sightglass::FileAccess;
using sightglass::invalid_argument;
using sightglass::Status;

static_assert(std::endian::native == std::endian::little, "records are written in memory byte order");

struct Options {
  std::string output, framing = "any", aspect = "1/1", detail = "plain";
  double shutter = 0;
  uint32_t seed = 0, count = 0;
  int size = 256;
  bool rooms = false;
};

template <typename T>
void append(std::vector<char>& bytes, T value) {
  const auto* first = reinterpret_cast<const char*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

// Appends the first `channels` bytes of each pixel.
Status append_pixels(std::vector<char>& bytes, GstBuffer* buffer, const GstVideoInfo& info, int channels) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) return device_error("cannot read a frame");
  const auto* data = static_cast<const char*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  const gint pixel = GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0), stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT(&frame); ++y) {
    for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH(&frame); ++x) {
      const char* source = data + static_cast<ptrdiff_t>(y) * stride + static_cast<ptrdiff_t>(x) * pixel;
      bytes.insert(bytes.end(), source, source + channels);
    }
  }
  gst_video_frame_unmap(&frame);
  return {};
}

Status append_record(std::vector<char>& bytes, GstSample* sample) {
  GstBuffer* buffer = gst_sample_get_buffer(sample);
  const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(buffer);
  GstVideoInfo info, mask_info;
  if (meta == nullptr || !gst_video_info_from_caps(&info, gst_sample_get_caps(sample))) {
    return device_error("a frame has no ground truth");
  }
  append(bytes, static_cast<uint32_t>(meta->seed));
  for (const SightglassKeyPoint& point : meta->key_points) {
    append(bytes, point.x);
    append(bytes, point.y);
    append(bytes, static_cast<float>(point.visibility));
  }
  SIGHTGLASS_RETURN_IF_ERROR(append_pixels(bytes, buffer, info, 3));
  gst_video_info_set_format(&mask_info, GST_VIDEO_FORMAT_GRAY8, static_cast<guint>(info.width),
                            static_cast<guint>(info.height));
  return append_pixels(bytes, meta->mask, mask_info, 1);
}

// Reason why the pipeline stopped before its last frame.
Status error_of(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  gst_object_unref(bus);
  if (message == nullptr) return device_error("the source ended early");
  GError* error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  Status status = device_error(std::string(GST_MESSAGE_SRC_NAME(message)) + ": " + error->message);
  g_error_free(error);
  gst_message_unref(message);
  return status;
}

Status write_records(AtomicFile& file, GstElement* pipeline, const Options& options) {
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  Status status;
  std::vector<char> bytes;
  for (uint32_t i = 0; i < options.count && status.ok(); ++i) {
    GstSample* sample = gst_app_sink_pull_sample(GST_APP_SINK(sink));
    if (sample == nullptr) {
      status = error_of(pipeline);
      break;
    }
    bytes.clear();
    status = append_record(bytes, sample);
    gst_sample_unref(sample);
    if (status.ok()) status = file.append(std::as_bytes(std::span(bytes)));
    constexpr uint32_t kProgressStep = 500;
    if ((i + 1) % kProgressStep == 0) {
      std::printf("%u of %u frames\n", i + 1, options.count);
      std::fflush(stdout);
    }
  }
  gst_object_unref(sink);
  return status;
}

Status render(const Options& options) {
  const std::string size = std::to_string(options.size);
  const std::string text =
      "glfiguresrc seed-interval=1 seed=" + std::to_string(options.seed) + " framing=" + options.framing +
      " detail=" + options.detail + " shutter=" + std::to_string(options.shutter) +
      " output=" + (options.rooms ? "room" : "picture") + " num-buffers=" + std::to_string(options.count) +
      " ! video/x-raw(memory:GLMemory),format=RGBA,width=" + size + ",height=" + size +
      ",pixel-aspect-ratio=" + options.aspect + " ! appsink name=sink sync=false max-buffers=2";
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(text.c_str(), &error);
  if (error != nullptr) {
    Status status = invalid_argument(text + ": " + error->message);
    g_error_free(error);
    if (pipeline != nullptr) gst_object_unref(pipeline);
    return status;
  }
  const std::unique_ptr<GstElement, decltype(&gst_object_unref)> owner(pipeline, gst_object_unref);
  // AtomicFile: a file with the final name is complete.
  SIGHTGLASS_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(options.output, FileAccess::kEveryone));
  std::vector<char> header;
  for (const char c : std::string("SGFIGS01")) header.push_back(c);
  for (const uint32_t value : {static_cast<uint32_t>(options.size), options.count, options.seed, 0U}) {
    append(header, value);
  }
  SIGHTGLASS_RETURN_IF_ERROR(file.append(std::as_bytes(std::span(header))));
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  Status status = write_records(file, pipeline, options);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  SIGHTGLASS_RETURN_IF_ERROR(status);
  return file.commit();
}

// May throw exceptions of the option parser and the standard library.
int run_command(int argc, char** argv) {
  Options options;
  CLI::App app("Writes frames of glfiguresrc, one seed each, with their masks and keypoints to a file.");
  app.name("sightglass-render-figures");
  app.add_option("--output", options.output, "the output file")->required();
  app.add_option("--seed", options.seed, "seed of the first frame; the others follow")->required();
  app.add_option("--count", options.count, "frames")->required()->check(CLI::Range(1U, 1000000U));
  app.add_flag("--rooms", options.rooms, "leave the figures out");
  app.add_option("--size", options.size, "width and height of the frames")->check(CLI::Range(16, 4096));
  app.add_option("--framing", options.framing, "any, selfie, half or full");
  app.add_option("--aspect", options.aspect, "pixel aspect ratio: 4/3 squeezes a camera frame into a square");
  app.add_option("--detail", options.detail, "plain or fine: single hairs and see-through sleeves");
  app.add_option("--shutter", options.shutter, "part of the frame interval of motion blur, with --detail fine")
      ->check(CLI::Range(0.0, 1.0));
  CLI11_PARSE(app, argc, argv);
  gst_init(nullptr, nullptr);
  const Status status = render(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "sightglass-render-figures: %s\n", status.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return sightglass::finish_output("sightglass-render-figures", run_command(argc, argv));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "sightglass-render-figures: %s\n", failure.what());
    return 1;
  }
}
