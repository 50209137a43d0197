#include <gst/video/video.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gobject/guarded.h"
#include "gobject/properties.h"
#include "meta/meta_types.h"
#include "results/formats.h"

GST_DEBUG_CATEGORY_STATIC(results_json_debug);
#define GST_CAT_DEFAULT results_json_debug

namespace {

using sightglass::Status;

struct Settings {
  bool add_empty_results = false;
  int indent = sightglass::JsonStyle().indent;
  std::optional<std::string> source, tags;

  sightglass::JsonStyle style() const { return {indent, source.value_or(""), tags.value_or("")}; }
};

Status set_tags(Settings& settings, std::optional<std::string> tags) {
  if (!tags.value_or("").empty() && !sightglass::is_json(*tags)) {
    return sightglass::invalid_argument("tags: cannot write " + *tags +
                                        ": it is not valid JSON, and the previous value stays; set a JSON value, such "
                                        "as {\"camera\":1}");
  }
  settings.tags = std::move(tags);
  return {};
}

const sightglass::PropertyTable<Settings>& properties() {
  namespace row = sightglass::row;
  using sightglass::kLive;
  static const auto* const table = new sightglass::PropertyTable<Settings>(
      1, {
             row::flag("add-empty-results", "Add empty results", &Settings::add_empty_results, kLive,
                       "Whether to write a line for frames without results"),
             row::number("json-indent", "JSON indent", &Settings::indent, -1, 10, kLive,
                         "Spaces per indentation level (-1 = one line per frame)"),
             row::text("source", "Source", &Settings::source, kLive,
                       "Origin of the frames, written as \"source\" in each line (NULL or empty = omitted)"),
             row::text("tags", "Tags", sightglass::set_by(&Settings::tags, set_tags), kLive,
                       "JSON value, written as \"tags\" in each line (NULL or empty = omitted)"),
         });
  return *table;
}

struct State {
  sightglass::SharedSettings<Settings> settings;
  gint width = 0, height = 0;  // of the frames; streaming thread only
};

struct GstResultsJson {
  GstElement parent;
  GstPad *sink, *src;
  State* state;
};
struct GstResultsJsonClass {
  GstElementClass parent_class;
};

GstResultsJson* self_of(gpointer object) { return static_cast<GstResultsJson*>(object); }
State& state_of(gpointer object) { return *self_of(object)->state; }

}  // namespace

G_DEFINE_TYPE(GstResultsJson, gst_results_json, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE(resultsjson, "resultsjson", GST_RANK_NONE, gst_results_json_get_type())

namespace {

GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-json; text/x-raw, format = (string) utf8"));

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  constexpr bool kStarted = false;  // all properties are live
  const Status status = state_of(object).settings.set(properties(), id, *spec, value, kStarted, GST_STATE(object));
  if (!status.ok()) sightglass::post_warning(object, status);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* /*spec*/) {
  properties().get(state_of(object).settings.snapshot(), id, value);
}

// Sets the first of our formats that downstream accepts.
bool negotiate(GstResultsJson* self) {
  GstCaps* caps = gst_pad_get_allowed_caps(self->src);
  if (caps == nullptr) caps = gst_pad_get_pad_template_caps(self->src);
  bool done = false;
  if (gst_caps_is_empty(caps) == FALSE) {
    caps = gst_caps_fixate(caps);
    GST_INFO_OBJECT(self, "caps: %" GST_PTR_FORMAT, caps);
    done = gst_pad_push_event(self->src, gst_event_new_caps(caps)) != FALSE;
  } else {
    GST_DEBUG_OBJECT(self, "cannot negotiate: downstream accepts neither application/x-json nor text/x-raw");
  }
  gst_caps_unref(caps);
  return done;
}

using FrameResults = std::vector<const SightglassResults*>;

// The results that the buffer carries, grouped by frame, in the order of the metadata.
std::vector<FrameResults> results_of(GstBuffer* buffer) {
  std::vector<FrameResults> frames;
  gpointer iterator = nullptr;
  while (const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(buffer, &iterator)) {
    // Each element counts frames separately, so compare numbers only if there is no timestamp.
    const auto same = std::ranges::find_if(frames, [results = meta->results](const FrameResults& frame) {
      return frame[0]->timestamp == results->timestamp &&
             (GST_CLOCK_TIME_IS_VALID(results->timestamp) || frame[0]->frame == results->frame);
    });
    if (same != frames.end()) {
      same->push_back(meta->results);
    } else {
      frames.push_back({meta->results});
    }
  }
  return frames;
}

bool has_found_something(const FrameResults& frame) {
  return std::ranges::any_of(frame, [](const SightglassResults* results) {
    return results->objects_count > 0 || results->classifications_count > 0;
  });
}

GstFlowReturn push_line(GstResultsJson* self, GstBuffer* picture, const FrameResults& frame,
                        const sightglass::JsonStyle& style) {
  const State& state = *self->state;
  // Without the current size from caps, use the frame size from the results.
  const bool sized = state.width > 0 && state.height > 0;
  const std::string json =
      sightglass::results_json(frame, sized ? state.width : static_cast<int32_t>(frame[0]->width),
                               sized ? state.height : static_cast<int32_t>(frame[0]->height), style) +
      "\n";
  GST_TRACE_OBJECT(self, "frame %" G_GUINT64_FORMAT ": %s", frame[0]->frame, json.c_str());
  GstBuffer* line = gst_buffer_new_memdup(json.data(), json.size());
  gst_buffer_copy_into(
      line, picture, static_cast<GstBufferCopyFlags>(GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_FLAGS), 0, G_MAXSIZE);
  GST_BUFFER_FLAG_UNSET(line, GST_BUFFER_FLAG_GAP);  // set on the carrier of a results event
  return gst_pad_push(self->src, line);
}

struct Lines {
  GstFlowReturn flow = GST_FLOW_OK;
  int count = 0;
};

// Pushes one line for each frame whose results the buffer carries.
Lines push_lines(GstResultsJson* self, GstBuffer* buffer) {
  const Settings settings = self->state->settings.snapshot();
  Lines lines;
  if (gst_pad_has_current_caps(self->src) == FALSE && !negotiate(self)) lines.flow = GST_FLOW_NOT_NEGOTIATED;
  for (const FrameResults& frame : results_of(buffer)) {
    if (lines.flow != GST_FLOW_OK) break;
    if (!settings.add_empty_results && !has_found_something(frame)) {
      GST_LOG_OBJECT(self, "frame %" G_GUINT64_FORMAT ": skipping empty results", frame[0]->frame);
      continue;
    }
    lines.flow = push_line(self, buffer, frame, settings.style());
    ++lines.count;
  }
  return lines;
}

gboolean sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  GST_DEBUG_OBJECT(parent, "sink pad: %" GST_PTR_FORMAT, event);
  GstResultsJson* self = self_of(parent);
  if (GstBuffer* carrier = sightglass_event_get_results(event)) {
    const Lines lines = push_lines(self, carrier);
    GST_LOG_OBJECT(self, "pushed %d lines, %s, for results after the last frame", lines.count,
                   gst_flow_get_name(lines.flow));
    gst_event_unref(event);
    return lines.flow == GST_FLOW_OK ? TRUE : FALSE;
  }
  // Without upstream caps, still send ours before the segment.
  const bool early = GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT && gst_pad_has_current_caps(self->src) == FALSE;
  if (early && !negotiate(self)) {
    gst_event_unref(event);
    return FALSE;
  }
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return gst_pad_event_default(pad, parent, event);
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  self->state->width = self->state->height = 0;
  gst_structure_get(structure, "width", G_TYPE_INT, &self->state->width, "height", G_TYPE_INT, &self->state->height,
                    nullptr);
  gst_event_unref(event);
  GST_DEBUG_OBJECT(self, "pixel coordinates for %dx%d frames", self->state->width, self->state->height);
  return negotiate(self) ? TRUE : FALSE;
}

// Syncs controlled properties to the frames.
void sync_values(GstResultsJson* self, GstBuffer* buffer) {
  GstEvent* event = gst_pad_get_sticky_event(self->sink, GST_EVENT_SEGMENT, 0);
  if (event == nullptr) return;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event, &segment);
  const GstClockTime time = segment->format == GST_FORMAT_TIME
                                ? gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer))
                                : GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(self), time);
  gst_event_unref(event);
}

GstFlowReturn chain(GstPad* /*pad*/, GstObject* parent, GstBuffer* buffer) {
  GstResultsJson* self = self_of(parent);
  sync_values(self, buffer);
  const auto [flow, count] = push_lines(self, buffer);
  GST_LOG_OBJECT(self, "pushed %d lines, %s, for %" GST_PTR_FORMAT, count, gst_flow_get_name(flow), buffer);
  if (flow == GST_FLOW_OK && count == 0 && GST_BUFFER_PTS_IS_VALID(buffer)) {
    gst_pad_push_event(self->src, gst_event_new_gap(GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer)));
  }
  gst_buffer_unref(buffer);
  return flow;
}

}  // namespace

static void gst_results_json_init(GstResultsJson* self) {
  self->state = new State;
  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_event_function(self->sink, sightglass::guarded<sink_event>);
  gst_pad_set_chain_function(self->sink, sightglass::guarded<chain>);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}

static void gst_results_json_class_init(GstResultsJsonClass* klass) {
  GST_DEBUG_CATEGORY_INIT(results_json_debug, "resultsjson", 0, "model results as JSON");
  sightglass::results_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::own<&GstResultsJson::state>(object_class);
  object_class->set_property = sightglass::guarded<set_property>;
  object_class->get_property = sightglass::guarded<get_property>;
  properties().install(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);
  gst_element_class_set_static_metadata(
      element_class, "Model results to JSON", "Converter/Metadata",
      "Converts results metadata (people, objects, images) to JSON, one line per frame "
      "with results",
      SIGHTGLASS_AUTHOR);
}
