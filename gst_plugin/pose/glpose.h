// The element glpose: finds and draws keypoints of people with a TensorFlow Lite model on the GPU.
#pragma once

#include <gst/gl/gl.h>

G_BEGIN_DECLS

GType gst_gl_pose_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(glpose)

G_END_DECLS
