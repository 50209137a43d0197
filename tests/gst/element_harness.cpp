#include "element_harness.h"

#include <gst/video/video.h>

#include <utility>

#include "red_picture.h"
#include "test_pipeline.h"

namespace sightglass::test {

namespace {

std::string size_text(gint width, gint height) { return std::to_string(width) + "x" + std::to_string(height); }

std::string describe(GstPadProbeInfo* info) {
  if ((GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    // The size of the texture, whatever the metadata says.
    GstMemory* memory = gst_buffer_peek_memory(GST_PAD_PROBE_INFO_BUFFER(info), 0);
    if (!gst_is_gl_memory(memory)) return "buffer without textures";
    GstGLMemory* texture = GST_GL_MEMORY_CAST(memory);
    return "buffer " + size_text(gst_gl_memory_get_texture_width(texture), gst_gl_memory_get_texture_height(texture));
  }
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_EVENT_TYPE_NAME(event);
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  GstVideoInfo video;
  if (!gst_video_info_from_caps(&video, caps)) return "caps that are not video";
  return "caps " + size_text(GST_VIDEO_INFO_WIDTH(&video), GST_VIDEO_INFO_HEIGHT(&video));
}

}  // namespace

OwnCaps caps_of(const std::string& text) {
  GstCaps* caps = gst_caps_from_string(text.c_str());
  if (caps == nullptr) g_error("no caps: %s", text.c_str());
  return OwnCaps(caps);
}

ElementHarness::ElementHarness(const std::string& element) : bus_(gst_bus_new()) {
  GError* error = nullptr;
  GstElement* made = gst_parse_launch(element.c_str(), &error);
  if (error != nullptr) g_error("%s: %s", element.c_str(), error->message);
  gst_object_ref_sink(made);
  gst_element_set_bus(made, bus_);
  gst_bus_set_sync_handler(
      bus_,
      [](GstBus*, GstMessage* message, gpointer source) {
        const gchar* type = nullptr;
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_NEED_CONTEXT &&
            gst_message_parse_context_type(message, &type) != FALSE &&
            g_str_equal(type, GST_GL_DISPLAY_CONTEXT_TYPE) != FALSE) {
          static_cast<TextureSource*>(source)->give_to(GST_ELEMENT(GST_MESSAGE_SRC(message)));
        }
        return GST_BUS_PASS;
      },
      &source_, nullptr);
  harness_ = gst_harness_new_with_element(made, "sink", "src");
  gst_object_unref(made);
  gst_pad_add_probe(
      downstream(),
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                   GST_PAD_PROBE_TYPE_EVENT_FLUSH),
      [](GstPad*, GstPadProbeInfo* info, gpointer log) {
        static_cast<Log*>(log)->push_back(describe(info));
        return GST_PAD_PROBE_OK;
      },
      &log_, nullptr);
}

ElementHarness::~ElementHarness() {
  gst_element_set_state(element(), GST_STATE_NULL);
  gst_element_set_bus(element(), nullptr);
  gst_harness_teardown(harness_);
  gst_bus_set_flushing(bus_, TRUE);
  gst_object_unref(bus_);
}

void ElementHarness::begin(int32_t width, int32_t height) {
  gst_harness_set_src_caps_str(harness_, TextureSource::caps(width, height, GST_GL_TEXTURE_TARGET_2D).c_str());
}

void ElementHarness::send_caps(const std::string& caps) const {
  // If they are rejected, the next frame fails.
  gst_pad_push_event(upstream(), gst_event_new_caps(caps_of(caps).get()));
}

bool ElementHarness::send_segment(GstClockTime start, double rate) const {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = start;
  segment.rate = rate;
  return gst_harness_push_event(harness_, gst_event_new_segment(&segment)) != FALSE;
}

GstBuffer* ElementHarness::frame(int32_t width, int32_t height) {
  GstBuffer* buffer = source_.make(left_half_red(width, height), GST_GL_TEXTURE_TARGET_2D);
  GST_BUFFER_PTS(buffer) = next_;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 30;
  next_ += GST_SECOND / 30;
  return buffer;
}

guint64 ElementHarness::stat(const char* name) const { return stat_of(element(), name); }

Log ElementHarness::take_log() { return std::exchange(log_, {}); }

OwnEvent ElementHarness::upstream_event(GstEventType type) const {
  OwnEvent event(gst_harness_try_pull_upstream_event(harness_));
  while (event != nullptr && GST_EVENT_TYPE(event.get()) != type) {
    event.reset(gst_harness_try_pull_upstream_event(harness_));
  }
  return event;
}

OwnMessage ElementHarness::message(GstMessageType type) const { return OwnMessage(gst_bus_pop_filtered(bus_, type)); }

std::string ElementHarness::error() const {
  OwnMessage message = this->message(GST_MESSAGE_ERROR);
  return message != nullptr ? take_text(message.release()) : "";
}

}  // namespace sightglass::test
