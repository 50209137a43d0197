// Faults of the fake driver: a lost context, and allocations that fail.
#pragma once

#include <GLES3/gl32.h>

namespace sightglass::fake_driver {

// Counts from zero, and forgets errors.
void begin_faults();
// Counts a dispatch. Returns false if it must not run: the context is lost, or is lost now.
bool count_dispatch();
bool is_lost();  // then commands have no effect, and queries tell nothing
// Counts an allocation. Returns false if it must fail; the next error is GL_OUT_OF_MEMORY.
bool count_allocation();
// The error that a call without effect leaves behind.
void leave_error(GLenum error);
// Returns and clears it; GL_NO_ERROR if there is none. A lost context always has one.
GLenum take_error();
// How many allocations failed, or 1 if the context is lost. Exported: tests find out whether their fault happened.
extern "C" int sightglass_fake_faults();

}  // namespace sightglass::fake_driver
