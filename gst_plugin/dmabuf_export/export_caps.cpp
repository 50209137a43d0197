#include "dmabuf_export/export_caps.h"

#include <gst/allocators/gstdmabuf.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "gl/frame_format.h"

namespace sightglass {

namespace {

constexpr uint32_t fourcc(const char (&code)[5]) {
  return static_cast<uint32_t>(code[0]) | static_cast<uint32_t>(code[1]) << 8 | static_cast<uint32_t>(code[2]) << 16 |
         static_cast<uint32_t>(code[3]) << 24;
}

// DRM names list the components from the highest byte of a word, GStreamer names from the first byte in memory.
struct Format {
  const char* name;
  GstVideoFormat format;
  uint32_t fourcc;
};
constexpr std::array<Format, 5> kFormats = {{{"BGRx", GST_VIDEO_FORMAT_BGRx, fourcc("XR24")},
                                             {"BGRA", GST_VIDEO_FORMAT_BGRA, fourcc("AR24")},
                                             {"RGBx", GST_VIDEO_FORMAT_RGBx, fourcc("XB24")},
                                             {"RGBA", GST_VIDEO_FORMAT_RGBA, fourcc("AB24")},
                                             {kPlanarFormats[0].name, drawn_format(true), fourcc("NV12")}}};
constexpr const char* kDmaDrm = "DMA_DRM";

const Format* find(const char* name) {
  for (const Format& format : kFormats) {
    if (std::strcmp(format.name, name) == 0) return &format;
  }
  return nullptr;
}

const Format* find(uint32_t code) {
  for (const Format& format : kFormats) {
    if (format.fourcc == code) return &format;
  }
  return nullptr;
}

#if GST_CHECK_VERSION(1, 24, 0)
constexpr bool kHasDmaDrm = true;
constexpr GstVideoFormat kDmaDrmFormat = GST_VIDEO_FORMAT_DMA_DRM;
#else
constexpr bool kHasDmaDrm = false;
constexpr GstVideoFormat kDmaDrmFormat = GST_VIDEO_FORMAT_UNKNOWN;
#endif

// "XR24" is linear; "XR24:0x0100000000000001" includes a modifier.
struct DrmFormat {
  const Format* format;
  uint64_t modifier;
};
std::optional<DrmFormat> parse_drm_format(const char* text) {
  const std::string whole = text;
  const size_t colon = whole.find(':');
  std::string code = whole.substr(0, colon);
  if (code.empty() || code.size() > 4) return std::nullopt;
  code.resize(4, ' ');
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number |= static_cast<uint32_t>(static_cast<unsigned char>(code[i])) << (8 * i);
  const Format* format = find(number);
  if (format == nullptr) return std::nullopt;
  if (colon == std::string::npos) return DrmFormat{format, interop::kModifierLinear};
  char* end = nullptr;
  const char* digits = text + colon + 1;
  const uint64_t modifier = std::strtoull(digits, &end, 16);
  if (end == digits || *end != '\0') return std::nullopt;
  return DrmFormat{format, modifier};
}

bool is_dmabuf(GstCapsFeatures* features) {
  return features != nullptr && gst_caps_features_contains(features, GST_CAPS_FEATURE_MEMORY_DMABUF);
}

void take_strings(GstStructure* structure, const char* field, const std::vector<std::string>& strings) {
  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_LIST);
  for (const std::string& string : strings) {
    GValue one = G_VALUE_INIT;
    g_value_init(&one, G_TYPE_STRING);
    g_value_set_string(&one, string.c_str());
    gst_value_list_append_and_take_value(&list, &one);
  }
  gst_structure_take_value(structure, field, &list);
}

// The strings of a field that is one or a list of them.
std::vector<std::string> strings_of(const GstStructure* structure, const char* field) {
  std::vector<std::string> strings;
  const GValue* value = gst_structure_get_value(structure, field);
  if (value == nullptr) return strings;
  if (G_VALUE_HOLDS_STRING(value)) strings.emplace_back(g_value_get_string(value));
  for (guint i = 0; GST_VALUE_HOLDS_LIST(value) && i < gst_value_list_get_size(value); ++i) {
    const GValue* one = gst_value_list_get_value(value, i);
    if (G_VALUE_HOLDS_STRING(one)) strings.emplace_back(g_value_get_string(one));
  }
  return strings;
}

// `structure` as frames of these formats; negotiation determines the colorimetry.
GstStructure* as_frames(const GstStructure* structure, bool dma_drm) {
  GstStructure* frames = gst_structure_copy(structure);
  gst_structure_remove_fields(frames, "texture-target", "chroma-site", "colorimetry", "drm-format", nullptr);
  if (dma_drm) {
    gst_structure_set(frames, "format", G_TYPE_STRING, kDmaDrm, nullptr);
    return frames;
  }
  std::vector<std::string> names;
  names.reserve(kFormats.size());
  for (const Format& format : kFormats) names.emplace_back(format.name);
  take_strings(frames, "format", names);
  return frames;
}

GstStructure* as_texture(const GstStructure* structure) {
  GstStructure* texture = gst_structure_copy(structure);
  gst_structure_remove_fields(texture, "chroma-site", "colorimetry", "drm-format", nullptr);
  gst_structure_set(texture, "format", G_TYPE_STRING, "RGBA", "texture-target", G_TYPE_STRING, "2D", nullptr);
  return texture;
}

GstCaps* frames_of(const GstStructure* structure) {
  GstCaps* caps = gst_caps_new_empty();
  const auto add = [&](bool dma_drm, const char* feature) {
    GstCapsFeatures* features = feature != nullptr ? gst_caps_features_new(feature, nullptr) : nullptr;
    gst_caps_append_structure_full(caps, as_frames(structure, dma_drm), features);
  };
  if (kHasDmaDrm) add(true, GST_CAPS_FEATURE_MEMORY_DMABUF);
  add(false, GST_CAPS_FEATURE_MEMORY_DMABUF);
  add(false, nullptr);
  return caps;
}

}  // namespace

GstCaps* export_src_caps() {
  GstCaps* any = gst_caps_from_string(GST_VIDEO_CAPS_MAKE("RGBA"));
  GstCaps* caps = frames_of(gst_caps_get_structure(any, 0));
  gst_caps_unref(any);
  return caps;
}

GstCaps* transform_export_caps(GstPadDirection direction, GstCaps* caps) {
  GstCaps* result = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    const GstStructure* structure = gst_caps_get_structure(caps, i);
    if (direction == GST_PAD_SINK) {
      result = gst_caps_merge(result, frames_of(structure));
    } else {
      result = gst_caps_merge_structure_full(result, as_texture(structure),
                                             gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
    }
  }
  return result;
}

GstCaps* choose_export_caps(GstCaps* caps, const CanExport& can_export) {
  GstCaps* chosen = gst_caps_new_empty();
  bool dmabuf = false;
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    GstCapsFeatures* features = gst_caps_get_features(caps, i);
    GstStructure* structure = gst_structure_copy(gst_caps_get_structure(caps, i));
    const std::vector<std::string> names = strings_of(structure, "format");
    const bool dma_drm = names.size() == 1 && names[0] == kDmaDrm;
    std::vector<std::string> possible;
    if (dma_drm) {
      std::vector<std::string> offered = strings_of(structure, "drm-format");
      if (!gst_structure_has_field(structure, "drm-format")) {
        for (const Format& format : kFormats) offered.push_back(interop::fourcc_text(format.fourcc));
      }
      for (const std::string& text : offered) {
        const std::optional<DrmFormat> format = parse_drm_format(text.c_str());
        if (format && can_export(format->format->fourcc, format->modifier)) possible.push_back(text);
      }
    } else {
      for (const std::string& name : names) {
        const Format* format = find(name.c_str());
        if (format != nullptr && can_export(format->fourcc, interop::kModifierLinear)) possible.push_back(name);
      }
    }
    if (possible.empty()) {
      gst_structure_free(structure);
      continue;
    }
    take_strings(structure, dma_drm ? "drm-format" : "format", possible);
    dmabuf = dmabuf || is_dmabuf(features);
    gst_caps_append_structure_full(chosen, structure, gst_caps_features_copy(features));
  }
  gst_caps_unref(caps);
  for (guint i = gst_caps_get_size(chosen); dmabuf && i-- > 0;) {
    if (!is_dmabuf(gst_caps_get_features(chosen, i))) gst_caps_remove_structure(chosen, i);
  }
  return chosen;
}

void set_export_colorimetry(GstCaps* input, GstCaps* output) {
  const std::optional<ExportFormat> format = export_format_of(output);
  GstStructure* structure = gst_caps_get_structure(output, 0);
  GstVideoInfo info;
  const char* known = gst_structure_get_string(gst_caps_get_structure(input, 0), "colorimetry");
  if (!format || known == nullptr || gst_structure_has_field(structure, "colorimetry") ||
      !gst_video_info_from_caps(&info, input)) {
    return;
  }
  GstVideoColorimetry colorimetry = GST_VIDEO_INFO_COLORIMETRY(&info);
  if (format->planes()) {
    // The default for frames of this size without colorimetry in their caps.
    const GstVideoColorimetry usual = GST_VIDEO_INFO_COLORIMETRY(&format->info);
    colorimetry.matrix = usual.matrix;
    colorimetry.range = usual.range;
  }
  if (gchar* text = gst_video_colorimetry_to_string(&colorimetry)) {
    gst_structure_set(structure, "colorimetry", G_TYPE_STRING, text, nullptr);
    g_free(text);
  }
}

std::optional<ExportFormat> export_format_of(GstCaps* caps) {
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  const char* name = gst_structure_get_string(structure, "format");
  const char* drm = gst_structure_get_string(structure, "drm-format");
  if (name == nullptr) return std::nullopt;
  ExportFormat format;
  const Format* known = find(name);
  if (std::strcmp(name, kDmaDrm) == 0 && drm != nullptr) {
    const std::optional<DrmFormat> parsed = parse_drm_format(drm);
    if (!parsed) return std::nullopt;
    known = parsed->format;
    format.request.modifiers = {parsed->modifier};
    format.meta_format = kDmaDrmFormat;
  } else if (known != nullptr) {
    format.meta_format = known->format;
  }
  if (known == nullptr || format.meta_format == GST_VIDEO_FORMAT_UNKNOWN) return std::nullopt;
  // GstVideoInfo does not support DRM formats.
  GstCaps* plain = gst_caps_copy(caps);
  GstStructure* described = gst_caps_get_structure(plain, 0);
  gst_structure_set(described, "format", G_TYPE_STRING, known->name, nullptr);
  gst_structure_remove_field(described, "drm-format");
  gst_caps_set_features_simple(plain, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY, nullptr));
  const bool read = gst_video_info_from_caps(&format.info, plain) != FALSE;
  gst_caps_unref(plain);
  if (!read) return std::nullopt;
  format.request.width = GST_VIDEO_INFO_WIDTH(&format.info);
  format.request.height = GST_VIDEO_INFO_HEIGHT(&format.info);
  format.request.fourcc = known->fourcc;
  return format;
}

}  // namespace sightglass
