// Whether pixels come from a buffer object: which one each context has as its pixel unpack buffer.
#pragma once

namespace sightglass::gl_watch {

// Of the calling thread's present context. Contexts are told apart by EGL and GLX.
void bind_unpack_buffer(unsigned buffer);
void delete_buffers(int number, const unsigned* buffers);
bool has_unpack_buffer();

}  // namespace sightglass::gl_watch
