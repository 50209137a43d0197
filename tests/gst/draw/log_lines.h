// Records the warnings that are logged during its lifetime.
#pragma once

#include <gst/gst.h>

#include <mutex>
#include <string>
#include <vector>

namespace sightglass::test {

class LogLines {
 public:
  LogLines() {
    gst_init(nullptr, nullptr);
    threshold_ = gst_debug_get_default_threshold();
    gst_debug_set_active(TRUE);
    gst_debug_set_default_threshold(GST_LEVEL_WARNING);
    gst_debug_add_log_function(add, this, nullptr);
  }
  ~LogLines() {
    gst_debug_remove_log_function_by_data(this);
    gst_debug_set_default_threshold(threshold_);
  }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  static void add(GstDebugCategory* /*category*/, GstDebugLevel level, const gchar* /*file*/, const gchar* /*function*/,
                  gint /*line*/, GObject* /*object*/, GstDebugMessage* message, gpointer self) {
    if (level != GST_LEVEL_WARNING) return;
    auto* log = static_cast<LogLines*>(self);
    const std::lock_guard lock(log->mutex_);
    log->lines_.emplace_back(gst_debug_message_get(message));
  }
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  GstDebugLevel threshold_;
};

}  // namespace sightglass::test
