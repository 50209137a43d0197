// The filter "Sightglass background", and its property page, from the property tables of glsegment.
#pragma once

#include <obs.h>

#include <string>

#include "segment/settings.h"

namespace sightglass::obs {

inline constexpr const char* kSegmentFilterId = "sightglass_segment_filter";

// Call it once, when the module is loaded.
void register_segment_filter();

struct FilterSettings {
  SegmentSettings segment;  // and its `model`
  // Differs exactly if the model must be loaded again: the values that glsegment reads when it starts, and the model.
  std::string start_values;
};

// The model of a filter whose page has not been edited.
inline constexpr const char* kDefaultModel = "figure";

// A row per property of glsegment and of all elements with models that makes sense in OBS: name, label, description,
// range, values and default are those of the table. The caller owns the page.
obs_properties_t* make_page();
void set_defaults(obs_data_t* data);
// Values that were never edited remain unset, so that the model decides if the table says so. Values from elsewhere,
// such as scripts, are clamped to the range.
FilterSettings read_settings(obs_data_t* data);

}  // namespace sightglass::obs
