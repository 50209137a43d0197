#include "test_pipeline.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "harness/scratch_folder.h"
#include "register_elements.h"

#ifdef __SANITIZE_ADDRESS__
// Drivers stay loaded to the end, so that leak reports can name them.
extern "C" __attribute__((visibility("default"))) int dlclose(void*) { return 0; }
#endif

// GStreamer terminates the EGL display with the last object of a pipeline. A streaming thread may hold that object for
// some time after the pipeline has ended. All pipelines of a process have the same EGL display. This code keeps the
// display, because otherwise it could be terminated while the next test creates its GL context.
extern "C" __attribute__((visibility("default"))) unsigned eglTerminate(void*) { return 1; }

namespace sightglass::test {

void init_gstreamer() {
  static const bool done = [] {
    setenv("GST_GL_PLATFORM", "egl", 0);
    setenv("GST_GL_WINDOW", "egl-device", 0);
    setenv("GST_GL_API", "gles2", 0);
    // Use neither the cache nor the models of the user.
    setenv("XDG_CACHE_HOME", (scratch_folder() / "cache").c_str(), 0);
    setenv("XDG_DATA_HOME", (scratch_folder() / "data").c_str(), 1);
    gst_init(nullptr, nullptr);
    return register_elements();
  }();
  (void)done;
}

guint64 stat_of(GstElement* element, const char* name) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  guint64 value = 0;
  EXPECT_TRUE(gst_structure_get_uint64(stats, name, &value)) << name;
  gst_structure_free(stats);
  return value;
}

GstElement* part_of(GstElement* bin, const char* name) {
  GstElement* part = gst_bin_get_by_name(GST_BIN(bin), name);
  if (part != nullptr) gst_object_unref(part);
  return part;
}

GstPad* pad_of(GstElement* element, const char* name) {
  GstPad* pad = gst_element_get_static_pad(element, name);
  if (pad != nullptr) gst_object_unref(pad);
  return pad;
}

std::string take_text(GstMessage* message) {
  GError* error = nullptr;
  (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR ? gst_message_parse_error : gst_message_parse_warning)(
      message, &error, nullptr);
  std::string text = error->message;
  g_error_free(error);
  gst_message_unref(message);
  return text;
}

std::string posted(GstElement* pipeline, GstMessageType type) {
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_pop_filtered(bus, type);
  gst_object_unref(bus);
  return message == nullptr ? "" : take_text(message);
}

Launched::Launched(const std::string& text) {
  init_gstreamer();
  GError* error = nullptr;
  pipeline_ = gst_parse_launch(text.c_str(), &error);
  if (error != nullptr) throw std::runtime_error(text + ": " + error->message);
}

Launched::~Launched() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(pipeline_);
}

bool Launched::settles() const {
  return gst_element_get_state(pipeline_, nullptr, nullptr, 60 * GST_SECOND) == GST_STATE_CHANGE_SUCCESS;
}

GstSample* Launched::pull(const char* sink) const {
  GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK((*this)[sink]), 60 * GST_SECOND);
  EXPECT_NE(sample, nullptr) << sink << ": " << posted(pipeline_, GST_MESSAGE_ERROR);
  return sample;
}

std::string outcome_of(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND,
                                                   static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_object_unref(bus);
  if (message == nullptr) return "neither an end nor an error arrived";
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) return take_text(message);
  gst_message_unref(message);
  return "end";
}

TestPipeline::TestPipeline(const std::string& middle, Entry entry) {
  init_gstreamer();
  const std::string text = std::string("appsrc name=source format=time ! ") +
                           (entry == Entry::kUpload ? "glupload ! " : "") + middle +
                           " ! gldownload ! video/x-raw,format=RGBA ! appsink name=sink sync=false";
  GError* error = nullptr;
  pipeline_ = gst_parse_launch(text.c_str(), &error);
  if (error != nullptr) g_error("%s: %s", text.c_str(), error->message);
  source_ = part_of(pipeline_, "source");
  element_ = part_of(pipeline_, "segment");
  sink_ = part_of(pipeline_, "sink");
}

TestPipeline::~TestPipeline() {
  set_state(GST_STATE_NULL, true);
  gst_object_unref(pipeline_);
}

bool TestPipeline::set_state(GstState state, bool wait) {
  if (state <= GST_STATE_READY) caps_.clear();
  const GstStateChangeReturn result = gst_element_set_state(pipeline_, state);
  if (!wait || result != GST_STATE_CHANGE_ASYNC) return result != GST_STATE_CHANGE_FAILURE;
  return gst_element_get_state(pipeline_, nullptr, nullptr, 60 * GST_SECOND) == GST_STATE_CHANGE_SUCCESS;
}

bool TestPipeline::push(const Rgba& frame) {
  return push("video/x-raw,format=RGBA,width=" + std::to_string(frame.width) +
                  ",height=" + std::to_string(frame.height) + ",framerate=30/1",
              frame.pixels);
}

void TestPipeline::set_caps(const std::string& caps) {
  if (caps == caps_) return;
  caps_ = caps;
  GstCaps* parsed = gst_caps_from_string(caps.c_str());
  gst_app_src_set_caps(GST_APP_SRC(source_), parsed);
  gst_caps_unref(parsed);
}

bool TestPipeline::push(const std::string& caps, GstBuffer* buffer) {
  set_caps(caps);
  GST_BUFFER_PTS(buffer) = next_;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 30;
  next_ += GST_SECOND / 30;
  return gst_app_src_push_buffer(GST_APP_SRC(source_), buffer) == GST_FLOW_OK;
}

bool TestPipeline::push(const std::string& caps, const std::vector<uint8_t>& bytes) {
  set_caps(caps);
  GstBuffer* buffer = gst_buffer_new_memdup(bytes.data(), bytes.size());
  // States the default layout explicitly: without it, glupload of GStreamer 1.22 misreads planes of odd heights.
  GstVideoInfo info;
  GstCaps* current = gst_app_src_get_caps(GST_APP_SRC(source_));
  if (gst_video_info_from_caps(&info, current)) {
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info), info.width,
                                   info.height, GST_VIDEO_INFO_N_PLANES(&info), info.offset, info.stride);
  }
  gst_caps_unref(current);
  return push(caps, buffer);
}

void TestPipeline::push_eos() { gst_app_src_end_of_stream(GST_APP_SRC(source_)); }

std::optional<Rgba> TestPipeline::pull() {
  GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink_), 60 * GST_SECOND);
  if (sample == nullptr) return std::nullopt;
  GstVideoInfo info;
  GstVideoFrame frame;
  std::optional<Rgba> picture;
  if (gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) &&
      gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) {
    picture.emplace(GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
    for (int32_t y = 0; y < picture->height; ++y) {
      std::memcpy(picture->at(0, y),
                  static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                      static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
                  static_cast<size_t>(picture->width) * 4);
    }
    gst_video_frame_unmap(&frame);
  }
  gst_sample_unref(sample);
  return picture;
}

std::optional<Rgba> TestPipeline::pass(const Rgba& frame) {
  if (!push(frame)) return std::nullopt;
  return pull();
}

std::optional<Rgba> TestPipeline::pass(const std::string& caps, const std::vector<uint8_t>& bytes) {
  if (!push(caps, bytes)) return std::nullopt;
  return pull();
}

std::optional<Rgba> TestPipeline::pass(const std::string& caps, GstBuffer* buffer) {
  if (!push(caps, buffer)) return std::nullopt;
  return pull();
}

Rgba TestPipeline::arrived(std::optional<Rgba> picture, Place at) {
  if (!picture) {
    throw std::runtime_error(std::string(at.file_name()) + ":" + std::to_string(at.line()) +
                             ": no frame arrived: " + error(1));
  }
  return *std::move(picture);
}

bool TestPipeline::send_segment() {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  return gst_pad_send_event(pad_of(element_, "sink"), gst_event_new_segment(&segment)) != FALSE;
}

bool TestPipeline::flush() {
  GstPad* sink = pad_of(element_, "sink");
  // A sink that is flushed during the change to PLAYING may stay PAUSED.
  gst_element_get_state(pipeline_, nullptr, nullptr, 20 * GST_SECOND);
  return gst_pad_send_event(sink, gst_event_new_flush_start()) != FALSE &&
         gst_pad_send_event(sink, gst_event_new_flush_stop(TRUE)) != FALSE && send_segment();
}

bool TestPipeline::at_end() const { return gst_app_sink_is_eos(GST_APP_SINK(sink_)) != FALSE; }

std::string TestPipeline::message(GstMessageType type, int seconds) {
  GstBus* bus = gst_element_get_bus(pipeline_);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, static_cast<GstClockTime>(seconds) * GST_SECOND, type);
  std::string text;
  if (message != nullptr) {
    text = take_text(message);
    gst_bus_set_flushing(bus, TRUE);
    gst_bus_set_flushing(bus, FALSE);
  }
  gst_object_unref(bus);
  return text;
}

std::string TestPipeline::error(int seconds) { return message(GST_MESSAGE_ERROR, seconds); }
std::string TestPipeline::warning(int seconds) { return message(GST_MESSAGE_WARNING, seconds); }

PlayingPipeline::PlayingPipeline(const std::string& middle, Entry entry) : TestPipeline(middle, entry) {
  if (!set_state(GST_STATE_PLAYING)) throw std::runtime_error(middle + ": cannot play: " + error(1));
}

void replace_buffers(GstElement* element, const char* pad, std::function<GstBuffer*(GstBuffer*)> function) {
  using Function = std::function<GstBuffer*(GstBuffer*)>;
  gst_pad_add_probe(
      pad_of(element, pad), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        GST_PAD_PROBE_INFO_DATA(info) = (*static_cast<Function*>(data))(GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      new Function(std::move(function)), [](gpointer data) { delete static_cast<Function*>(data); });
}

void on_buffers(GstElement* element, const char* pad, std::function<void(GstBuffer*)> function) {
  replace_buffers(element, pad, [function = std::move(function)](GstBuffer* buffer) {
    function(buffer);
    return buffer;
  });
}

}  // namespace sightglass::test
