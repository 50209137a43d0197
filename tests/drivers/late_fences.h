// Fences and timer queries of the fake driver: they complete some milliseconds after their commands, and only if those
// are flushed.
#pragma once

#include <GLES3/gl32.h>

namespace sightglass::fake_driver {

void fence_created(GLsync sync);
void fence_deleted(GLsync sync);
void timer_query_created(GLuint query);
// All fences and queries of this thread so far.
void commands_flushed();
// Flushes them, and waits until they may complete.
void wait_for_commands();
// Waits until the fence may complete, at most `nanoseconds`, and returns whether it may.
bool fence_may_complete(GLsync sync, GLuint64 nanoseconds);
bool timer_query_may_complete(GLuint query);

}  // namespace sightglass::fake_driver
