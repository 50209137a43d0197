// The functions of the fake driver: each GL and EGL function has a wrapper, and a few have one of their own.
#include "fake_driver.h"

#include <map>
#include <string_view>

#include "debug_messages.h"
#include "fake_faults.h"
#include "fake_functions.h"
#include "fake_limits.h"
#include "fake_settings.h"
#include "held_dispatches.h"
#include "late_fences.h"

namespace sightglass::fake_driver {
namespace {

// Functions that neither execute commands nor change what held dispatches read.
constexpr bool only_sets_state(std::string_view name) {
  if (name == "glGenerateMipmap" || name.starts_with("glGetQueryObject")) return false;
  for (const std::string_view start : {"glActiveTexture",
                                       "glAttachShader",
                                       "glBind",
                                       "glBlend",
                                       "glCheckFramebufferStatus",
                                       "glClearColor",
                                       "glClearDepth",
                                       "glClearStencil",
                                       "glColorMask",
                                       "glCompileShader",
                                       "glCreate",
                                       "glDebug",
                                       "glDepth",
                                       "glDetachShader",
                                       "glDisable",
                                       "glDrawBuffers",
                                       "glEnable",
                                       "glFramebufferTexture",
                                       "glGen",
                                       "glGet",
                                       "glIs",
                                       "glPixelStore",
                                       "glPopDebug",
                                       "glPushDebug",
                                       "glReadBuffer",
                                       "glScissor",
                                       "glShaderSource",
                                       "glUseProgram",
                                       "glVertex",
                                       "glViewport",
                                       "eglGet",
                                       "eglQuery"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

constexpr bool draws(std::string_view name) {
  return name.starts_with("glDrawArrays") || name.starts_with("glDrawElements");
}

constexpr bool sets_uniform(std::string_view name) {
  return name.starts_with("glUniform") && name != "glUniformBlockBinding";
}

constexpr bool allocates(std::string_view name) {
  return name == "glBufferData" || name == "glTexImage2D" || name.starts_with("glTexStorage") ||
         name.starts_with("glRenderbufferStorage") || name == "glMapBufferRange";
}

constexpr bool flushes(std::string_view name) { return name == "glFlush" || name == "eglSwapBuffers"; }

constexpr bool finishes(std::string_view name) { return name == "glFinish" || name == "glReadPixels"; }

// Of a lost context, only these do anything.
constexpr bool outlives_the_context(std::string_view name) {
  return name.starts_with("egl") || name.starts_with("glGet");
}

void keep_order(std::string_view name) {
  if (only_sets_state(name)) return;
  if (draws(name) && !draw_would_change_a_held_dispatch()) return;
  GLint program = 0;
  if (sets_uniform(name)) {
    REAL(glGetIntegerv)(GL_CURRENT_PROGRAM, &program);
    if (!holds_program(static_cast<GLuint>(program))) return;
  }
  run_held_dispatches();
}

template <typename Tag, typename Function>
struct Wrapper;
template <typename Tag, typename R, typename... Args>
struct Wrapper<Tag, R (*)(Args...)> {
  static R call(Args... args) {
    constexpr std::string_view kName = Tag::kName;
    if constexpr (!outlives_the_context(kName)) {
      if (is_lost()) return R();
    }
    if constexpr (!only_sets_state(kName)) keep_order(kName);
    if constexpr (allocates(kName)) {
      if (!count_allocation()) return R();
    }
    if constexpr (flushes(kName)) {
      if (settings().late_fences) commands_flushed();
    }
    if constexpr (finishes(kName)) {
      if (settings().late_fences) wait_for_commands();
    }
    return Real<Tag, R (*)(Args...)>::function(args...);
  }
};

void dispatch_compute(GLuint x, GLuint y, GLuint z) {
  if (!count_dispatch()) return;
  if (!settings().reorder) return REAL(glDispatchCompute)(x, y, z);
  hold_dispatch(x, y, z);
}

void dispatch_compute_indirect(GLintptr offset) {
  if (!count_dispatch()) return;
  if (!settings().reorder) return REAL(glDispatchComputeIndirect)(offset);
  hold_indirect_dispatch(offset);
}

GLenum get_error() {
  const GLenum error = take_error();
  return error != GL_NO_ERROR ? error : REAL(glGetError)();
}

GLenum get_reset_status() { return is_lost() ? GL_UNKNOWN_CONTEXT_RESET : REAL(glGetGraphicsResetStatus)(); }

const GLubyte* get_string(GLenum name) {
  const char* text = settings().nvidia ? nvidia_string(name) : nullptr;
  return text != nullptr ? reinterpret_cast<const GLubyte*>(text) : REAL(glGetString)(name);
}

void get_integer(GLenum name, GLint* value) {
  REAL(glGetIntegerv)(name, value);
  if (settings().nvidia) nvidia_limit(name, value);
}

void bind_range(GLenum target, GLuint index, GLuint buffer, GLintptr offset, GLsizeiptr size) {
  if (is_lost()) return;
  if (settings().nvidia && !is_aligned(target, offset)) return leave_error(GL_INVALID_VALUE);
  REAL(glBindBufferRange)(target, index, buffer, offset, size);
}

template <auto& next>
void texture_range(GLenum target, GLenum format, GLuint buffer, GLintptr offset, GLsizeiptr size) {
  if (is_lost()) return;
  run_held_dispatches();
  if (settings().nvidia && !is_aligned(target, offset)) return leave_error(GL_INVALID_VALUE);
  next(target, format, buffer, offset, size);
}

GLsync fence_sync(GLenum condition, GLbitfield flags) {
  if (is_lost()) return nullptr;
  run_held_dispatches();
  const GLsync sync = REAL(glFenceSync)(condition, flags);
  if (settings().late_fences && sync != nullptr) fence_created(sync);
  return sync;
}

void delete_sync(GLsync sync) {
  fence_deleted(sync);
  REAL(glDeleteSync)(sync);
}

GLenum client_wait_sync(GLsync sync, GLbitfield flags, GLuint64 timeout) {
  run_held_dispatches();
  if (is_lost()) return GL_WAIT_FAILED;
  if (settings().late_fences) {
    if ((flags & GL_SYNC_FLUSH_COMMANDS_BIT) != 0) commands_flushed();
    if (!fence_may_complete(sync, timeout)) return GL_TIMEOUT_EXPIRED;
  }
  return REAL(glClientWaitSync)(sync, flags, timeout);
}

void get_sync(GLsync sync, GLenum name, GLsizei count, GLsizei* length, GLint* values) {
  REAL(glGetSynciv)(sync, name, count, length, values);
  if (name == GL_SYNC_STATUS && is_lost()) {
    *values = GL_SIGNALED;
  } else if (name == GL_SYNC_STATUS && settings().late_fences && !fence_may_complete(sync, 0)) {
    *values = GL_UNSIGNALED;
  }
}

void query_counter(GLuint query, GLenum target) {
  if (is_lost()) return;
  run_held_dispatches();
  if (settings().late_fences) timer_query_created(query);
  REAL(glQueryCounterEXT)(query, target);
}

template <auto& next>
void get_query(GLuint query, GLenum name, GLuint* value) {
  run_held_dispatches();
  next(query, name, value);
  if (name == GL_QUERY_RESULT_AVAILABLE && is_lost()) {
    *value = GL_TRUE;  // so that waiting ends
  } else if (name == GL_QUERY_RESULT_AVAILABLE && settings().late_fences && !timer_query_may_complete(query)) {
    *value = GL_FALSE;
  }
}

EGLContext create_context(EGLDisplay display, EGLConfig config, EGLContext share, const EGLint* attributes) {
  read_settings();
  return REAL(eglCreateContext)(display, config, share, attributes);
}

EGLBoolean make_current(EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context) {
  run_held_dispatches();
  if (settings().late_fences) commands_flushed();
  const EGLBoolean done = REAL(eglMakeCurrent)(display, draw, read, context);
  if (done == EGL_TRUE && context != EGL_NO_CONTEXT && settings().messages) print_debug_messages();
  return done;
}

// The messages go to this driver.
void debug_callback(GLDEBUGPROC callback, const void* data) {
  if (!settings().messages) REAL(glDebugMessageCallback)(callback, data);
}

struct Function {
  void** real;
  void* wrapper;
};

const std::map<std::string_view, Function>& functions() {
  static const std::map<std::string_view, Function> table = [] {
    std::map<std::string_view, Function> all;
#define SIGHTGLASS_FUNCTION(name)                      \
  all[#name] = {reinterpret_cast<void**>(&REAL(name)), \
                reinterpret_cast<void*>(&Wrapper<Tag_##name, decltype(&::name)>::call)};
    SIGHTGLASS_EVERY_FUNCTION(SIGHTGLASS_FUNCTION)
#undef SIGHTGLASS_FUNCTION
    const auto own = [&all](const char* name, auto* wrapper) { all[name].wrapper = reinterpret_cast<void*>(wrapper); };
    own("glDispatchCompute", dispatch_compute);
    own("glDispatchComputeIndirect", dispatch_compute_indirect);
    own("glGetError", get_error);
    own("glGetGraphicsResetStatus", get_reset_status);
    own("glGetString", get_string);
    own("glGetIntegerv", get_integer);
    own("glBindBufferRange", bind_range);
    own("glTexBufferRange", texture_range<REAL(glTexBufferRange)>);
    own("glTexBufferRangeEXT", texture_range<REAL(glTexBufferRangeEXT)>);
    own("glFenceSync", fence_sync);
    own("glDeleteSync", delete_sync);
    own("glClientWaitSync", client_wait_sync);
    own("glGetSynciv", get_sync);
    own("glQueryCounterEXT", query_counter);
    own("glGetQueryObjectuiv", get_query<REAL(glGetQueryObjectuiv)>);
    own("glGetQueryObjectuivEXT", get_query<REAL(glGetQueryObjectuivEXT)>);
    own("glDebugMessageCallback", debug_callback);
    own("glDebugMessageCallbackKHR", debug_callback);
    own("eglCreateContext", create_context);
    own("eglMakeCurrent", make_current);
    return all;
  }();
  return table;
}

FindFunction find_in_driver = nullptr;

}  // namespace

void* find_function(const char* name) {
  void* const found = find_in_driver(name);
  const auto entry = functions().find(name);
  if (found == nullptr || entry == functions().end()) return found;
  return entry->second.wrapper;
}

void use_driver(FindFunction find) {
  find_in_driver = find;
  read_settings();
  // The wrappers call functions that programs may not ask for.
  for (const auto& [name, function] : functions()) *function.real = find(name.data());
}

}  // namespace sightglass::fake_driver
