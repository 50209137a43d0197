// The element y4mread: Y4M streams to raw frames.
#pragma once

#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE(y4mread)
