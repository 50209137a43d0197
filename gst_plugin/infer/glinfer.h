// The element glinfer: any TFLite model on the frames of a video, on the GPU, and what its outputs mean.
#pragma once

#include <gst/gl/gl.h>

G_BEGIN_DECLS

GType gst_gl_infer_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(glinfer)

G_END_DECLS
