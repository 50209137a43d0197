// The element glfiguresrc: an animated human figure in GL textures, with ground-truth mask and keypoints. Registration
// and creation of the metadata with these.
#pragma once

#include <gst/gl/gl.h>

#include "sightglass/gst/figure_meta.h"

G_BEGIN_DECLS

GType gst_gl_figure_src_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(glfiguresrc)

G_END_DECLS

namespace sightglass {

// Registers the type on the first call.
const GstMetaInfo* figure_meta_info();
// Adds a meta with a reference to `mask`, which may be null, and without keypoints. The buffer must be writable.
SightglassFigureMeta* add_figure_meta(GstBuffer* buffer, GstBuffer* mask);

}  // namespace sightglass
