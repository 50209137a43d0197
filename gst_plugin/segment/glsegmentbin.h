// glsegmentbin: glsegment with upload and download, for pipelines with frames in system memory.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS
GST_ELEMENT_REGISTER_DECLARE(glsegmentbin)
G_END_DECLS
