// The debug category of glinfer, for all of its parts.
#pragma once

#include "gobject/log.h"

namespace sightglass {

inline GstDebugCategory* infer_log() {
  static GstDebugCategory* const category = make_log_category("glinfer", "inference with any model");
  return category;
}

}  // namespace sightglass
