// Counts GL calls observed by the preload library, for the element that the thread works for.
#pragma once

namespace sightglass::zerocopy {

// Starts counting, if the library is loaded.
void listen_to_gl();
bool is_gl_watched();

}  // namespace sightglass::zerocopy
