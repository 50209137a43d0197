// The watched functions: ours, which programs get in the place of GL's, and GL's own behind them.
#pragma once

#include <atomic>

namespace sightglass::gl_watch {

// Pointers to them are in a section of their own, so that all are found without any constructor having run: other
// libraries' constructors may look functions up before ours do.
struct Entry {
  const char* name;
  void* ours;
  std::atomic<void*> original;
};

// nullptr for functions that are not watched.
Entry* find_entry(const char* name);
// The function behind `entry`, found if it was not known; nullptr where the process has none.
void* original_of(Entry& entry);
// Ours where `found` is what a lookup of that name has given, and is watched; else `found`.
void* replace(const char* name, void* found);
// A function of GL or EGL that is not watched; nullptr where the process has none.
void* find_function(const char* name);
// Whether any watched function was looked up or called.
bool is_gl_in_use();

}  // namespace sightglass::gl_watch

#define SIGHTGLASS_EXPORTED extern "C" __attribute__((visibility("default")))

// Defines the entry of `function`, which is declared before. The section has pointers, which lie side by side whatever
// alignment the compiler gives to entries. Both are initialised by the linker, though a function's address in a void*
// is no constant expression.
#define SIGHTGLASS_ENTRY(function)                                                                                     \
  sightglass::gl_watch::Entry entry_##function = {#function, reinterpret_cast<void*>(&function), nullptr};             \
  __attribute__((section("gl_watch_entries"), used)) constinit sightglass::gl_watch::Entry* const pointer_##function = \
      &entry_##function
