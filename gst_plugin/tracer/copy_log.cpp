#include "copy_log.h"

#define GST_USE_UNSTABLE_API
#include <gst/gst.h>
#include <gst/gsttracerrecord.h>

#include <atomic>

namespace sightglass::zerocopy {

namespace {

// Never freed: any thread may log until the process ends.
std::atomic<GstTracerRecord*> lines{nullptr};

GstStructure* field(GType type, const char* description, GstTracerValueScope scope) {
  return gst_structure_new(scope == GST_TRACER_VALUE_SCOPE_PROCESS ? "value" : "scope", "type", G_TYPE_GTYPE, type,
                           "description", G_TYPE_STRING, description, "related-to", GST_TYPE_TRACER_VALUE_SCOPE, scope,
                           nullptr);
}

}  // namespace

void open_copy_log() {
  if (lines != nullptr) return;
  GstTracerRecord* record = gst_tracer_record_new(
      "zerocopy.class",                                                                                         //
      "element", GST_TYPE_STRUCTURE, field(G_TYPE_STRING, "copying element", GST_TRACER_VALUE_SCOPE_ELEMENT),   //
      "what", GST_TYPE_STRUCTURE, field(G_TYPE_STRING, "kind of copy", GST_TRACER_VALUE_SCOPE_PROCESS),         //
      "thread", GST_TYPE_STRUCTURE, field(G_TYPE_STRING, "name of the thread", GST_TRACER_VALUE_SCOPE_THREAD),  //
      "frame", GST_TYPE_STRUCTURE, field(G_TYPE_UINT64, "of the element, from 1", GST_TRACER_VALUE_SCOPE_PROCESS),
      "bytes", GST_TYPE_STRUCTURE, field(G_TYPE_UINT64, "copied or mapped", GST_TRACER_VALUE_SCOPE_PROCESS), nullptr);
  GST_OBJECT_FLAG_SET(record, GST_OBJECT_FLAG_MAY_BE_LEAKED);
  lines = record;
}

void log_copy(const Worker& worker, Copy copy, const std::string& thread, uint64_t bytes) {
  GstTracerRecord* record = lines;
  if (record == nullptr) return;
  gst_tracer_record_log(record, worker.name.c_str(), copy_name(copy), thread.c_str(), guint64{worker.present_frame()},
                        guint64{bytes});
}

}  // namespace sightglass::zerocopy
