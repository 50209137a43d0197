#include "sightglass/metadata_objects.h"

#include "sightglass/gst/figure_meta.h"
#include "sightglass/gst/mask_meta.h"
#include "sightglass/gst/results_meta.h"

// Strings are reference counted, and arrays are immutable and shared by copies. GLib ends the process if memory runs
// out.
namespace {

const gchar* share(const gchar* text) {
  return text != nullptr ? g_ref_string_acquire(const_cast<gchar*>(text)) : nullptr;
}
GPtrArray* share(gpointer array) { return g_ptr_array_ref(static_cast<GPtrArray*>(array)); }
const gchar* new_string(const gchar* text) { return text != nullptr ? g_ref_string_new(text) : nullptr; }
void release(const gchar* text) {
  if (text != nullptr) g_ref_string_release(const_cast<gchar*>(text));
}

// Functions that take and return gpointer, as GLib wants them.
template <typename T, T* (*copy)(const T*)>
gpointer copy_boxed(gpointer boxed) {
  return copy(static_cast<const T*>(boxed));
}
template <typename T, void (*destroy)(T*)>
void free_boxed(gpointer boxed) {
  destroy(static_cast<T*>(boxed));
  g_free(boxed);
}
template <typename T, T* (*copy)(const T*), void (*destroy)(T*)>
GType boxed_type(const char* name) {
  return g_boxed_type_register_static(name, copy_boxed<T, copy>, free_boxed<T, destroy>);
}

SightglassPoint* copy_point(const SightglassPoint* point) {
  auto* copy = static_cast<SightglassPoint*>(g_memdup2(point, sizeof *point));
  copy->name = share(point->name);
  return copy;
}
void destroy_point(SightglassPoint* point) { release(point->name); }

SightglassObject* copy_object(const SightglassObject* object) {
  auto* copy = static_cast<SightglassObject*>(g_memdup2(object, sizeof *object));
  copy->label = share(object->label);
  copy->points = share(object->points);
  copy->classes = share(object->classes);
  return copy;
}
void destroy_object(SightglassObject* object) {
  release(object->label);
  g_ptr_array_unref(static_cast<GPtrArray*>(object->points));
  g_ptr_array_unref(static_cast<GPtrArray*>(object->classes));
}

SightglassClass* copy_class(const SightglassClass* object) {
  auto* copy = static_cast<SightglassClass*>(g_memdup2(object, sizeof *object));
  copy->label = share(object->label);
  return copy;
}
void destroy_class(SightglassClass* object) { release(object->label); }

SightglassFrameResults* copy_results(const SightglassFrameResults* results) {
  auto* copy = static_cast<SightglassFrameResults*>(g_memdup2(results, sizeof *results));
  copy->model = share(results->model);
  copy->objects = share(results->objects);
  copy->classes = share(results->classes);
  return copy;
}
void destroy_results(SightglassFrameResults* results) {
  release(results->model);
  g_ptr_array_unref(static_cast<GPtrArray*>(results->objects));
  g_ptr_array_unref(static_cast<GPtrArray*>(results->classes));
}

SightglassMask* copy_mask(const SightglassMask* mask) {
  auto* copy = static_cast<SightglassMask*>(g_memdup2(mask, sizeof *mask));
  gst_buffer_ref(static_cast<GstBuffer*>(copy->buffer));
  return copy;
}
void destroy_mask(SightglassMask* mask) { gst_buffer_unref(static_cast<GstBuffer*>(mask->buffer)); }

SightglassFigure* copy_figure(const SightglassFigure* figure) {
  auto* copy = static_cast<SightglassFigure*>(g_memdup2(figure, sizeof *figure));
  if (copy->buffer != nullptr) gst_buffer_ref(static_cast<GstBuffer*>(copy->buffer));
  copy->points = share(figure->points);
  return copy;
}
void destroy_figure(SightglassFigure* figure) {
  if (figure->buffer != nullptr) gst_buffer_unref(static_cast<GstBuffer*>(figure->buffer));
  g_ptr_array_unref(static_cast<GPtrArray*>(figure->points));
}

gint64 time_of(GstClockTime time) { return GST_CLOCK_TIME_IS_VALID(time) ? static_cast<gint64>(time) : -1; }

GPtrArray* new_points(const SightglassResultObject& object) {
  GPtrArray* points = g_ptr_array_new_with_free_func(free_boxed<SightglassPoint, destroy_point>);
  for (guint i = 0; i < object.points_count; ++i) {
    const SightglassResultPoint& from = object.points[i];
    auto* point = g_new0(SightglassPoint, 1);
    *point = {new_string(from.name), from.x,       from.y,       from.z,      from.visibility,
              from.presence,         from.world_x, from.world_y, from.world_z};
    g_ptr_array_add(points, point);
  }
  return points;
}

GPtrArray* new_classes(const SightglassClassification* from, guint count) {
  GPtrArray* classes = g_ptr_array_new_with_free_func(free_boxed<SightglassClass, destroy_class>);
  for (guint i = 0; i < count; ++i) {
    auto* entry = g_new0(SightglassClass, 1);
    *entry = {new_string(from[i].label), from[i].label_id, from[i].confidence};
    g_ptr_array_add(classes, entry);
  }
  return classes;
}

SightglassFrameResults* new_results(const SightglassResults& from) {
  GPtrArray* objects = g_ptr_array_new_with_free_func(free_boxed<SightglassObject, destroy_object>);
  for (guint i = 0; i < from.objects_count; ++i) {
    const SightglassResultObject& detected = from.objects[i];
    auto* object = g_new0(SightglassObject, 1);
    *object = {new_string(detected.label),
               detected.label_id,
               detected.confidence,
               detected.x,
               detected.y,
               detected.width,
               detected.height,
               detected.rotation,
               detected.id,
               new_points(detected),
               new_classes(from.objects_classes[i].classifications, from.objects_classes[i].classifications_count)};
    g_ptr_array_add(objects, object);
  }
  GPtrArray* classes = new_classes(from.classifications, from.classifications_count);
  auto* results = g_new0(SightglassFrameResults, 1);
  *results = {new_string(from.model),
              time_of(from.timestamp),
              time_of(from.stream_time),
              time_of(from.running_time),
              from.frame,
              from.width,
              from.height,
              objects,
              classes};
  return results;
}

}  // namespace

// Registered once per process, by any thread.
GType sightglass_point_get_type(void) {
  static const GType type = boxed_type<SightglassPoint, copy_point, destroy_point>("SightglassPoint");
  return type;
}
GType sightglass_object_get_type(void) {
  static const GType type = boxed_type<SightglassObject, copy_object, destroy_object>("SightglassObject");
  return type;
}
GType sightglass_class_get_type(void) {
  static const GType type = boxed_type<SightglassClass, copy_class, destroy_class>("SightglassClass");
  return type;
}
GType sightglass_frame_results_get_type(void) {
  static const GType type = boxed_type<SightglassFrameResults, copy_results, destroy_results>("SightglassFrameResults");
  return type;
}
GType sightglass_mask_get_type(void) {
  static const GType type = boxed_type<SightglassMask, copy_mask, destroy_mask>("SightglassMask");
  return type;
}
GType sightglass_figure_get_type(void) {
  static const GType type = boxed_type<SightglassFigure, copy_figure, destroy_figure>("SightglassFigure");
  return type;
}

GPtrArray* sightglass_object_get_points(const SightglassObject* object) {
  g_return_val_if_fail(object != nullptr, nullptr);
  return static_cast<GPtrArray*>(object->points);
}

GPtrArray* sightglass_object_get_classes(const SightglassObject* object) {
  g_return_val_if_fail(object != nullptr, nullptr);
  return static_cast<GPtrArray*>(object->classes);
}

GPtrArray* sightglass_frame_results_get_objects(const SightglassFrameResults* results) {
  g_return_val_if_fail(results != nullptr, nullptr);
  return static_cast<GPtrArray*>(results->objects);
}

GPtrArray* sightglass_frame_results_get_classes(const SightglassFrameResults* results) {
  g_return_val_if_fail(results != nullptr, nullptr);
  return static_cast<GPtrArray*>(results->classes);
}

SightglassFrameResults* sightglass_results_meta_get(GstBuffer* buffer) {
  g_return_val_if_fail(GST_IS_BUFFER(buffer), nullptr);
  gpointer state = nullptr;
  const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(buffer, &state);
  return meta != nullptr ? new_results(*meta->results) : nullptr;
}

GPtrArray* sightglass_results_meta_get_all(GstBuffer* buffer) {
  g_return_val_if_fail(GST_IS_BUFFER(buffer), nullptr);
  GPtrArray* all = g_ptr_array_new_with_free_func(free_boxed<SightglassFrameResults, destroy_results>);
  gpointer state = nullptr;
  while (const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(buffer, &state)) {
    g_ptr_array_add(all, new_results(*meta->results));
  }
  return all;
}

GstBuffer* sightglass_results_event_get_buffer(GstEvent* event) {
  g_return_val_if_fail(GST_IS_EVENT(event), nullptr);
  return sightglass_event_get_results(event);
}

GstBuffer* sightglass_mask_get_buffer(const SightglassMask* mask) {
  g_return_val_if_fail(mask != nullptr, nullptr);
  return static_cast<GstBuffer*>(mask->buffer);
}

SightglassMask* sightglass_mask_meta_get(GstBuffer* buffer) {
  g_return_val_if_fail(GST_IS_BUFFER(buffer), nullptr);
  const SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(buffer);
  if (meta == nullptr) return nullptr;
  auto* mask = g_new0(SightglassMask, 1);
  *mask = {meta->x, meta->y, meta->width, meta->height, gst_buffer_ref(meta->mask)};
  return mask;
}

GstBuffer* sightglass_figure_get_mask(const SightglassFigure* figure) {
  g_return_val_if_fail(figure != nullptr, nullptr);
  return static_cast<GstBuffer*>(figure->buffer);
}

GPtrArray* sightglass_figure_get_points(const SightglassFigure* figure) {
  g_return_val_if_fail(figure != nullptr, nullptr);
  return static_cast<GPtrArray*>(figure->points);
}

SightglassFigure* sightglass_figure_meta_get(GstBuffer* buffer) {
  g_return_val_if_fail(GST_IS_BUFFER(buffer), nullptr);
  const SightglassFigureMeta* meta = sightglass_buffer_get_figure_meta(buffer);
  if (meta == nullptr) return nullptr;
  GPtrArray* points = g_ptr_array_new_with_free_func(free_boxed<SightglassPoint, destroy_point>);
  for (const SightglassKeyPoint& from : meta->key_points) {
    auto* point = g_new0(SightglassPoint, 1);
    point->x = from.x;
    point->y = from.y;
    point->visibility = 0.5F * static_cast<gfloat>(from.visibility);
    point->presence = from.visibility > 0 ? 1 : 0;
    g_ptr_array_add(points, point);
  }
  auto* figure = g_new0(SightglassFigure, 1);
  *figure = {meta->seed, meta->frame, meta->time, meta->mask != nullptr ? gst_buffer_ref(meta->mask) : nullptr, points};
  return figure;
}
