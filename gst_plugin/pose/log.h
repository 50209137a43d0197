// The category of glpose, which all of its parts log in.
#pragma once

#include "gobject/log.h"

namespace sightglass {

inline GstDebugCategory* pose_log() {
  static GstDebugCategory* const category = make_log_category("glpose", "poses of people");
  return category;
}

}  // namespace sightglass
