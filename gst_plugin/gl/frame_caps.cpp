#include "gl/frame_caps.h"

#include <initializer_list>
#include <optional>
#include <set>
#include <string>

namespace sightglass {

namespace {

void swap_fields(GstStructure* structure, const char* a, const char* b) {
  const GValue* first = gst_structure_get_value(structure, a);
  const GValue* second = gst_structure_get_value(structure, b);
  if (first == nullptr || second == nullptr) return;
  GValue kept = G_VALUE_INIT;
  g_value_init(&kept, G_VALUE_TYPE(first));
  g_value_copy(first, &kept);
  gst_structure_set_value(structure, a, second);
  gst_structure_take_value(structure, b, &kept);
}

void turn(GstStructure* structure) {
  swap_fields(structure, "width", "height");
  gint numerator = 1, denominator = 1;
  if (gst_structure_get_fraction(structure, "pixel-aspect-ratio", &numerator, &denominator)) {
    gst_structure_set(structure, "pixel-aspect-ratio", GST_TYPE_FRACTION, denominator, numerator, nullptr);
  }
}

// The strings of a field, which holds one or a list of them.
std::set<std::string> words_of(const GstStructure* structure, const char* field) {
  std::set<std::string> words;
  const GValue* value = gst_structure_get_value(structure, field);
  if (value == nullptr) return words;
  if (G_VALUE_HOLDS_STRING(value)) words.insert(g_value_get_string(value));
  for (guint i = 0; GST_VALUE_HOLDS_LIST(value) && i < gst_value_list_get_size(value); ++i) {
    const GValue* one = gst_value_list_get_value(value, i);
    if (G_VALUE_HOLDS_STRING(one)) words.insert(g_value_get_string(one));
  }
  return words;
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

constexpr const char* kPixelAspect = "pixel-aspect-ratio";

struct Fraction {
  gint numerator = 1, denominator = 1;
};

// The pixel aspect ratio that keeps the proportions of an upright frame at the element's own output size; nothing if
// the frame size is not fixed.
std::optional<Fraction> pixel_aspect_of(const GstStructure* frame, const OwnSize& own) {
  gint width = 0, height = 0;
  if (own.width <= 0 || !gst_structure_get_int(frame, "width", &width) ||
      !gst_structure_get_int(frame, "height", &height)) {
    return {};
  }
  Fraction pixel;
  if (gst_structure_has_field(frame, kPixelAspect) &&
      !gst_structure_get_fraction(frame, kPixelAspect, &pixel.numerator, &pixel.denominator)) {
    return {};
  }
  if (own.seen_width > 0) {
    width = own.seen_width;
    height = own.seen_height;
    pixel = {};
  }
  Fraction scale, result;
  if (!gst_util_fraction_multiply(width, height, own.height, own.width, &scale.numerator, &scale.denominator) ||
      !gst_util_fraction_multiply(scale.numerator, scale.denominator, pixel.numerator, pixel.denominator,
                                  &result.numerator, &result.denominator)) {
    return {};
  }
  return result;
}

// Offers the pixel aspect ratio that keeps proportions, then square pixels in case downstream accepts only those.
void set_aspect(GstStructure* structure, const Fraction& pixel) {
  GValue choices = G_VALUE_INIT;
  g_value_init(&choices, GST_TYPE_LIST);
  for (const Fraction& choice : {pixel, Fraction()}) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_FRACTION);
    gst_value_set_fraction(&value, choice.numerator, choice.denominator);
    gst_value_list_append_and_take_value(&choices, &value);
    if (pixel.numerator == pixel.denominator) break;
  }
  gst_structure_take_value(structure, kPixelAspect, &choices);
}

// Converts the structure of an upright frame to that of the output, or the reverse, which any frame size fits.
void set_size(GstStructure* structure, GstPadDirection direction, const OwnSize& own) {
  const std::optional<Fraction> pixel = pixel_aspect_of(structure, own);
  gst_structure_remove_field(structure, kPixelAspect);
  if (direction == GST_PAD_SINK && own.width > 0) {
    gst_structure_set(structure, "width", G_TYPE_INT, own.width, "height", G_TYPE_INT, own.height, nullptr);
    if (pixel) set_aspect(structure, *pixel);
  } else {
    gst_structure_set(structure, "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height", GST_TYPE_INT_RANGE, 1, G_MAXINT,
                      nullptr);
  }
}

// Whether the field, which may be a list or missing, allows `choice`.
bool may_be(const GstStructure* structure, const char* field, const char* choice) {
  const GValue* value = gst_structure_get_value(structure, field);
  if (value == nullptr) return true;
  GValue wanted = G_VALUE_INIT;
  g_value_init(&wanted, G_TYPE_STRING);
  g_value_set_static_string(&wanted, choice);
  const bool may = gst_value_intersect(nullptr, value, &wanted) != FALSE;
  g_value_unset(&wanted);
  return may;
}

// `structure` as RGBA in a texture of that target. Keeps the colorimetry.
GstStructure* as_rgba(const GstStructure* structure, const char* target) {
  GstStructure* rgba = gst_structure_copy(structure);
  gst_structure_set(rgba, "format", G_TYPE_STRING, "RGBA", "texture-target", G_TYPE_STRING, target, nullptr);
  gst_structure_remove_field(rgba, "chroma-site");
  return rgba;
}

GstStructure* as_planes(const GstStructure* structure) {
  GstStructure* planes = gst_structure_copy(structure);
  gst_structure_remove_fields(planes, "colorimetry", "chroma-site", nullptr);
  gst_structure_set(planes, "texture-target", G_TYPE_STRING, "2D", nullptr);
  GValue formats = G_VALUE_INIT;
  g_value_init(&formats, GST_TYPE_LIST);
  for (const PlanarFormat& planar : kPlanarFormats) {
    GValue format = G_VALUE_INIT;
    g_value_init(&format, G_TYPE_STRING);
    g_value_set_static_string(&format, planar.name);
    gst_value_list_append_and_take_value(&formats, &format);
  }
  gst_structure_take_value(planes, "format", &formats);
  return planes;
}

}  // namespace

GstCaps* transform_frame_caps(GstPadDirection direction, GstCaps* caps, const FrameCapsChoice& choice) {
  GstCaps* result = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    const bool from_2d = may_be(gst_caps_get_structure(caps, i), "texture-target", "2D");
    if (direction == GST_PAD_SINK && !from_2d && !choice.external) continue;
    GstStructure* given = gst_structure_copy(gst_caps_get_structure(caps, i));
    if (choice.swapped) turn(given);
    if (choice.own_size) set_size(given, direction, *choice.own_size);
    GstCapsFeatures* features = gst_caps_get_features(caps, i);
    const auto add = [&](GstStructure* structure) {
      result = gst_caps_merge_structure_full(result, structure, gst_caps_features_copy(features));
    };
    if (direction == GST_PAD_SINK) {
      // RGBA keeps its colorimetry; converted YUV gets one when the caps are fixated.
      if (!may_be(given, "format", "RGBA")) gst_structure_remove_field(given, "colorimetry");
      add(as_rgba(given, "2D"));
    } else {
      add(as_planes(given));
      add(as_rgba(given, "2D"));
      if (choice.external) add(as_rgba(given, "external-oes"));
    }
    gst_structure_free(given);
  }
  return result;
}

GstCaps* filtered(GstCaps* caps, GstCaps* filter) {
  if (filter == nullptr) return caps;
  GstCaps* both = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(caps);
  return both;
}

std::string refusal_of(const GstCaps* caps) {
  bool textures = false;
  std::set<std::string> formats, targets;
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    const GstStructure* structure = gst_caps_get_structure(caps, i);
    if (!gst_structure_has_name(structure, "video/x-raw")) return {};
    textures = textures ||
               gst_caps_features_contains(gst_caps_get_features(caps, i), GST_CAPS_FEATURE_MEMORY_GL_MEMORY) != FALSE;
    formats.merge(words_of(structure, "format"));
    targets.merge(words_of(structure, "texture-target"));
  }
  if (!textures) {
    return "sink: cannot take frames that are not in GL textures: the element does not read system memory or DMABUFs; "
           "put glupload and glcolorconvert upstream, or use a bin that contains them, such as glsegmentbin";
  }
  return "sink: cannot take textures of format " + joined(formats) + " with texture-target " + joined(targets) +
         ": the element samples " SIGHTGLASS_FRAME_FORMATS
         " in 2D, and RGBA in external-oes; put glcolorconvert "
         "downstream of glupload";
}

void set_output_colorimetry(GstCaps* input, GstCaps* output) {
  GstVideoInfo info;
  GstStructure* structure = gst_caps_get_structure(output, 0);
  if (!gst_video_info_from_caps(&info, input) || !GST_VIDEO_INFO_IS_YUV(&info)) return;
  if (gst_structure_has_field(structure, "colorimetry")) return;
  GstVideoColorimetry colorimetry = GST_VIDEO_INFO_COLORIMETRY(&info);
  colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_RGB;
  if (gchar* text = gst_video_colorimetry_to_string(&colorimetry)) {
    gst_structure_set(structure, "colorimetry", G_TYPE_STRING, text, nullptr);
    g_free(text);
  }
}

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
