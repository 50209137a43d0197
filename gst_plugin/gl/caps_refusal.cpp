#include "gl/caps_refusal.h"

#include "gl/frame_caps.h"

namespace sightglass {

namespace {

// Whether the element directly upstream is a glupload that gets only system memory.
bool uploads_system_memory(GstBaseTransform* transform) {
  GstPad* peer = gst_pad_get_peer(GST_BASE_TRANSFORM_SINK_PAD(transform));
  GstElement* upload = peer != nullptr ? gst_pad_get_parent_element(peer) : nullptr;
  GstElementFactory* factory = upload != nullptr ? gst_element_get_factory(upload) : nullptr;
  bool system = factory != nullptr && g_str_equal(GST_OBJECT_NAME(factory), "glupload") != FALSE;
  if (system) {
    GstPad* entry = gst_element_get_static_pad(upload, "sink");
    GstCaps* caps = gst_pad_peer_query_caps(entry, nullptr);
    system = gst_caps_is_any(caps) == FALSE;
    for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
      system = system && gst_caps_features_is_equal(gst_caps_get_features(caps, i),
                                                    GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY) != FALSE;
    }
    gst_caps_unref(caps);
    gst_object_unref(entry);
  }
  gst_clear_object(&upload);
  gst_clear_object(&peer);
  return system;
}

}  // namespace

bool fits_sink_pad(GstBaseTransform* transform, const GstCaps* caps) {
  GstCaps* possible = gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SINK_PAD(transform));
  const bool fits = gst_caps_can_intersect(caps, possible) != FALSE;
  gst_caps_unref(possible);
  return fits;
}

std::string refusal_of_answer(GstBaseTransform* transform, GstQuery* query) {
  GstCaps* offered = nullptr;
  gst_query_parse_caps(query, &offered);
  if (offered == nullptr || gst_caps_is_any(offered)) return {};
  if (GST_STATE(transform) < GST_STATE_PAUSED && GST_STATE_NEXT(transform) < GST_STATE_PAUSED) return {};
  const bool any_fits = fits_sink_pad(transform, offered);
  GstCaps* refused = gst_caps_new_empty();
  bool fits = false;
  for (guint i = 0; i < gst_caps_get_size(offered); ++i) {
    GstCaps* one = gst_caps_copy_nth(offered, i);
    const GValue* format = gst_structure_get_value(gst_caps_get_structure(one, 0), "format");
    const bool rgba =
        format != nullptr && G_VALUE_HOLDS_STRING(format) && g_str_equal(g_value_get_string(format), "RGBA");
    const bool one_fits = fits_sink_pad(transform, one);
    fits = fits || (one_fits && !rgba);
    if (!one_fits && (!rgba || !any_fits)) {
      gst_caps_append(refused, one);
    } else {
      gst_caps_unref(one);
    }
  }
  const std::string refusal = fits || gst_caps_is_empty(refused) ? "" : refusal_of(refused);
  gst_caps_unref(refused);
  if (refusal.empty() || (any_fits && !uploads_system_memory(transform))) return {};
  return refusal;
}

}  // namespace sightglass
