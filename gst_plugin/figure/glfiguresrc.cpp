#include "figure/glfiguresrc.h"

#include <gst/gl/gstglbasesrc.h>
#include <gst/video/video.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "figure/renderer.h"
#include "figure/scene.h"
#include "gl/gl_bridge.h"
#include "gobject/guarded.h"
#include "gobject/properties.h"
#include "sightglass/device.h"

GST_DEBUG_CATEGORY_STATIC(gst_gl_figure_src_debug);
#define GST_CAT_DEFAULT gst_gl_figure_src_debug

namespace {

using sightglass::Result;
using sightglass::Status;
using sightglass::figure::Detail;
using sightglass::figure::ExposureSum;
using sightglass::figure::Framing;
using sightglass::figure::Output;
using sightglass::figure::Renderer;
using sightglass::figure::Scene;
using sightglass::figure::Visibility;

constexpr guint kMostSeedInterval = 108000;  // an hour at 30 frames per second

struct Settings {
  guint seed = 0, seed_interval = 0;
  std::optional<Framing> framing;  // unset: chosen by the seed
  Output output = Output::kPicture;
  Detail detail = Detail::kPlain;
  double shutter = 0;
  bool is_live = false;
};

const sightglass::PropertyTable<Settings>& properties() {
  namespace row = sightglass::row;
  using sightglass::kLive;
  static const auto* const table = new sightglass::PropertyTable<Settings>(
      1, {
             row::number("seed", "Seed", &Settings::seed, 0, G_MAXUINT, kLive,
                         "Number of the figure, its room, camera and movements"),
             row::number("seed-interval", "Seed interval", &Settings::seed_interval, 0, kMostSeedInterval, kLive,
                         "Number of frames until the next seed (0 = same seed for all frames)"),
             row::choice("framing", "Framing", &Settings::framing, "GstGLFigureSrcFraming",
                         {{std::nullopt, "By the seed, usually selfies", "any"},
                          {Framing::kSelfie, "Head and shoulders", "selfie"},
                          {Framing::kHalf, "Down to the hips", "half"},
                          {Framing::kFull, "Whole body", "full"}},
                         kLive, "How much of the figure the camera shows"),
             row::choice("output", "Output", &Settings::output, "GstGLFigureSrcOutput",
                         {{Output::kPicture, "Figure in front of its background", "picture"},
                          {Output::kMask, "Ground-truth mask, white on black", "mask"},
                          {Output::kAlpha, "Share of the figure in each pixel of the picture, as gray", "alpha"},
                          {Output::kForeground, "Color of the figure without its background", "foreground"},
                          {Output::kBackground, "Color of all but the figure", "background"},
                          {Output::kRoom, "Room without the figure; mask and keypoints are empty", "room"}},
                         kLive, "Content of the frames; the mask is in their metadata as well"),
             row::choice(
                 "detail", "Detail", &Settings::detail, "GstGLFigureSrcDetail",
                 {{Detail::kPlain, "Smooth outlines", "plain"},
                  {Detail::kFine, "Single hairs, see-through sleeves and glasses; many samples per pixel", "fine"}},
                 kLive, "How much there is of what is hard to cut out"),
             row::number(
                 "shutter", "Shutter", &Settings::shutter, 0, 1, kLive,
                 "Part of the frame interval for which the shutter is open, with detail=fine (0 = no motion blur)"),
             row::flag("is-live", "Is live", &Settings::is_live, sightglass::kAtStart,
                       "Whether to act as a live source"),
         });
  return *table;
}

// GL objects.
struct Gl {
  sightglass::GlApi api;
  std::optional<Renderer> renderer;
};

struct State {
  sightglass::SharedSettings<Settings> settings;
  std::unique_ptr<Gl> gl;
  GstBufferPool* masks = nullptr;
  // The current frame.
  GstBuffer* mask = nullptr;
  GstBuffer* picture = nullptr;
  Settings now;
  std::vector<Scene> exposures;
  std::array<sightglass::figure::KeyPoint, sightglass::figure::kKeyPoints> key_points;
  guint64 frame = 0;
  GstClockTime time = 0;
  guint frame_seed = 0;
};

struct GstGLFigureSrc {
  GstGLBaseSrc parent;
  State* state;
};
struct GstGLFigureSrcClass {
  GstGLBaseSrcClass parent_class;
};

State& state_of(gpointer object) { return *static_cast<GstGLFigureSrc*>(object)->state; }

}  // namespace

G_DEFINE_TYPE(GstGLFigureSrc, gst_gl_figure_src, GST_TYPE_GL_BASE_SRC)
GST_ELEMENT_REGISTER_DEFINE(glfiguresrc, "glfiguresrc", GST_RANK_NONE, gst_gl_figure_src_get_type())

namespace {

GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE_WITH_FEATURES(
                                GST_CAPS_FEATURE_MEMORY_GL_MEMORY, "RGBA") ", texture-target = (string) 2D"));

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  GstBaseSrc* src = GST_BASE_SRC(object);
  auto& settings = state_of(src).settings;
  const bool started = GST_BASE_SRC_IS_STARTED(src);
  const Status status = settings.set(properties(), id, *spec, value, started, GST_STATE(src));
  gst_base_src_set_live(src, settings.snapshot().is_live ? TRUE : FALSE);
  if (!status.ok()) sightglass::post_warning(src, status);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* /*spec*/) {
  properties().get(state_of(object).settings.snapshot(), id, value);
}

void drop_masks(State& state) {
  if (state.masks == nullptr) return;
  gst_buffer_pool_set_active(state.masks, FALSE);
  gst_clear_object(&state.masks);
}

gboolean gl_start(GstGLBaseSrc* src) {
  State& state = state_of(src);
  auto gl = std::make_unique<Gl>();
  Result<sightglass::GlApi> api = sightglass::load_gl_api(src->context);
  if (!api.ok()) {
    post_error(src, api.status());
    return FALSE;
  }
  gl->api = *api;
  // Reports missing features more clearly than a compiler log.
  if (const auto device = sightglass::query_device(gl->api); !device.ok()) {
    post_error(src, device.status());
    return FALSE;
  }
  Result<Renderer> renderer = Renderer::create(gl->api);
  if (!renderer.ok()) {
    post_error(src, renderer.status());
    return FALSE;
  }
  GST_DEBUG_OBJECT(src, "rendering on %" GST_PTR_FORMAT, src->context);
  gl->renderer.emplace(std::move(*renderer));
  state.gl = std::move(gl);
  return TRUE;
}

void gl_stop(GstGLBaseSrc* src) { state_of(src).gl.reset(); }

gboolean stop(GstBaseSrc* src) {
  GST_DEBUG_OBJECT(src, "stopping");
  const gboolean stopped = GST_BASE_SRC_CLASS(gst_gl_figure_src_parent_class)->stop(src);
  drop_masks(state_of(src));
  return stopped;
}

GstCaps* fixate(GstBaseSrc* src, GstCaps* caps) {
  caps = gst_caps_make_writable(gst_caps_truncate(caps));
  GstStructure* structure = gst_caps_get_structure(caps, 0);
  gst_structure_fixate_field_nearest_int(structure, "width", 640);
  gst_structure_fixate_field_nearest_int(structure, "height", 480);
  gst_structure_fixate_field_nearest_fraction(structure, "framerate", 30, 1);
  if (gst_structure_has_field(structure, "pixel-aspect-ratio")) {
    gst_structure_fixate_field_nearest_fraction(structure, "pixel-aspect-ratio", 1, 1);
  }
  caps = GST_BASE_SRC_CLASS(gst_gl_figure_src_parent_class)->fixate(src, caps);
  GST_INFO_OBJECT(src, "caps: %" GST_PTR_FORMAT, caps);
  return caps;
}

gboolean is_seekable(GstBaseSrc* /*src*/) { return TRUE; }

// Only forward playback is supported. Rejecting before a flush lets the stream continue unchanged.
bool is_reverse_seek(gpointer src, GstEvent* event) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEEK) return false;
  gdouble rate = 1;
  gst_event_parse_seek(event, &rate, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (rate < 0) GST_WARNING_OBJECT(src, "cannot seek with rate %g: frames are made forwards only", rate);
  return rate < 0;
}

gboolean event(GstBaseSrc* src, GstEvent* event) {
  const GstDebugLevel level = GST_EVENT_TYPE(event) == GST_EVENT_QOS ? GST_LEVEL_LOG : GST_LEVEL_DEBUG;
  GST_CAT_LEVEL_LOG(GST_CAT_DEFAULT, level, src, "src pad: %" GST_PTR_FORMAT, event);
  if (is_reverse_seek(src, event)) return FALSE;
  return GST_BASE_SRC_CLASS(gst_gl_figure_src_parent_class)->event(src, event);
}

// Handles seeks from the application. Before it plays, an element stores them for later.
gboolean send_event(GstElement* element, GstEvent* event) {
  if (is_reverse_seek(element, event)) {
    gst_event_unref(event);
    return FALSE;
  }
  return GST_ELEMENT_CLASS(gst_gl_figure_src_parent_class)->send_event(element, event);
}

gboolean do_seek(GstBaseSrc* src, GstSegment* segment) {
  GST_DEBUG_OBJECT(src, "seeking: %" GST_SEGMENT_FORMAT, segment);
  // The parent class continues counting from there. It then asks its own base class, which does not support time seeks,
  // so its answer is ignored.
  GST_BASE_SRC_CLASS(gst_gl_figure_src_parent_class)->do_seek(src, segment);
  return segment->format == GST_FORMAT_TIME;
}

// A live frame is available at the end of its duration.
gboolean query(GstBaseSrc* src, GstQuery* query) {
  const GstVideoInfo& info = GST_GL_BASE_SRC(src)->out_info;
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && GST_VIDEO_INFO_FPS_N(&info) > 0) {
    const GstClockTime frame = gst_util_uint64_scale(GST_SECOND, static_cast<guint64>(GST_VIDEO_INFO_FPS_D(&info)),
                                                     static_cast<guint64>(GST_VIDEO_INFO_FPS_N(&info)));
    gst_query_set_latency(query, gst_base_src_is_live(src), frame, GST_CLOCK_TIME_NONE);
    return TRUE;
  }
  return GST_BASE_SRC_CLASS(gst_gl_figure_src_parent_class)->query(src, query);
}

gboolean decide_allocation(GstBaseSrc* src, GstQuery* query) {
  // Finds or creates the GL context, which calls gl_start().
  if (!GST_BASE_SRC_CLASS(gst_gl_figure_src_parent_class)->decide_allocation(src, query)) return FALSE;
  GstGLBaseSrc* base = GST_GL_BASE_SRC(src);
  GstGLContext* context = base->context;
  if (context == nullptr || !sightglass::decide_gl_allocation(context, query)) return FALSE;
  GST_DEBUG_OBJECT(src, "decided with downstream: %" GST_PTR_FORMAT, query);
  State& state = state_of(src);
  drop_masks(state);
  state.masks = sightglass::make_mask_pool(context, base->out_info);
  return state.masks != nullptr && gst_buffer_pool_set_active(state.masks, TRUE);
}

// Exposes the frame once or, with fine detail, at several times while the shutter is open. The frame time is the center
// of that interval.
void expose(State& state, const GstVideoInfo& info, float aspect) {
  constexpr int kFineExposures = 8;
  static_assert(kFineExposures <= ExposureSum::kMost);
  const bool fine = state.now.detail == Detail::kFine;
  const int count = fine ? kFineExposures : 1;
  double open = 0;  // seconds
  if (fine && GST_VIDEO_INFO_FPS_N(&info) > 0) {
    open = state.now.shutter * static_cast<double>(GST_VIDEO_INFO_FPS_D(&info)) / GST_VIDEO_INFO_FPS_N(&info);
  }
  const double middle = static_cast<double>(state.time) / GST_SECOND;
  const auto scene_at = [&](double seconds) {
    return Scene::at({state.frame_seed, seconds, state.frame, state.now.framing, state.now.detail}, aspect,
                     GST_VIDEO_INFO_HEIGHT(&info));
  };
  const Scene scene = scene_at(middle);
  state.key_points = scene.key_points;
  if (state.now.output == Output::kRoom) {
    for (sightglass::figure::KeyPoint& point : state.key_points) point.visibility = Visibility::kOutside;
  }
  state.exposures.assign(static_cast<size_t>(count), scene);
  if (open <= 0) return;
  for (int i = 0; i < count; ++i) {
    state.exposures[static_cast<size_t>(i)] = scene_at(middle + open * ((i + 0.5) / count - 0.5));
  }
}

// Chooses the contents of a frame.
void set_scene(GstGLBaseSrc* src, GstClockTime time) {
  State& state = state_of(src);
  state.now = state.settings.snapshot();
  const GstVideoInfo& info = src->out_info;
  state.time = time;
  state.frame = 0;
  if (GST_VIDEO_INFO_FPS_N(&info) > 0) {
    state.frame = gst_util_uint64_scale_round(state.time, static_cast<guint64>(GST_VIDEO_INFO_FPS_N(&info)),
                                              static_cast<guint64>(GST_VIDEO_INFO_FPS_D(&info)) * GST_SECOND);
  }
  state.frame_seed = state.now.seed;
  if (state.now.seed_interval > 0) state.frame_seed += static_cast<guint>(state.frame / state.now.seed_interval);
  const double aspect = static_cast<double>(GST_VIDEO_INFO_WIDTH(&info)) * GST_VIDEO_INFO_PAR_N(&info) /
                        (static_cast<double>(GST_VIDEO_INFO_HEIGHT(&info)) * GST_VIDEO_INFO_PAR_D(&info));
  expose(state, info, static_cast<float>(aspect));
}

void describe(const State& state, GstBuffer* buffer) {
  SightglassFigureMeta* meta = sightglass::add_figure_meta(buffer, state.mask);
  if (meta == nullptr) return;
  meta->seed = state.frame_seed;
  meta->frame = state.frame;
  meta->time = state.time;
  for (size_t i = 0; i < SIGHTGLASS_FIGURE_KEY_POINTS; ++i) {
    const sightglass::figure::KeyPoint& point = state.key_points[i];
    meta->key_points[i] = {point.x, point.y, static_cast<guint>(point.visibility)};
  }
}

// On the GL thread of `context`.
Status draw(GstGLBaseSrc* src, GstGLContext* context) {
  State& state = state_of(src);
  const auto* memory = reinterpret_cast<const GstGLMemory*>(gst_buffer_peek_memory(state.picture, 0));
  const sightglass::MappedMask mask(state.mask);
  if (!mask.ok()) return sightglass::device_error("the mask's texture cannot be mapped");
  Renderer& renderer = *state.gl->renderer;
  SIGHTGLASS_RETURN_IF_ERROR(
      renderer.resize(GST_VIDEO_INFO_WIDTH(&src->out_info), GST_VIDEO_INFO_HEIGHT(&src->out_info)));
  Status drawn = renderer.draw(state.exposures, state.now.output, memory->tex_id, mask.texture());
  sightglass::signal_buffer(state.picture, context);
  return drawn;
}

// The contents of a frame depend on its time, which the base class sets in fill(). The time cannot be predicted,
// because versions of the base class count differently after a caps change. So fill() draws nothing, and the frame is
// drawn afterward.
GstFlowReturn fill(GstPushSrc* push, GstBuffer* buffer) {
  GstFlowReturn flow = GST_PUSH_SRC_CLASS(gst_gl_figure_src_parent_class)->fill(push, buffer);
  if (flow != GST_FLOW_OK) return flow;
  GstGLBaseSrc* src = GST_GL_BASE_SRC(push);
  State& state = state_of(src);
  if (state.masks == nullptr || state.gl == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  gint64 offset = 0;
  g_object_get(src, "timestamp-offset", &offset, nullptr);
  gst_object_sync_values(GST_OBJECT(src), GST_BUFFER_PTS(buffer));
  set_scene(src, GST_BUFFER_PTS(buffer) - static_cast<GstClockTime>(offset));
  GST_LOG_OBJECT(src, "frame %" G_GUINT64_FORMAT ", seed %u, into %" GST_PTR_FORMAT, state.frame, state.frame_seed,
                 buffer);
  flow = gst_buffer_pool_acquire_buffer(state.masks, &state.mask, nullptr);
  if (flow != GST_FLOW_OK) return flow;
  state.picture = buffer;
  GstGLContext* context = GST_GL_BASE_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context;
  if (const Status drawn = sightglass::on_gl_thread(context, [&] { return draw(src, context); }); drawn.ok()) {
    describe(state, buffer);
  } else {
    post_error(src, drawn);
    flow = GST_FLOW_ERROR;
  }
  gst_clear_buffer(&state.mask);
  return flow;
}

}  // namespace

static void gst_gl_figure_src_init(GstGLFigureSrc* self) { self->state = new State; }

static void gst_gl_figure_src_class_init(GstGLFigureSrcClass* klass) {
  GST_DEBUG_CATEGORY_INIT(gst_gl_figure_src_debug, "glfiguresrc", 0, "animated human figures");
  sightglass::figure_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::own<&GstGLFigureSrc::state>(object_class);
  object_class->set_property = sightglass::guarded<set_property>;
  object_class->get_property = sightglass::guarded<get_property>;
  properties().install(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->send_event = sightglass::guarded<send_event>;
  gst_element_class_add_static_pad_template(element_class, &src_template);
  gst_element_class_set_static_metadata(
      element_class, "OpenGL human figure test source", "Source/Video",
      "Renders animated human figures with ground-truth masks and keypoints as metadata", SIGHTGLASS_AUTHOR);

  GstBaseSrcClass* base_class = GST_BASE_SRC_CLASS(klass);
  base_class->stop = sightglass::guarded<stop>;
  base_class->fixate = sightglass::guarded<fixate>;
  base_class->is_seekable = sightglass::guarded<is_seekable>;
  base_class->event = sightglass::guarded<event>;
  base_class->do_seek = sightglass::guarded<do_seek>;
  base_class->query = sightglass::guarded<query>;
  base_class->decide_allocation = sightglass::guarded<decide_allocation>;
  GST_PUSH_SRC_CLASS(klass)->fill = sightglass::guarded<fill>;

  GstGLBaseSrcClass* gl_class = GST_GL_BASE_SRC_CLASS(klass);
  gl_class->supported_gl_api = static_cast<GstGLAPI>(GST_GL_API_GLES2 | GST_GL_API_OPENGL3 | GST_GL_API_OPENGL);
  gl_class->gl_start = sightglass::guarded<gl_start>;
  gl_class->gl_stop = sightglass::guarded<gl_stop>;
}
