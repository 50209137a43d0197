#include "camera_pipeline.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "harness/program.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

std::atomic<int> imports = 0, copies = 0;

// For each frame, glupload logs which upload method it used.
void read_log(GstDebugCategory* category, GstDebugLevel level, const gchar* file, const gchar*, gint line, GObject*,
              GstDebugMessage* message, gpointer) {
  const char* text = gst_debug_message_get(message);
  if (text != nullptr && std::strstr(text, " returned 1") != nullptr) {
    if (std::strstr(text, "uploader Dmabuf ") != nullptr || std::strstr(text, "uploader DirectDmabuf") != nullptr)
      ++imports;
    if (std::strstr(text, "uploader Raw Data ") != nullptr) ++copies;
  }
  if (text != nullptr && std::strcmp(text, "frame copy") == 0) ++copies;
  if (level <= GST_LEVEL_WARNING) {
    std::fprintf(stderr, "%s: %s (%s:%d)\n", gst_debug_category_get_name(category), text, file, line);
  }
}

void init() {
  init_gstreamer();
  static const bool done = [] {
    gst_debug_remove_log_function(gst_debug_log_default);
    gst_debug_add_log_function(read_log, nullptr, nullptr);
    gst_debug_set_active(TRUE);
    gst_debug_set_default_threshold(GST_LEVEL_WARNING);
    gst_debug_set_threshold_for_name("glupload", GST_LEVEL_LOG);
    gst_debug_set_threshold_for_name("GST_PERFORMANCE", GST_LEVEL_INFO);  // kmssink logs "frame copy" there
    return true;
  }();
  (void)done;
}

GstElement* parse(const std::string& description) {
  init();
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(description.c_str(), &error);
  if (error != nullptr) g_error("%s: %s", description.c_str(), error->message);
  return pipeline;
}

}  // namespace

void unplug_camera() {
  const char* command = std::getenv("SIGHTGLASS_VM_UNPLUG");
  if (command == nullptr || std::system(command) != 0) std::fprintf(stderr, "the camera cannot be pulled out\n");
}

void take_pictures(const std::string& description, const std::function<bool(Rgba)>& take) {
  GstElement* pipeline = parse(description + " ! video/x-raw,format=RGBA ! appsink name=sink sync=false");
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  bool more = true;
  while (more) {
    GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 600 * GST_SECOND);
    if (sample == nullptr) break;
    GstVideoInfo info;
    GstVideoFrame frame;
    if (gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) &&
        gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) {
      Rgba picture(GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
      for (int32_t y = 0; y < picture.height; ++y) {
        const auto* row = static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                          static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
        std::memcpy(picture.at(0, y), row, static_cast<size_t>(picture.width) * 4);
      }
      gst_video_frame_unmap(&frame);
      more = take(std::move(picture));
    }
    gst_sample_unref(sample);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
}

Rgba last_picture(const std::string& description) {
  Rgba last;
  take_pictures(description, [&last](Rgba picture) {
    last = std::move(picture);
    return true;
  });
  return last;
}

int traced(const std::string& description) {
  const std::string environment =
      "GST_TRACERS='zerocopy(fail=true)' GST_PLUGIN_PATH=" + quoted(SIGHTGLASS_PLUGIN_FOLDER) +
      " gst-launch-1.0 --no-fault ";
  const int status = std::system((environment + description + " 1>&2").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

CameraPipeline::CameraPipeline(const std::string& description) : pipeline_(parse(description)) {
  imports = copies = 0;
  GstElement* screen = gst_bin_get_by_name(GST_BIN(pipeline_), "screen");
  GstPad* pad = gst_element_get_static_pad(screen, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count, this, nullptr);
  gst_object_unref(pad);
  gst_object_unref(screen);
}

CameraPipeline::~CameraPipeline() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(pipeline_);
}

GstPadProbeReturn CameraPipeline::count(GstPad* pad, GstPadProbeInfo*, gpointer self) {
  auto* pipeline = static_cast<CameraPipeline*>(self);
  if (GstCaps* caps = gst_pad_get_current_caps(pad)) {
    int width = 0;
    gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width);
    pipeline->width_ = width;
    gst_caps_unref(caps);
  }
  if (pipeline->frames_ + 1 == kSettled) pipeline->settled_ = open_files();
  ++pipeline->frames_;
  return GST_PAD_PROBE_OK;
}

void CameraPipeline::play() { gst_element_set_state(pipeline_, GST_STATE_PLAYING); }

void CameraPipeline::pause() {
  gst_element_set_state(pipeline_, GST_STATE_PAUSED);
  gst_element_get_state(pipeline_, nullptr, nullptr, GST_CLOCK_TIME_NONE);
  // The frame that the sink was drawing.
  int before = -1;
  while (before != frames_) {
    before = frames_;
    g_usleep(1'000'000);
  }
}

bool CameraPipeline::wait_for_frames(int frames, int seconds) {
  for (int waited = 0; frames_ < frames && waited < seconds * 20; ++waited) g_usleep(50'000);
  return frames_ >= frames;
}

std::string CameraPipeline::wait_for_end(int seconds) {
  GstBus* bus = gst_element_get_bus(pipeline_);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, static_cast<GstClockTime>(seconds) * GST_SECOND,
                                                   static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS));
  gst_object_unref(bus);
  std::string text;
  if (message == nullptr) {
    text = "neither end nor error after " + std::to_string(seconds) + " s and " + std::to_string(frames_) + " frames";
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    text = error->message;
    g_error_free(error);
  }
  if (message != nullptr) gst_message_unref(message);
  return text;
}

void CameraPipeline::set_format(const std::string& caps) {
  GstElement* filter = gst_bin_get_by_name(GST_BIN(pipeline_), "format");
  GstCaps* parsed = gst_caps_from_string(caps.c_str());
  g_object_set(filter, "caps", parsed, nullptr);
  gst_caps_unref(parsed);
  gst_object_unref(filter);
}

std::string CameraPipeline::format() const {
  GstElement* filter = gst_bin_get_by_name(GST_BIN(pipeline_), "format");
  GstPad* pad = gst_element_get_static_pad(filter, "src");
  std::string text;
  if (GstCaps* caps = gst_pad_get_current_caps(pad)) {
    gchar* described = gst_caps_to_string(caps);
    text = described;
    g_free(described);
    gst_caps_unref(caps);
  }
  gst_object_unref(pad);
  gst_object_unref(filter);
  return text;
}

int CameraPipeline::imported() { return imports; }
int CameraPipeline::copied() { return copies; }

}  // namespace sightglass::test
