// Dispatches that the fake driver holds back. OpenGL orders the accesses of shaders to buffers and images only across
// barriers: without one between them, dispatches may run in any order, and after later draws.
#pragma once

#include <GLES3/gl32.h>

namespace sightglass::fake_driver {

// Keeps a dispatch with all state that it depends on.
void hold_dispatch(GLuint x, GLuint y, GLuint z);
void hold_indirect_dispatch(GLintptr offset);
// Runs all that this thread holds, the last one first.
void run_held_dispatches();
// Whether a draw must come after them, because it writes a texture that one of them samples: that order is guaranteed.
bool draw_would_change_a_held_dispatch();
bool holds_program(GLuint program);

}  // namespace sightglass::fake_driver
