// Sees the maps of GL and DMABUF memory, and the uploads and downloads that they cause. GStreamer has no hooks for
// maps: the functions that an allocator gives for its memories are replaced.
#pragma once

#include <gst/gst.h>

#include "copy_record.h"

namespace sightglass::zerocopy {

// Where `object` is an allocator of GL or DMABUF memory, or a GL window, whose thread then works for those who send it
// messages. For every object when it has been created. Not undone: the code must stay loaded.
void watch_object(GObject* object);

// `pusher` pushes `buffer` from `pad`. GStreamer uploads late, when a texture is first read: the upload is that of the
// element that first handed out the memory as GL memory.
void note_pushed(GstPad* pad, GstBuffer* buffer, Worker* pusher);

}  // namespace sightglass::zerocopy
