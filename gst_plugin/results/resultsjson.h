// The GStreamer element "resultsjson": converts model results to JSON.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE(resultsjson)

G_END_DECLS
