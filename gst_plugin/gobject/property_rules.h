// What all elements do with the values of properties.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <string>

#include "sightglass/status.h"

namespace sightglass {

// Whether a property may become `value` in an element in `state`. One that is not live may not once the element has
// started: it was read then, and what reads back is what is in effect. `get` reads the property, if it is asked to.
Status may_set(const GParamSpec& spec, const std::function<bool(GValue*)>& get, const GValue* value, bool started,
               GstState state);

// "tuning=cached".
std::string property_text(const GParamSpec& spec, const GValue& value);

// Posts why something is not in effect as an element warning.
void post_warning(gpointer element, const Status& status);

}  // namespace sightglass
