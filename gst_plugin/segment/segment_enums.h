// The types of properties of glsegment that are one of several words. Values are those of the C++ enumerations.
#pragma once

#include <glib-object.h>

namespace sightglass {

GType background_type();
GType background_fit_type();
GType alpha_type();
GType fit_type();
GType refine_type();
GType mask_source_type();
GType mask_sync_type();
GType on_failure_type();
GType activation_type();

}  // namespace sightglass
