// glsegmentbin: glsegment with all that it takes to get frames onto the GPU and off it, for pipelines that are not
// about GL.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS
GST_ELEMENT_REGISTER_DECLARE(glsegmentbin)
G_END_DECLS
