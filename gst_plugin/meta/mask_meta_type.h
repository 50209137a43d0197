// The plugin side of mask_meta.h.
#pragma once

#include "sightglass/gst/mask_meta.h"
#include "sightglass/input_transform.h"

namespace sightglass {

// Registers the type on the first call.
const GstMetaInfo* mask_meta_info();
// Adds a meta with a reference to `mask`, which covers `place` of the frame. The buffer must be writable.
SightglassMaskMeta* add_mask_meta(GstBuffer* buffer, GstBuffer* mask, const CropRect& place);

}  // namespace sightglass
