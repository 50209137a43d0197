#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "entry.h"

namespace sightglass::gl_watch {

namespace {

struct Bindings {
  std::mutex mutex;
  std::map<void*, unsigned> buffers;  // by context; contexts without one are absent
};

// Never destroyed: threads may still draw when the process ends.
Bindings& bindings() {
  static auto* const bindings = new Bindings;
  return *bindings;
}

void* call_if_there(const char* name, std::atomic<void*>& function) {
  if (function == nullptr) function = find_function(name);
  void* known = function;
  return known == nullptr ? nullptr : reinterpret_cast<void* (*)()>(known)();
}

void* present_context() {
  static std::atomic<void*> egl{nullptr}, glx{nullptr};
  void* context = call_if_there("eglGetCurrentContext", egl);
  return context != nullptr ? context : call_if_there("glXGetCurrentContext", glx);
}

}  // namespace

void bind_unpack_buffer(unsigned buffer) {
  Bindings& all = bindings();
  void* context = present_context();
  const std::lock_guard lock(all.mutex);
  if (buffer == 0) {
    all.buffers.erase(context);
  } else {
    all.buffers[context] = buffer;
  }
}

void delete_buffers(int number, const unsigned* buffers) {
  if (number <= 0 || buffers == nullptr) return;
  Bindings& all = bindings();
  void* context = present_context();
  const std::lock_guard lock(all.mutex);
  const auto bound = all.buffers.find(context);
  if (bound != all.buffers.end() && std::find(buffers, buffers + number, bound->second) != buffers + number)
    all.buffers.erase(bound);
}

bool has_unpack_buffer() {
  Bindings& all = bindings();
  void* context = present_context();
  const std::lock_guard lock(all.mutex);
  return all.buffers.contains(context);
}

}  // namespace sightglass::gl_watch
