// An element for bins around glsegment. It forwards the frames of its pad "sink", and attaches to each the frame of the
// request pad "background" with the same running time (background_meta.h). There is at most one such pad. Any thread
// can request and release it in any state.
//
// A frame waits until the background video has reached its running time. With live sources, it waits for at most the
// negotiated latency. A background frame is shown until the next one starts; the last one is shown to the end. Frames
// have none attached before the first background frame and without the pad.
#pragma once

#include <gst/gst.h>

// Not registered as a feature: create it with g_object_new().
GType gst_gl_background_matcher_get_type();
