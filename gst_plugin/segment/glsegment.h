// The element glsegment: separates foreground and background with a TFLite model on the GPU.
#pragma once

#include <gst/gl/gl.h>

G_BEGIN_DECLS

GType gst_gl_segment_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(glsegment)

G_END_DECLS
