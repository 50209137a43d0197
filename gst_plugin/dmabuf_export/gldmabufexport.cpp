#include <gst/video/video.h>

#include <optional>
#include <string>

#include "dmabuf_export/export_caps.h"
#include "dmabuf_export/exporter.h"
#include "gl/frame_caps.h"
#include "gl/gl_bridge.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "gobject/property_values.h"

GST_DEBUG_CATEGORY(gst_gl_dmabuf_export_debug);
#define GST_CAT_DEFAULT gst_gl_dmabuf_export_debug

namespace {

using sightglass::DmabufExporter;
using sightglass::ExportFormat;
using sightglass::Status;

// Default number of frames that downstream holds: the one being shown or encoded, and the next one.
constexpr guint kUsuallyHeld = 2;

struct GstGLDMABufExport {
  GstGLBaseFilter parent;
  DmabufExporter* exporter;
};
struct GstGLDMABufExportClass {
  GstGLBaseFilterClass parent_class;
};

DmabufExporter& exporter_of(gpointer object) { return *static_cast<GstGLDMABufExport*>(object)->exporter; }

enum Property { kStats = 1 };

}  // namespace

G_DEFINE_TYPE(GstGLDMABufExport, gst_gl_dmabuf_export, GST_TYPE_GL_BASE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(gldmabufexport, "gldmabufexport", GST_RANK_NONE, gst_gl_dmabuf_export_get_type())

namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(SIGHTGLASS_EXPORT_SINK_CAPS));

void post_export_error(gpointer self, const Status& status) {
  GST_ELEMENT_ERROR(self, RESOURCE, FAILED,
                    ("%s; use gldownload for frames in system memory", status.message().c_str()), (nullptr));
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id != kStats) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    return;
  }
  const sightglass::ExportStats stats = exporter_of(object).stats();
  g_value_take_boxed(value, gst_structure_new("gldmabufexport-stats", "frames", G_TYPE_UINT64, stats.frames, "lent",
                                              G_TYPE_UINT64, stats.lent, "drawn", G_TYPE_UINT64, stats.drawn, "waited",
                                              G_TYPE_UINT64, stats.waited, nullptr));
}

gboolean gl_start(GstGLBaseFilter* filter) {
  const Status status = exporter_of(filter).attach(filter->context);
  if (!status.ok()) {
    post_export_error(filter, status);
    return FALSE;
  }
  GST_DEBUG_OBJECT(filter, "exporting from %" GST_PTR_FORMAT, filter->context);
  // The pool, if any, belongs to the previous context.
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(filter));
  return TRUE;
}

void gl_stop(GstGLBaseFilter* filter) { exporter_of(filter).detach(); }

GstCaps* transform_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* filter) {
  GstCaps* result = sightglass::transform_export_caps(direction, caps);
  GST_DEBUG_OBJECT(transform, "%s caps %" GST_PTR_FORMAT " transform to %" GST_PTR_FORMAT,
                   direction == GST_PAD_SINK ? "sink" : "src", caps, result);
  return sightglass::filtered(result, filter);
}

GstCaps* fixate_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* others) {
  const auto chain = GST_BASE_TRANSFORM_CLASS(gst_gl_dmabuf_export_parent_class)->fixate_caps;
  // The supported formats are known once there is a context; without one, an error has been posted.
  if (direction != GST_PAD_SINK || !gst_gl_base_filter_find_gl_context(GST_GL_BASE_FILTER(transform))) {
    return chain(transform, direction, caps, others);
  }
  const DmabufExporter& exporter = exporter_of(transform);
  gchar* wanted = gst_caps_to_string(others);
  others = sightglass::choose_export_caps(others, [&](uint32_t fourcc, uint64_t modifier) {
    const bool possible = exporter.can_export(fourcc, modifier);
    if (!possible && sightglass::is_logged(GST_CAT_DEFAULT, GST_LEVEL_DEBUG)) {
      GST_DEBUG_OBJECT(transform,
                       "declining %s with modifier 0x%016" G_GINT64_MODIFIER "x: the driver cannot draw into it",
                       sightglass::interop::fourcc_text(fourcc).c_str(), static_cast<guint64>(modifier));
    }
    return possible;
  });
  if (gst_caps_is_empty(others)) {
    GST_ELEMENT_ERROR(
        transform, CORE, NEGOTIATION,
        ("the GL driver cannot export any DMABUF that downstream accepts: %s; use gldownload for frames in system "
         "memory",
         wanted),
        (nullptr));
    g_free(wanted);
    return others;
  }
  g_free(wanted);
  GstCaps* fixed = gst_caps_make_writable(chain(transform, direction, caps, others));
  sightglass::set_export_colorimetry(caps, fixed);
  GST_INFO_OBJECT(transform, "caps: %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT, caps, fixed);
  return fixed;
}

gboolean propose_allocation(GstBaseTransform* transform, GstQuery* /*decide_query*/, GstQuery* query) {
  GstGLBaseFilter* filter = GST_GL_BASE_FILTER(transform);
  if (!gst_gl_base_filter_find_gl_context(filter)) return FALSE;
  GstCaps* caps = nullptr;
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &need_pool);
  guint min = 0;
  GstBufferPool* pool = need_pool && caps != nullptr ? exporter_of(filter).propose_pool(caps, &min) : nullptr;
  if (pool != nullptr) {
    GST_DEBUG_OBJECT(transform, "pool: offering %" GST_PTR_FORMAT " for upstream to draw into", pool);
    GstStructure* config = gst_buffer_pool_get_config(pool);
    guint size = 0;
    gst_buffer_pool_config_get_params(config, nullptr, &size, nullptr, nullptr);
    gst_structure_free(config);
    gst_query_add_allocation_pool(query, pool, size, min, 0);
    gst_object_unref(pool);
  }
  if (need_pool && pool == nullptr) {
    GST_DEBUG_OBJECT(transform, "upstream cannot draw into DMABUFs of this format: copying frames in a render pass");
  }
  GstGLContext* context = gst_gl_base_filter_get_gl_context(filter);
  // Without such a pool, offer an ordinary one.
  const bool answered = sightglass::propose_gl_allocation(context, query, need_pool && pool == nullptr);
  gst_object_unref(context);
  GST_DEBUG_OBJECT(transform, "proposing to upstream: %" GST_PTR_FORMAT, query);
  return answered;
}

gboolean decide_allocation(GstBaseTransform* transform, GstQuery* query) {
  GstGLBaseFilter* filter = GST_GL_BASE_FILTER(transform);
  if (!gst_gl_base_filter_find_gl_context(filter)) return FALSE;
  GstCaps* caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  const std::optional<ExportFormat> format =
      caps != nullptr ? sightglass::export_format_of(caps) : std::optional<ExportFormat>();
  if (!format) return FALSE;
  GST_DEBUG_OBJECT(transform, "downstream answered: %" GST_PTR_FORMAT, query);
  const sightglass::DownstreamPool theirs = sightglass::activate_downstream_pool(query, caps);
  guint held = kUsuallyHeld;
  // The base class must not use a pool: buffers are created per frame.
  while (gst_query_get_n_allocation_pools(query) > 0) {
    guint min = 0;
    gst_query_parse_nth_allocation_pool(query, 0, nullptr, nullptr, &min, nullptr);
    held = MAX(held, min);
    gst_query_remove_nth_allocation_pool(query, 0);
  }
  const Status status = exporter_of(filter).set_format(*format, held, theirs);
  if (!status.ok()) post_export_error(filter, status);
  return status.ok();
}

GstFlowReturn prepare_output_buffer(GstBaseTransform* transform, GstBuffer* input, GstBuffer** output) {
  auto frame = exporter_of(transform).export_frame(input);
  if (!frame.ok()) {
    post_export_error(transform, frame.status());
    return GST_FLOW_ERROR;
  }
  *output = *frame;
  return GST_BASE_TRANSFORM_GET_CLASS(transform)->copy_metadata(transform, input, *output) ? GST_FLOW_OK
                                                                                           : GST_FLOW_ERROR;
}

// The image does not change, so its metadata stays, except the crop, which is applied. Consumers of the DMABUF cannot
// use GL fences.
gboolean transform_meta(GstBaseTransform* /*transform*/, GstBuffer* /*output*/, GstMeta* meta, GstBuffer* /*input*/) {
  return meta->info->api != GST_GL_SYNC_META_API_TYPE && meta->info->api != GST_VIDEO_CROP_META_API_TYPE;
}

// prepare_output_buffer() has done all the work.
GstFlowReturn transform(GstBaseTransform* /*transform*/, GstBuffer* /*input*/, GstBuffer* /*output*/) {
  return GST_FLOW_OK;
}

}  // namespace

static void gst_gl_dmabuf_export_init(GstGLDMABufExport* self) { self->exporter = new DmabufExporter; }

static void gst_gl_dmabuf_export_class_init(GstGLDMABufExportClass* klass) {
  GST_DEBUG_CATEGORY_INIT(gst_gl_dmabuf_export_debug, "gldmabufexport", 0, "DMABUF export of textures");
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::own<&GstGLDMABufExport::exporter>(object_class);
  object_class->get_property = sightglass::guarded<get_property>;
  g_object_class_install_property(
      object_class, kStats,
      sightglass::stats_spec("Number of frames pushed, frames in downstream memory, frames copied in a render pass, "
                             "and frames for which the CPU waited for the GPU"));

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  GstCaps* caps = sightglass::export_src_caps();
  gst_element_class_add_pad_template(element_class, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
  gst_element_class_set_static_metadata(element_class, "OpenGL DMABUF exporter", "Filter/Video",
                                        "Exports OpenGL textures as DMABUFs to displays, encoders and other processes "
                                        "without a copy",
                                        SIGHTGLASS_AUTHOR);

  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->transform_caps = sightglass::guarded<transform_caps>;
  transform_class->fixate_caps = sightglass::guarded<fixate_caps>;
  transform_class->propose_allocation = sightglass::guarded<propose_allocation>;
  transform_class->decide_allocation = sightglass::guarded<decide_allocation>;
  transform_class->prepare_output_buffer = sightglass::guarded<prepare_output_buffer>;
  transform_class->transform_meta = sightglass::guarded<transform_meta>;
  transform_class->transform = sightglass::guarded<::transform>;

  GstGLBaseFilterClass* filter_class = GST_GL_BASE_FILTER_CLASS(klass);
  filter_class->supported_gl_api = static_cast<GstGLAPI>(GST_GL_API_GLES2 | GST_GL_API_OPENGL3 | GST_GL_API_OPENGL);
  filter_class->gl_start = sightglass::guarded<gl_start>;
  filter_class->gl_stop = sightglass::guarded<gl_stop>;
}
