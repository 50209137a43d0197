// Why nothing that upstream has fits an element that runs a model.
#pragma once

#include <gst/base/gstbasetransform.h>

#include <string>

namespace sightglass {

bool fits_sink_pad(GstBaseTransform* transform, const GstCaps* caps);

// Elements upstream that find out by queries that nothing they have fits never send caps, and say no more than
// "not negotiated". glupload adds RGBA to every format, which it can make of DMABUFs alone. What is to be said of the
// answer to a query of the sink pad's caps; empty where something fits, or the element is not about to play.
std::string refusal_of_answer(GstBaseTransform* transform, GstQuery* query);

}  // namespace sightglass
