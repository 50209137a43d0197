// The log: categories that several elements share, and the element that a line is about.
//
// An element has a category with its own name. Code that serves all elements logs in the categories below, about the
// element that the thread works for. docs/logs.md describes all of them.
#pragma once

#include <gst/gst.h>

#include <utility>

#include "sightglass/log.h"

namespace sightglass {

// The category of that name. Does nothing if there is one.
GstDebugCategory* make_log_category(const char* name, const char* description);

GstDebugCategory* base_log();     // sightglass-base
GstDebugCategory* gl_log();       // sightglass-gl
GstDebugCategory* results_log();  // sightglass-results
// The elements that run models. The files of an element's directory log in its category.
GstDebugCategory* segment_log();  // glsegment
GstDebugCategory* pose_log();     // glpose
GstDebugCategory* infer_log();    // glinfer
GstDebugCategory* frame_log();    // glframe
// The category of the element that the calling thread works for, for code of all elements that run models (element/).
// sightglass-base if the element is unknown.
GstDebugCategory* element_log();
// Passes the engine's messages to the category sightglass-engine.
const Log& engine_log();

// Whether lines of that level are wanted: for those that take work to compose.
inline bool is_logged(GstDebugCategory* category, GstDebugLevel level) {
  return level <= gst_debug_category_get_threshold(category);
}

// The element that the calling thread works for now; null if that is unknown.
GObject* log_object();

// Makes `object` the log_object() of this thread, until it ends. Null changes nothing.
class LogScope {
 public:
  explicit LogScope(gpointer object);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  GObject* const outer_;
};

}  // namespace sightglass
