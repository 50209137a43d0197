// GL calls that the preload library sees, counted for whom the thread works for.
#pragma once

namespace sightglass::zerocopy {

// From now on, where the library is loaded.
void listen_to_gl();
bool is_gl_watched();

}  // namespace sightglass::zerocopy
