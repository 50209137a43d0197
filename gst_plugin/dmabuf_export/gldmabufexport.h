// The element gldmabufexport: exports frames in textures as DMABUFs to displays, encoders and other processes.
#pragma once

#include <gst/gl/gl.h>

G_BEGIN_DECLS

GType gst_gl_dmabuf_export_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(gldmabufexport)

G_END_DECLS
