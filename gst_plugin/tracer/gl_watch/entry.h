// The watched functions: ours, which programs get instead of the GL functions, and the GL functions that ours call.
#pragma once

#include <atomic>
#include <cstdint>

#include "interface.h"

namespace sightglass::gl_watch {

// Pointers to entries are in a separate section, so that all are found before any constructor has run: constructors of
// other libraries may look up functions before ours run.
struct Entry {
  const char* name;
  void* ours;
  std::atomic<void*> original;
};

// nullptr for unwatched functions.
Entry* find_entry(const char* name);
// The GL function of `entry`, looked up if unknown; nullptr if the process has none.
void* original_of(Entry& entry);
// Returns our function if `name`, whose lookup returned `found`, is watched; otherwise `found`.
void* replace(const char* name, void* found);
// An unwatched function of GL or EGL; nullptr if the process has none.
void* find_function(const char* name);
// Whether a watched function has been looked up or called.
bool is_gl_in_use();

}  // namespace sightglass::gl_watch

#define SIGHTGLASS_EXPORTED extern "C" __attribute__((visibility("default")))

// Defines the entry of `function`, which must be declared before. The section contains pointers, which are contiguous
// whatever alignment the compiler gives to entries. The linker initializes both, although a function address in a void*
// is not a constant expression.
#define SIGHTGLASS_ENTRY(function)                                                                                     \
  sightglass::gl_watch::Entry entry_##function = {#function, reinterpret_cast<void*>(&function), nullptr};             \
  __attribute__((section("gl_watch_entries"), used)) constinit sightglass::gl_watch::Entry* const pointer_##function = \
      &entry_##function

namespace sightglass::gl_watch {

// Reports watched calls to the listener. If there is none, counts them in a table that the library prints to stderr at
// the end of the process.

void count(Call call, uint64_t bytes);

// Tracks the pixel unpack buffer of each context, to determine whether pixels come from a buffer object.

// For the current context of the calling thread, identified through EGL or GLX.
void bind_unpack_buffer(unsigned buffer);
void delete_buffers(int number, const unsigned* buffers);
bool has_unpack_buffer();

// Sizes of pixels in memory.

// Bytes of tightly packed pixels of the GL `format` and `type`; 0 if these are unknown, and for negative sizes.
uint64_t pixel_bytes(unsigned format, unsigned type, int64_t width, int64_t height, int64_t depth);

}  // namespace sightglass::gl_watch
