// The element glinfer: runs any TensorFlow Lite model on video frames on the GPU, and decodes its outputs.
#pragma once

#include <gst/gl/gl.h>

G_BEGIN_DECLS

GType gst_gl_infer_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(glinfer)

G_END_DECLS
