// Metadata that a background matcher attaches to frames, for glsegment to show behind their foreground. Internal to
// these two elements, which glsegmentbin links directly.
#pragma once

#include <gst/video/video.h>

namespace sightglass {

struct BackgroundMeta {
  GstMeta meta;
  GstBuffer* frame;  // one GLMemory, 2D, RGBA
  GstVideoInfo info;
};

// Registers the type on the first call.
const GstMetaInfo* background_meta_info();
// Adds a meta with a reference to `frame`. The buffer must be writable.
void add_background_meta(GstBuffer* buffer, GstBuffer* frame, const GstVideoInfo& info);
// Null if the buffer has none. The buffer owns it.
const BackgroundMeta* background_meta_of(GstBuffer* buffer);

}  // namespace sightglass
