// The element y4mwrite: raw frames to Y4M streams.
#pragma once

#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE(y4mwrite)
