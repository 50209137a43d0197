// The metadata of the elements, for applications in C and C++: all headers of this directory. They need GStreamer, and
// no library of ours: a buffer that carries metadata was made by the plugin, which is loaded then.
#ifndef SIGHTGLASS_GST_META_H
#define SIGHTGLASS_GST_META_H

#include <sightglass/gst/figure_meta.h>
#include <sightglass/gst/mask_meta.h>
#include <sightglass/gst/results_meta.h>
#include <sightglass/gst/tensor_meta.h>

#endif
