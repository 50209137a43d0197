// Owners of GStreamer objects.
#pragma once

#include <gst/gst.h>

#include <memory>

namespace sightglass::video {

struct UnrefObject {
  void operator()(gpointer object) const { gst_object_unref(object); }
};
template <typename T>
using ObjectPtr = std::unique_ptr<T, UnrefObject>;
using ElementPtr = ObjectPtr<GstElement>;
using PadPtr = ObjectPtr<GstPad>;

// For objects that are no GstObject.
struct UnrefGObject {
  void operator()(gpointer object) const { g_object_unref(object); }
};

struct UnrefCaps {
  void operator()(GstCaps* caps) const { gst_caps_unref(caps); }
};
using CapsPtr = std::unique_ptr<GstCaps, UnrefCaps>;

struct FreeMemory {
  void operator()(gpointer memory) const { g_free(memory); }
};
using TextPtr = std::unique_ptr<gchar, FreeMemory>;

}  // namespace sightglass::video
