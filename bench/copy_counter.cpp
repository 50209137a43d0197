#include "copy_counter.h"

#include <gst/gst.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace sightglass::bench {

namespace {

// GStreamer may log until the process ends.
std::atomic<uint64_t> logged_copies{0}, logged_bytes{0};

void count_copy(GstDebugCategory* category, GstDebugLevel, const gchar*, const gchar*, gint, GObject*,
                GstDebugMessage* message, gpointer) {
  if (std::strcmp(gst_debug_category_get_name(category), "GST_TRACER") != 0) return;
  const gchar* text = gst_debug_message_get(message);
  if (text == nullptr || !g_str_has_prefix(text, "zerocopy, element=")) return;
  ++logged_copies;
  const char* bytes = std::strstr(text, "bytes=(guint64)");
  if (bytes != nullptr) logged_bytes += std::strtoull(bytes + std::strlen("bytes=(guint64)"), nullptr, 10);
}

}  // namespace

CopyCounter::CopyCounter() {
  gst_debug_remove_log_function(gst_debug_log_default);
  gst_debug_add_log_function(count_copy, nullptr, nullptr);
  gst_debug_set_threshold_for_name("GST_TRACER", GST_LEVEL_TRACE);
  gst_debug_set_active(TRUE);
}

CopyCounter::~CopyCounter() { gst_debug_remove_log_function(count_copy); }

uint64_t CopyCounter::count() const { return logged_copies; }
uint64_t CopyCounter::bytes() const { return logged_bytes; }

}  // namespace sightglass::bench
