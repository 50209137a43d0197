// The log category of glsegment, for all files of this directory.
#pragma once

#include "gobject/log.h"

namespace sightglass {

inline GstDebugCategory* segment_log() {
  static GstDebugCategory* const category = make_log_category("glsegment", "people before another background");
  return category;
}

}  // namespace sightglass
