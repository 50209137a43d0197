// Why none of the upstream formats fit an element that runs a model.
#pragma once

#include <gst/base/gstbasetransform.h>

#include <string>

namespace sightglass {

bool fits_sink_pad(GstBaseTransform* transform, const GstCaps* caps);

// Upstream elements that find by queries that none of their formats fit never send caps, and report only
// "not negotiated". glupload adds RGBA to every format, although it converts only DMABUFs to it. Returns the message
// about the answer to a caps query on the sink pad; empty if a format fits or the element is not about to play.
std::string refusal_of_answer(GstBaseTransform* transform, GstQuery* query);

}  // namespace sightglass
