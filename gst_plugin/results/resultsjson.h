// The GStreamer element "resultsjson": what models have found, as JSON.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE(resultsjson)

G_END_DECLS
