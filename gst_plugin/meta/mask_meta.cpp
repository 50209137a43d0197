#include "sightglass/gst/mask_meta.h"

#include <gst/video/gstvideometa.h>
#include <gst/video/video.h>

#include "gobject/guarded.h"
#include "meta/meta_types.h"

namespace sightglass {

namespace {

GType api_type() {
  static const gchar* tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                nullptr};
  static const GType type = gst_meta_api_type_register(SIGHTGLASS_MASK_META_API_NAME, tags);
  return type;
}

SightglassMaskMeta* mask_of(GstMeta* meta) { return reinterpret_cast<SightglassMaskMeta*>(meta); }

gboolean init(GstMeta* meta, gpointer /*params*/, GstBuffer* /*buffer*/) {
  SightglassMaskMeta* mask = mask_of(meta);
  mask->mask = nullptr;
  mask->x = mask->y = 0;
  mask->width = mask->height = 1;
  return TRUE;
}

void release(GstMeta* meta, GstBuffer* /*buffer*/) { gst_clear_buffer(&mask_of(meta)->mask); }

gboolean transform(GstBuffer* destination, GstMeta* meta, GstBuffer* /*buffer*/, GQuark type, gpointer data) {
  if (GST_META_TRANSFORM_IS_COPY(type)) {
    if (static_cast<GstMetaTransformCopy*>(data)->region != FALSE) return FALSE;
  } else if (!GST_VIDEO_META_TRANSFORM_IS_SCALE(type)) {
    return FALSE;  // the mask does not follow other transforms of the frame
  }
  const SightglassMaskMeta* from = mask_of(meta);
  return add_mask_meta(destination, from->mask, {from->x, from->y, from->width, from->height}) != nullptr;
}

}  // namespace

const GstMetaInfo* mask_meta_info() {
  static const GstMetaInfo* const info = gst_meta_register(api_type(), "SightglassMaskMeta", sizeof(SightglassMaskMeta),
                                                           guarded<init>, guarded<release>, guarded<transform>);
  return info;
}

SightglassMaskMeta* add_mask_meta(GstBuffer* buffer, GstBuffer* mask, const CropRect& place) {
  SightglassMaskMeta* meta = mask_of(gst_buffer_add_meta(buffer, mask_meta_info(), nullptr));
  if (meta == nullptr) return nullptr;
  meta->mask = gst_buffer_ref(mask);
  meta->x = place.x;
  meta->y = place.y;
  meta->width = place.width;
  meta->height = place.height;
  return meta;
}

}  // namespace sightglass
