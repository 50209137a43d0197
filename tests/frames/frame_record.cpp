// Runs one launch line, and prints all that it does as lines "KEY: VALUE": output frames as hashes, GL calls by kind,
// statistics, messages, and log lines. frames_test.py runs it for each line of lines.txt and compares the lines with
// record.txt. It uses the plugins as applications do, so that it does not depend on how they are built.
//   frame_record LAUNCH_LINE    frame_record --device    frame_record --models FOLDER
#include <gst/app/gstappsink.h>
#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "gl_calls.h"
#include "seeded_models.h"
#include "sightglass/gst/meta.h"

namespace sightglass::test {
namespace {

constexpr guint64 kTimeout = 300 * GST_SECOND;
constexpr const char* kOurCategories =
    "glsegment*:6,glpose*:6,glinfer*:6,gldmabufexport:6,glfiguresrc:6,resultsjson:6,y4mread:6,y4mwrite:6,sightglass*:6";

std::mutex print_mutex;

// One line, whatever the value contains.
void print(const std::string& key, std::string value) {
  for (size_t at = 0; (at = value.find('\n', at)) != std::string::npos; at += 2) value.replace(at, 1, "\\n");
  const std::lock_guard lock(print_mutex);
  std::printf("%s: %s\n", key.c_str(), value.c_str());
}

std::string take(gchar* text) {
  std::string result = text != nullptr ? text : "";
  g_free(text);
  return result;
}

class Hash {
 public:
  Hash() : sum_(g_checksum_new(G_CHECKSUM_SHA256), g_checksum_free) {}
  void add(const void* bytes, size_t count) {
    g_checksum_update(sum_.get(), static_cast<const guchar*>(bytes), static_cast<gssize>(count));
  }
  std::string text() const { return std::string(g_checksum_get_string(sum_.get())).substr(0, 16); }

 private:
  std::unique_ptr<GChecksum, void (*)(GChecksum*)> sum_;
};

// The pixels without the padding of rows.
std::string hash_of_frame(GstBuffer* buffer, const GstVideoInfo& info) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) return "unreadable";
  Hash hash;
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
    guint component = 0;
    while (static_cast<guint>(GST_VIDEO_FRAME_COMP_PLANE(&frame, component)) != plane) ++component;
    const auto bytes = static_cast<size_t>(GST_VIDEO_FRAME_COMP_WIDTH(&frame, component) *
                                           GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, component));
    const auto* row = static_cast<const guint8*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, component); ++y) {
      hash.add(row, bytes);
      row += GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
    }
  }
  gst_video_frame_unmap(&frame);
  return hash.text();
}

std::string hash_of_memory(GstMemory* memory) {
  GstMapInfo map;
  if (!gst_memory_map(memory, &map, GST_MAP_READ)) return "unreadable";
  Hash hash;
  hash.add(map.data, map.size);
  gst_memory_unmap(memory, &map);
  return hash.text();
}

// The types of metadata in the order of attachment, with hashes of what textures and buffers contain.
std::string metadata_of(GstBuffer* buffer) {
  std::string text;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta(buffer, &state)) {
    const char* name = g_type_name(meta->info->api);
    text += std::string(" ") + name;
    if (std::strcmp(name, SIGHTGLASS_MASK_META_API_NAME) == 0) {
      const auto* mask = reinterpret_cast<SightglassMaskMeta*>(meta);
      const GstVideoMeta* size = gst_buffer_get_video_meta(mask->mask);
      GstVideoInfo info;
      gst_video_info_set_format(&info, size->format, size->width, size->height);
      text += "=" + take(g_strdup_printf("%ux%u(%g,%g,%g,%g)", size->width, size->height, static_cast<double>(mask->x),
                                         static_cast<double>(mask->y), static_cast<double>(mask->width),
                                         static_cast<double>(mask->height)));
      text += hash_of_frame(mask->mask, info);
    } else if (std::strcmp(name, SIGHTGLASS_TENSOR_META_API_NAME) == 0) {
      const auto* tensors = reinterpret_cast<SightglassTensorMeta*>(meta);
      for (guint i = 0; i < tensors->tensors_count; ++i) {
        text += std::string(i == 0 ? "=" : ",") + tensors->tensors[i].name + ":" +
                hash_of_memory(tensors->tensors[i].memory);
      }
    }
  }
  return text;
}

struct Output {
  std::string name;
  int frames = 0;
  std::string caps;
};

GstFlowReturn on_sample(GstAppSink* sink, gpointer data) {
  auto& output = *static_cast<Output*>(data);
  GstSample* sample = gst_app_sink_pull_sample(sink);
  if (sample == nullptr) return GST_FLOW_EOS;
  // Others follow queues: their threads pass frames at any time.
  if (output.name == "out") enter_phase(Phase::kFrames);
  GstBuffer* buffer = gst_sample_get_buffer(sample);
  GstCaps* caps = gst_sample_get_caps(sample);
  std::string text = take(gst_caps_to_string(caps));
  if (text != output.caps) print("caps " + output.name + " from " + std::to_string(output.frames), output.caps = text);
  GstVideoInfo info;
  std::string content;
  if (g_str_has_prefix(text.c_str(), "video/x-raw") && gst_video_info_from_caps(&info, caps)) {
    content = hash_of_frame(buffer, info);
  } else {
    GstMapInfo map;
    if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
      content.assign(reinterpret_cast<const char*>(map.data), map.size);
      gst_buffer_unmap(buffer, &map);
    }
  }
  const std::string time = GST_BUFFER_PTS_IS_VALID(buffer) ? std::to_string(GST_BUFFER_PTS(buffer) / 1000000) : "none";
  print("frame " + output.name + " " + std::to_string(output.frames++), time + " ms " + content + metadata_of(buffer));
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

void on_log(GstDebugCategory* category, GstDebugLevel level, const gchar*, const gchar*, gint, GObject*,
            GstDebugMessage* message, gpointer) {
  print(std::string("log ") + gst_debug_category_get_name(category) + " " + std::to_string(level),
        gst_debug_message_get(message));
}

// For elements with statistics of ours.
void print_stats(const GValue* item, gpointer) {
  auto* element = GST_ELEMENT(g_value_get_object(item));
  GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats");
  if (spec == nullptr || spec->value_type != GST_TYPE_STRUCTURE) return;
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  if (stats == nullptr) return;
  for (int i = 0; i < gst_structure_n_fields(stats); ++i) {
    const char* field = gst_structure_nth_field_name(stats, static_cast<guint>(i));
    print("stat " + std::string(GST_OBJECT_NAME(element)) + " " + field,
          take(gst_value_serialize(gst_structure_get_value(stats, field))));
  }
  gst_structure_free(stats);
}

// Prints a message of the bus. Returns false if it is the last one.
bool print_message(GstMessage* message) {
  const std::string source = GST_MESSAGE_SRC_NAME(message);
  GError* error = nullptr;
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_EOS:
      print("outcome", "end");
      return false;
    case GST_MESSAGE_ERROR:
      gst_message_parse_error(message, &error, nullptr);
      print("outcome", source + ": " + error->message);
      g_error_free(error);
      return false;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning(message, &error, nullptr);
      print("warning", source + ": " + error->message);
      g_error_free(error);
      return true;
    case GST_MESSAGE_ELEMENT:
      print("message", source + ": " + take(gst_structure_to_string(gst_message_get_structure(message))));
      return true;
    default:
      return true;
  }
}

int run(const char* line) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line, &error);
  if (error != nullptr) {
    print("outcome", error->message);
    return 1;
  }
  std::map<std::string, Output> outputs;
  GstIterator* sinks = gst_bin_iterate_all_by_element_factory_name(GST_BIN(pipeline), "appsink");
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(sinks, &item) == GST_ITERATOR_OK) {
    auto* sink = GST_APP_SINK(g_value_get_object(&item));
    Output& output = outputs[GST_OBJECT_NAME(sink)];
    output.name = GST_OBJECT_NAME(sink);
    GstAppSinkCallbacks callbacks = {};
    callbacks.new_sample = on_sample;
    gst_app_sink_set_callbacks(sink, &callbacks, &output, nullptr);
    g_object_set(sink, "sync", FALSE, nullptr);
    g_value_unset(&item);
  }
  gst_iterator_free(sinks);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  bool more = true;
  while (more) {
    GstMessage* message = gst_bus_timed_pop(bus, kTimeout);
    if (message == nullptr) {
      print("outcome", "neither an end nor an error");
      break;
    }
    more = print_message(message);
    gst_message_unref(message);
  }
  enter_phase(Phase::kStop);
  GstIterator* elements = gst_bin_iterate_recurse(GST_BIN(pipeline));
  gst_iterator_foreach(elements, print_stats, nullptr);
  gst_iterator_free(elements);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  while (GstMessage* message = gst_bus_pop(bus)) {
    print_message(message);
    gst_message_unref(message);
  }
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  gst_debug_remove_log_function(on_log);
  for (const auto& [function, calls] : gl_calls()) {
    print("gl " + function, take(g_strdup_printf("%d %d %d", calls[0], calls[1], calls[2])));
  }
  return 0;
}

}  // namespace
}  // namespace sightglass::test

int main(int argc, char** argv) {
  using namespace sightglass::test;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "--models" && argc == 3) {
    write_seeded_models(argv[2]);
    return 0;
  }
  if (argc != 2) {
    std::fprintf(stderr, "usage: frame_record LAUNCH_LINE | --device | --models FOLDER\n");
    return 2;
  }
  gst_init(nullptr, nullptr);
  const std::string device = count_gl_calls();
  if (what == "--device") {
    std::printf("%s, GStreamer %u.%u.%u\n", device.c_str(), GST_VERSION_MAJOR, GST_VERSION_MINOR, GST_VERSION_MICRO);
    return device.empty() ? 1 : 0;
  }
  gst_debug_set_active(TRUE);
  gst_debug_set_threshold_from_string(kOurCategories, TRUE);
  gst_debug_remove_log_function(gst_debug_log_default);
  gst_debug_add_log_function(on_log, nullptr, nullptr);
  return run(argv[1]);
}
