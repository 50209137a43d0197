// Tracks the pixel unpack buffer of each context, to determine whether pixels come from a buffer object.
#pragma once

namespace sightglass::gl_watch {

// For the current context of the calling thread, identified through EGL or GLX.
void bind_unpack_buffer(unsigned buffer);
void delete_buffers(int number, const unsigned* buffers);
bool has_unpack_buffer();

}  // namespace sightglass::gl_watch
