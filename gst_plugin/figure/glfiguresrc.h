// The element glfiguresrc: an animated human figure in GL textures, with ground-truth mask and keypoints.
#pragma once

#include <gst/gl/gl.h>

G_BEGIN_DECLS

GType gst_gl_figure_src_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(glfiguresrc)

G_END_DECLS
