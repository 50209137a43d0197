// The category of glinfer, which all of its parts log in.
#pragma once

#include "gobject/log.h"

namespace sightglass {

inline GstDebugCategory* infer_log() {
  static GstDebugCategory* const category = make_log_category("glinfer", "any model");
  return category;
}

}  // namespace sightglass
