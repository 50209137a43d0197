// Metadata between the elements of this plugin.
#include <utility>

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

// Objects on the GPU.

namespace {

constexpr const char* kRequest = "sightglass-objects-request";

struct ObjectsMeta {
  GstMeta meta;
  SharedObjects* owner;
};

// Coordinates follow the size of the frame, but no other change.
GType objects_api_type() {
  static const gchar* tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                nullptr};
  static const GType type = gst_meta_api_type_register("SightglassObjectsMetaAPI", tags);
  return type;
}

ObjectsMeta* objects_in(GstMeta* meta) { return reinterpret_cast<ObjectsMeta*>(meta); }

gboolean init_objects(GstMeta* meta, gpointer /*params*/, GstBuffer* /*buffer*/) {
  objects_in(meta)->owner = nullptr;
  return TRUE;
}

void release_objects(GstMeta* meta, GstBuffer* /*buffer*/) { delete objects_in(meta)->owner; }

gboolean transform_objects(GstBuffer* destination, GstMeta* meta, GstBuffer* /*buffer*/, GQuark type, gpointer data) {
  if (GST_META_TRANSFORM_IS_COPY(type)) {
    if (static_cast<GstMetaTransformCopy*>(data)->region != FALSE) return FALSE;
  } else if (!GST_VIDEO_META_TRANSFORM_IS_SCALE(type)) {
    return FALSE;
  }
  if (objects_of(destination) == nullptr) add_objects_meta(destination, *objects_in(meta)->owner);
  return TRUE;
}

}  // namespace

const GstMetaInfo* objects_meta_info() {
  static const GstMetaInfo* const info =
      gst_meta_register(objects_api_type(), "SightglassObjectsMeta", sizeof(ObjectsMeta), guarded<init_objects>,
                        guarded<release_objects>, guarded<transform_objects>);
  return info;
}

void add_objects_meta(GstBuffer* buffer, SharedObjects objects) {
  while (GstMeta* earlier = gst_buffer_get_meta(buffer, objects_meta_info()->api)) {
    if (gst_buffer_remove_meta(buffer, earlier) == FALSE) break;
  }
  ObjectsMeta* meta = objects_in(gst_buffer_add_meta(buffer, objects_meta_info(), nullptr));
  if (meta != nullptr) meta->owner = new SharedObjects(std::move(objects));
}

SharedObjects objects_of(GstBuffer* buffer) {
  const ObjectsMeta* meta = objects_in(gst_buffer_get_meta(buffer, objects_meta_info()->api));
  return meta != nullptr && meta->owner != nullptr ? *meta->owner : nullptr;
}

GstEvent* objects_request() {
  return gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty(kRequest));
}

bool is_objects_request(GstEvent* event) {
  return GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_UPSTREAM && gst_event_has_name(event, kRequest) != FALSE;
}

}  // namespace sightglass
