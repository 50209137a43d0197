#include "fake_faults.h"

#include <atomic>

#include "fake_settings.h"

namespace sightglass::fake_driver {
namespace {

constexpr GLenum kContextLost = 0x0507;
std::atomic<int> dispatched = 0, allocated = 0, failed = 0;
std::atomic<bool> lost = false;
thread_local GLenum pending = GL_NO_ERROR;  // each thread has a context of its own

}  // namespace

void begin_faults() {
  dispatched = 0;
  allocated = 0;
  failed = 0;
  lost = false;
  pending = GL_NO_ERROR;
}

bool count_dispatch() {
  const int number = ++dispatched;
  if (settings().lost_at > 0 && number >= settings().lost_at) lost = true;
  return !lost;
}

bool is_lost() { return lost; }

bool count_allocation() {
  if (++allocated != settings().no_memory_at) return true;
  ++failed;
  leave_error(GL_OUT_OF_MEMORY);
  return false;
}

void leave_error(GLenum error) {
  if (pending == GL_NO_ERROR) pending = error;
}

GLenum take_error() {
  if (lost) return kContextLost;
  const GLenum error = pending;
  pending = GL_NO_ERROR;
  return error;
}

extern "C" [[gnu::visibility("default")]] int sightglass_fake_allocations() { return allocated; }
extern "C" [[gnu::visibility("default")]] int sightglass_fake_faults() { return lost ? 1 : failed.load(); }

}  // namespace sightglass::fake_driver
