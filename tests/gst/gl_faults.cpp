#include "gl_faults.h"

#include <gst/gl/gl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "sightglass/gl_api.h"
#include "test_pipeline.h"

namespace sightglass::test {

namespace {

std::mutex faults_mutex;
std::map<std::string, int, std::less<>> failing;
// Errors belong to a context, and each thread has one. Those of earlier faults are forgotten.
int faults = 0;
thread_local int fault_with_error = -1;
std::condition_variable held_changed;
std::string held;  // empty: none
int waiting = 0;

void wait_if_held(std::string_view function) {
  std::unique_lock lock(faults_mutex);
  if (held != function) return;
  ++waiting;
  held_changed.notify_all();
  held_changed.wait(lock, [function] { return held != function; });
  --waiting;
}

bool fails(std::string_view function) {
  const std::lock_guard lock(faults_mutex);
  const auto entry = failing.find(function);
  if (entry == failing.end() || entry->second == 0) return false;
  --entry->second;
  fault_with_error = faults;
  return true;
}

// One per function. The tag distinguishes functions of the same type.
template <typename Tag, typename Function>
struct Faulty;
template <typename Tag, typename R, typename... Args>
struct Faulty<Tag, R (*)(Args...)> {
  static inline R (*next)(Args...) = nullptr;
  static R call(Args... args) {
    wait_if_held(Tag::name());
    if (fails(Tag::name())) return R();
    return next(args...);
  }
  static gpointer instead_of(gpointer found) {
    next = reinterpret_cast<R (*)(Args...)>(found);
    return reinterpret_cast<gpointer>(call);
  }
};

GLenum (*next_get_error)() = nullptr;
GLenum get_error() {
  {
    const std::lock_guard lock(faults_mutex);
    if (std::exchange(fault_with_error, -1) == faults) return GL_OUT_OF_MEMORY;
  }
  return next_get_error();
}

gpointer (*next_get_proc_address)(GstGLAPI, const gchar*) = nullptr;

gpointer get_proc_address(GstGLAPI api, const gchar* name) {
  const gpointer found = next_get_proc_address(api, name);
  const std::string_view asked = name;
  if (found == nullptr) return found;
  if (asked == "glGetError") {
    next_get_error = reinterpret_cast<decltype(next_get_error)>(found);
    return reinterpret_cast<gpointer>(get_error);
  }
#define SIGHTGLASS_FAULTY(function)                                                                \
  {                                                                                                \
    struct Tag {                                                                                   \
      static constexpr const char* name() { return #function; }                                    \
    };                                                                                             \
    if (asked == "gl" #function) return Faulty<Tag, decltype(&::gl##function)>::instead_of(found); \
  }
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_FAULTY)
#undef SIGHTGLASS_FAULTY
  return found;
}

}  // namespace

void install_gl_faults() {
  if (next_get_proc_address != nullptr) return;
  init_gstreamer();
  GstGLDisplay* display = gst_gl_display_new();
  GstGLContext* context = nullptr;
  // A pipeline of a previous test may still be ending, and terminate the EGLDisplay.
  for (int i = 0; i < 50 && context == nullptr; ++i) {
    if (gst_gl_display_create_context(display, nullptr, &context, nullptr) == FALSE) g_usleep(20000);
  }
  ASSERT_NE(context, nullptr);
  GstGLContextClass* context_class = GST_GL_CONTEXT_GET_CLASS(context);
  next_get_proc_address = std::exchange(context_class->get_proc_address, get_proc_address);
  gst_object_unref(context);
  gst_object_unref(display);
}

void fail_gl(const std::string& function, int calls) {
  const std::lock_guard lock(faults_mutex);
  failing[function] = calls;
  ++faults;
}

void end_gl_faults() {
  const std::lock_guard lock(faults_mutex);
  failing.clear();
  ++faults;
}

void hold_gl(const std::string& function) {
  const std::lock_guard lock(faults_mutex);
  held = function;
}

bool wait_for_held_gl() {
  std::unique_lock lock(faults_mutex);
  return held_changed.wait_for(lock, std::chrono::minutes(1), [] { return waiting > 0; });
}

void release_gl() {
  const std::lock_guard lock(faults_mutex);
  held.clear();
  held_changed.notify_all();
}

}  // namespace sightglass::test
