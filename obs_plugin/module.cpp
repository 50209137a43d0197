// The OBS module obs-sightglass.
#include <obs-module.h>

#include "segment_filter.h"

OBS_DECLARE_MODULE()
OBS_MODULE_USE_DEFAULT_LOCALE("obs-sightglass", "en-US")

MODULE_EXPORT const char* obs_module_name(void) { return "Sightglass"; }
MODULE_EXPORT const char* obs_module_description(void) {
  return "Blurs, replaces, or removes the background of people on the GPU";
}

bool obs_module_load(void) {
  sightglass::obs::register_segment_filter();
  blog(LOG_INFO, "[sightglass] version " SIGHTGLASS_VERSION);
  return true;
}
