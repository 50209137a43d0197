// Base class of bins: an element that runs a model, with all that it takes to get frames onto the GPU and off it, for
// pipelines that are not about GL. It has the element's properties.
//
// A derived type calls model_bin_build() in its instance's init. In its class's it calls model_bin_pass_properties(),
// and installs the element's own properties and metadata; what all such elements have is installed already.
#pragma once

#include <gst/gst.h>

struct GstGLModelBin {
  GstBin parent;
  GstElement *before_model, *model, *before_last, *last;  // owned by the bin; null where a part is missing
  const char* missing;                                    // the first part that is not installed
  bool exports;                                           // `last` makes DMABUFs
};
struct GstGLModelBinClass {
  GstBinClass parent_class;
  GstDebugCategory* log;  // of the derived type, which sets it
};

GType gst_gl_model_bin_get_type();

namespace sightglass {

// `factory` and `name` are those of the element that runs the model; static.
void model_bin_build(gpointer bin, const char* factory, const char* name);
// The class's own properties are those of the element that runs the model.
void model_bin_pass_properties(GObjectClass* object_class);

}  // namespace sightglass
