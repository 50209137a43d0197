// The bin glinferbin: glinfer with upload and download, for pipelines without GL elements.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS
GST_ELEMENT_REGISTER_DECLARE(glinferbin)
G_END_DECLS
