#include "gobject/guarded.h"
#include "meta/meta_types.h"

namespace sightglass {

namespace {

// With a tag that no transform recognizes, so that no downstream element draws the background again.
GType api_type() {
  static const gchar* tags[] = {"sightglass-background", nullptr};
  static const GType type = gst_meta_api_type_register("SightglassBackgroundMetaAPI", tags);
  return type;
}

BackgroundMeta* background_of(GstMeta* meta) { return reinterpret_cast<BackgroundMeta*>(meta); }

gboolean init(GstMeta* meta, gpointer /*params*/, GstBuffer* /*buffer*/) {
  background_of(meta)->frame = nullptr;
  gst_video_info_init(&background_of(meta)->info);
  return TRUE;
}

void release(GstMeta* meta, GstBuffer* /*buffer*/) { gst_clear_buffer(&background_of(meta)->frame); }

gboolean transform(GstBuffer* destination, GstMeta* meta, GstBuffer* /*buffer*/, GQuark type, gpointer data) {
  if (!GST_META_TRANSFORM_IS_COPY(type) || static_cast<GstMetaTransformCopy*>(data)->region != FALSE) return FALSE;
  add_background_meta(destination, background_of(meta)->frame, background_of(meta)->info);
  return TRUE;
}

}  // namespace

const GstMetaInfo* background_meta_info() {
  static const GstMetaInfo* const info =
      gst_meta_register(api_type(), "SightglassBackgroundMeta", sizeof(BackgroundMeta), guarded<init>, guarded<release>,
                        guarded<transform>);
  return info;
}

void add_background_meta(GstBuffer* buffer, GstBuffer* frame, const GstVideoInfo& info) {
  BackgroundMeta* meta = background_of(gst_buffer_add_meta(buffer, background_meta_info(), nullptr));
  if (meta == nullptr) return;
  meta->frame = gst_buffer_ref(frame);
  meta->info = info;
}

const BackgroundMeta* background_meta_of(GstBuffer* buffer) {
  return background_of(gst_buffer_get_meta(buffer, background_meta_info()->api));
}

}  // namespace sightglass
