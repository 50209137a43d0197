// How programs get our functions. Programs linked with GL find them by name, because a preloaded library comes first.
// Programs that look up GL call dlsym(), eglGetProcAddress() or glXGetProcAddress(), which are ours too.
#include <dlfcn.h>

#include <cstring>
#include <span>

#include "entry.h"

extern "C" {
// The bounds of the section, named by the linker.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern sightglass::gl_watch::Entry* const __start_gl_watch_entries[];
extern sightglass::gl_watch::Entry* const __stop_gl_watch_entries[];
// NOLINTEND(bugprone-reserved-identifier)
}

namespace sightglass::gl_watch {

namespace {

using Dlsym = void* (*)(void*, const char*);

std::span<Entry* const> entries() { return {__start_gl_watch_entries, __stop_gl_watch_entries}; }

constinit std::atomic<Dlsym> real_dlsym{nullptr};

Dlsym find_dlsym() {
  if (const Dlsym known = real_dlsym) return known;
  // The symbol version depends on the architecture and the version of the C library.
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.4", "GLIBC_2.2.5", "GLIBC_2.0"}) {
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) {
      real_dlsym = reinterpret_cast<Dlsym>(found);
      break;
    }
  }
  return real_dlsym;
}

// GL libraries loaded by plugins are not in the scope of a preloaded library.
void* find_in_loaded_libraries(const char* name) {
  for (const char* library : {"libGLESv2.so.2", "libGL.so.1", "libOpenGL.so.0", "libEGL.so.1", "libGLX.so.0"}) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* found = find_dlsym()(handle, name);
    dlclose(handle);
    if (found != nullptr) return found;
  }
  return nullptr;
}

// Not inlined into dlsym(), which must keep its tail call.
__attribute__((noinline)) void* look_up(Entry& entry, void* handle) {
  void* found = find_dlsym()(handle, entry.name);
  if (found == nullptr) return nullptr;
  if (found == entry.ours) return original_of(entry) != nullptr ? found : nullptr;
  return replace(entry.name, found);
}

}  // namespace

Entry* find_entry(const char* name) {
  if (name == nullptr || (name[0] != 'g' && name[0] != 'e')) return nullptr;
  for (Entry* entry : entries()) {
    if (std::strcmp(entry->name, name) == 0) return entry;
  }
  return nullptr;
}

void* find_function(const char* name) {
  if (void* found = find_dlsym()(RTLD_NEXT, name)) return found;
  if (void* found = find_in_loaded_libraries(name)) return found;
  Entry* egl = find_entry("eglGetProcAddress");
  void* get = egl->original;
  if (get == nullptr) get = find_in_loaded_libraries("eglGetProcAddress");
  return get == nullptr ? nullptr : reinterpret_cast<void* (*)(const char*)>(get)(name);
}

void* original_of(Entry& entry) {
  if (void* known = entry.original) return known;
  void* found = find_function(entry.name);
  if (found != entry.ours) entry.original = found;
  return entry.original;
}

// All libraries with a GL function dispatch to the current context, so the first one found is as good as the others.
void* replace(const char* name, void* found) {
  Entry* entry = found == nullptr ? nullptr : find_entry(name);
  if (entry == nullptr) return found;
  void* unknown = nullptr;
  if (found != entry->ours) entry->original.compare_exchange_strong(unknown, found);
  return entry->ours;
}

bool is_gl_in_use() {
  for (const Entry* entry : entries()) {
    if (entry->original != nullptr) return true;
  }
  return false;
}

}  // namespace sightglass::gl_watch

using sightglass::gl_watch::Entry;

// RTLD_NEXT means the libraries after the caller, which the C library identifies by the return address. So lookups that
// we forward must be a jump, not a call: this file is always compiled with -O2. A test checks it.
SIGHTGLASS_EXPORTED void* dlsym(void* handle, const char* name) {
  Entry* entry = handle == RTLD_NEXT ? nullptr : sightglass::gl_watch::find_entry(name);
  if (entry != nullptr) return sightglass::gl_watch::look_up(*entry, handle);
  return sightglass::gl_watch::find_dlsym()(handle, name);
}

namespace {

using Function = void (*)();
using GetProcAddress = Function (*)(const char*);

Function ask(Entry& entry, const char* name) {
  const auto original = reinterpret_cast<GetProcAddress>(sightglass::gl_watch::original_of(entry));
  if (original == nullptr) return nullptr;
  void* found = reinterpret_cast<void*>(original(name));
  return reinterpret_cast<Function>(sightglass::gl_watch::replace(name, found));
}

}  // namespace

#define SIGHTGLASS_GET_PROC_ADDRESS(function)              \
  SIGHTGLASS_EXPORTED Function function(const char* name); \
  SIGHTGLASS_ENTRY(function);                              \
  SIGHTGLASS_EXPORTED Function function(const char* name) { return ask(entry_##function, name); }

SIGHTGLASS_GET_PROC_ADDRESS(eglGetProcAddress)
SIGHTGLASS_GET_PROC_ADDRESS(glXGetProcAddress)
SIGHTGLASS_GET_PROC_ADDRESS(glXGetProcAddressARB)
