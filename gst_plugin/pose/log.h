// The debug category of glpose, for all of its parts.
#pragma once

#include "gobject/log.h"

namespace sightglass {

inline GstDebugCategory* pose_log() {
  static GstDebugCategory* const category = make_log_category("glpose", "pose estimation");
  return category;
}

}  // namespace sightglass
