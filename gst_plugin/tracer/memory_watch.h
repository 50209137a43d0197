// Observes maps of GL and DMABUF memory, and the uploads and downloads that they cause. GStreamer has no hooks for
// maps, so this replaces the map functions of allocators.
#pragma once

#include <gst/gst.h>

#include "copy_record.h"

namespace sightglass::zerocopy {

// Call for every created object. Watches allocators of GL or DMABUF memory, and GL windows, whose thread then works for
// the senders of its messages. Never undone: the code must stay loaded.
void watch_object(GObject* object);

// `pusher` pushes `buffer` from `pad`. GStreamer uploads late, when a texture is first read. The upload counts for the
// element that first exposed the memory as GL memory.
void note_pushed(GstPad* pad, GstBuffer* buffer, Worker* pusher);

}  // namespace sightglass::zerocopy
