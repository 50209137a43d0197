// Records which frames of an element have a mask attached.
#pragma once

#include <gst/gst.h>

#include <string>

#include "sightglass/gst/mask_meta.h"

namespace sightglass::test {

// Appends 'm' to `seen` for each frame with a mask, and '-' for each other one. `seen` must outlive the data flow.
inline void record_masks(GstElement* element, std::string& seen) {
  GstPad* src = gst_element_get_static_pad(element, "src");
  gst_pad_add_probe(
      src, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer text) {
        const bool has = sightglass_buffer_get_mask_meta(GST_PAD_PROBE_INFO_BUFFER(info)) != nullptr;
        *static_cast<std::string*>(text) += has ? 'm' : '-';
        return GST_PAD_PROBE_OK;
      },
      &seen, nullptr);
  gst_object_unref(src);
}

}  // namespace sightglass::test
