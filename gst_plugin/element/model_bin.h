// Base class of bins: an element that runs a model, plus upload and download, for pipelines without GL elements. The
// bin has the element's properties.
//
// A derived type calls model_bin_build() in its instance init. In its class init it calls model_bin_pass_properties()
// and installs the element's own properties and metadata; the common properties are installed already.
#pragma once

#include <gst/gst.h>

struct GstGLModelBin {
  GstBin parent;
  GstElement *before_model, *model, *before_last, *last;  // owned by the bin; null if a part is missing
  const char* missing;                                    // the first part that is not installed
  bool exports;                                           // `last` exports DMABUFs
};
struct GstGLModelBinClass {
  GstBinClass parent_class;
  GstDebugCategory* log;  // of the derived type, which sets it
};

GType gst_gl_model_bin_get_type();

namespace sightglass {

// `factory` and `name` belong to the element that runs the model; static strings.
void model_bin_build(gpointer bin, const char* factory, const char* name);
// Forwards the class's own properties to the element that runs the model.
void model_bin_pass_properties(GObjectClass* object_class);

}  // namespace sightglass
