// An element for bins around glsegment: what comes to its pad "sink" leaves untouched but for background_meta.h, with
// the frame of the request pad "background" that is shown at the same running time. There is one such pad at most; it
// can be had and given back in any state, by any thread.
//
// A frame waits for the other video until that has come to its time, or, where sources are live, until the latency that
// was agreed on is over. The other video's last frame stays until the next one's time, and after its end. Before its
// first one, and without the pad, frames carry none.
#pragma once

#include <gst/gst.h>

// Not registered as a feature: to be made by g_object_new().
GType gst_gl_background_matcher_get_type();
