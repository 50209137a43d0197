#include "sightglass/gst/figure_meta.h"

#include <gst/video/gstvideometa.h>
#include <gst/video/video.h>

#include <algorithm>
#include <iterator>

#include "figure/glfiguresrc.h"
#include "gobject/guarded.h"

namespace sightglass {

namespace {

GType api_type() {
  static const gchar* tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                nullptr};
  static const GType type = gst_meta_api_type_register(SIGHTGLASS_FIGURE_META_API_NAME, tags);
  return type;
}

SightglassFigureMeta* figure_of(GstMeta* meta) { return reinterpret_cast<SightglassFigureMeta*>(meta); }

gboolean init(GstMeta* meta, gpointer /*params*/, GstBuffer* /*buffer*/) {
  SightglassFigureMeta* figure = figure_of(meta);
  figure->mask = nullptr;
  figure->seed = 0;
  figure->frame = 0;
  figure->time = GST_CLOCK_TIME_NONE;
  for (SightglassKeyPoint& point : figure->key_points) point = {};
  return TRUE;
}

void release(GstMeta* meta, GstBuffer* /*buffer*/) { gst_clear_buffer(&figure_of(meta)->mask); }

gboolean transform(GstBuffer* destination, GstMeta* meta, GstBuffer* /*buffer*/, GQuark type, gpointer data) {
  if (GST_META_TRANSFORM_IS_COPY(type)) {
    if (static_cast<GstMetaTransformCopy*>(data)->region != FALSE) return FALSE;
  } else if (!GST_VIDEO_META_TRANSFORM_IS_SCALE(type)) {
    return FALSE;  // other transforms would make the coordinates wrong
  }
  const SightglassFigureMeta* from = figure_of(meta);
  SightglassFigureMeta* to = add_figure_meta(destination, from->mask);
  if (to == nullptr) return FALSE;
  to->seed = from->seed;
  to->frame = from->frame;
  to->time = from->time;
  std::copy(std::begin(from->key_points), std::end(from->key_points), to->key_points);
  return TRUE;
}

}  // namespace

const GstMetaInfo* figure_meta_info() {
  static const GstMetaInfo* const info =
      gst_meta_register(api_type(), "SightglassFigureMeta", sizeof(SightglassFigureMeta), guarded<init>,
                        guarded<release>, guarded<transform>);
  return info;
}

SightglassFigureMeta* add_figure_meta(GstBuffer* buffer, GstBuffer* mask) {
  SightglassFigureMeta* meta = figure_of(gst_buffer_add_meta(buffer, figure_meta_info(), nullptr));
  if (meta != nullptr && mask != nullptr) meta->mask = gst_buffer_ref(mask);
  return meta;
}

}  // namespace sightglass
