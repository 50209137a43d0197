// Pushes five frames of DMABUF memory through a pipeline, for the test of the tracer.
//   dmabuf_pipeline PIPELINE [fill] [stay]
// PIPELINE reads from the appsrc "source". fill: a thread that belongs to no element writes the frames through CPU maps
// before they are pushed. stay: ends without gst_deinit(). The files are memfds, which GStreamer does not check.
#include <gst/allocators/gstdmabuf.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <string>

namespace {

constexpr int kWidth = 64, kHeight = 16;
constexpr gsize kBytes = gsize{kWidth} * kHeight * 4;

bool push_frame(GstElement* source, GstAllocator* allocator, int number, bool fill) {
  const int file = memfd_create("frame", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, kBytes) != 0) return false;
  GstBuffer* buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, gst_dmabuf_allocator_alloc(allocator, file, kBytes));
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(number) * GST_SECOND / 30;
  if (fill) {
    GstMapInfo map;
    if (gst_buffer_map(buffer, &map, GST_MAP_WRITE) == FALSE) return false;
    std::memset(map.data, number, map.size);
    gst_buffer_unmap(buffer, &map);
  }
  return gst_app_src_push_buffer(GST_APP_SRC(source), buffer) == GST_FLOW_OK;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  if (argc < 2) return 2;
  const std::set<std::string> options(argv + 2, argv + argc);
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(argv[1], &error);
  if (error != nullptr) {
    g_printerr("%s\n", error->message);
    return 2;
  }
  GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline), "source");
  GstCaps* caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGBA", "width", G_TYPE_INT, kWidth,
                                      "height", G_TYPE_INT, kHeight, "framerate", GST_TYPE_FRACTION, 30, 1, nullptr);
  g_object_set(source, "caps", caps, "format", GST_FORMAT_TIME, nullptr);
  gst_caps_unref(caps);
  GstAllocator* allocator = gst_dmabuf_allocator_new();
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  bool good = true;
  for (int i = 0; i < 5; ++i) good = good && push_frame(source, allocator, i, options.contains("fill"));
  gst_app_src_end_of_stream(GST_APP_SRC(source));
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND,
                                                   static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  good = good && message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  if (message != nullptr) gst_message_unref(message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(source);
  gst_object_unref(pipeline);
  gst_object_unref(allocator);
  if (!options.contains("stay")) gst_deinit();
  return good ? 0 : 1;
}
