// What a background matcher attaches to frames, and glsegment shows behind their foreground. Between the two alone:
// glsegmentbin puts them next to each other.
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
// Null when the buffer has none. The buffer keeps it.
const BackgroundMeta* background_meta_of(GstBuffer* buffer);

}  // namespace sightglass
