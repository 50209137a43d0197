#include "sightglass/interop/egl_context.h"

#include <EGL/eglext.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace sightglass::interop {
namespace {

// eglBindAPI sets thread state: it selects the API of eglCreateContext.
class ScopedApi {
 public:
  explicit ScopedApi(EGLenum api) : previous_(eglQueryAPI()), bound_(eglBindAPI(api) == EGL_TRUE) {}
  ~ScopedApi() { eglBindAPI(previous_); }
  ScopedApi(const ScopedApi&) = delete;
  ScopedApi& operator=(const ScopedApi&) = delete;
  bool bound() const { return bound_; }

 private:
  EGLenum previous_;
  bool bound_;
};

std::string failed(const std::string& call) { return call + " failed: " + egl_error_name(eglGetError()); }

Result<EGLConfig> choose_config(EGLDisplay display, GlFlavour flavour, bool pbuffer) {
  // clang-format off
  const EGLint attributes[] = {
      EGL_RENDERABLE_TYPE, flavour == GlFlavour::kEs31 ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT,
      EGL_SURFACE_TYPE, pbuffer ? EGL_PBUFFER_BIT : 0,
      EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8,
      EGL_NONE};
  // clang-format on
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, attributes, &config, 1, &count) != EGL_TRUE)
    return device_error(failed("eglChooseConfig"));
  if (count == 0)
    return unsupported(std::string("no EGL config for ") + to_string(flavour) + (pbuffer ? " pbuffers" : ""));
  return config;
}

}  // namespace

const char* to_string(GlFlavour flavour) {
  return flavour == GlFlavour::kEs31 ? "OpenGL ES 3.1" : "desktop OpenGL 4.5 core";
}

Result<std::unique_ptr<Context>> Context::create(std::shared_ptr<Display> display, GlFlavour flavour,
                                                 const Context* share) {
  SIGHTGLASS_ASSIGN_OR_RETURN(
      std::unique_ptr<Context> context,
      create_sharing_with(std::move(display), flavour, share != nullptr ? share->handle() : EGL_NO_CONTEXT));
  // Some drivers reject a context only when it is made current.
  if (const ScopedMakeCurrent current(*context); !current.ok()) return current.status();
  return context;
}

Result<std::unique_ptr<Context>> Context::create_sharing_with_current() {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<Display> display, Display::current());
  const EGLContext current = eglGetCurrentContext();
  EGLint api = EGL_NONE;
  if (eglQueryContext(display->handle(), current, EGL_CONTEXT_CLIENT_TYPE, &api) != EGL_TRUE) {
    return device_error(failed("eglQueryContext"));
  }
  const GlFlavour flavour = api == EGL_OPENGL_API ? GlFlavour::kDesktopCore45 : GlFlavour::kEs31;
  return create_sharing_with(std::move(display), flavour, current);
}

Result<std::unique_ptr<Context>> Context::create_sharing_with(std::shared_ptr<Display> display, GlFlavour flavour,
                                                              EGLContext share) {
  const bool es = flavour == GlFlavour::kEs31;
  const ScopedApi api(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
  if (!api.bound()) return device_error(failed(es ? "eglBindAPI(EGL_OPENGL_ES_API)" : "eglBindAPI(EGL_OPENGL_API)"));

  const bool surfaceless = display->has_extension("EGL_KHR_surfaceless_context");
  const bool configless = surfaceless && display->has_extension("EGL_KHR_no_config_context");
  EGLConfig config = EGL_NO_CONFIG_KHR;
  if (!configless) {
    auto chosen = choose_config(display->handle(), flavour, !surfaceless);
    if (!chosen.ok()) return chosen.status();
    config = *chosen;
  }

  // clang-format off
  const EGLint es_attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
  const EGLint core_attributes[] = {
      EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
      EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
      EGL_NONE};
  // clang-format on
  std::unique_ptr<Context> context(new Context);
  context->flavour_ = flavour;
  context->display_ = std::move(display);
  const EGLDisplay handle = context->display_->handle();
  context->handle_ = eglCreateContext(handle, config, share, es ? es_attributes : core_attributes);
  if (context->handle_ == EGL_NO_CONTEXT) {
    return device_error(failed(std::string("eglCreateContext for ") + to_string(flavour)));
  }
  if (!surfaceless) {
    const EGLint one_pixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    context->surface_ = eglCreatePbufferSurface(handle, config, one_pixel);
    if (context->surface_ == EGL_NO_SURFACE) return device_error(failed("eglCreatePbufferSurface"));
  }
  return context;
}

Result<std::unique_ptr<Context>> Context::create_headless(GlFlavour flavour,
                                                          const std::vector<DisplayCandidate>& candidates) {
  std::string tried;
  for (const DisplayCandidate& candidate : candidates) {
    auto display = candidate.open();
    if (!display.ok()) {
      tried += "\n  " + candidate.name + ": " + display.status().message();
      continue;
    }
    auto context = create(*display, flavour);
    if (context.ok()) return context;
    tried += "\n  " + candidate.name + ": " + context.status().message();
  }
  return unsupported(std::string("cannot create a context for ") + to_string(flavour) +
                     " without a window system; tried:" + tried +
                     "\nInstall a GPU driver with EGL, or the Mesa software renderer (libegl-mesa0, libgl1-mesa-dri).");
}

Context::~Context() {
  const EGLDisplay display = display_->handle();
  if (handle_ != EGL_NO_CONTEXT && eglGetCurrentContext() == handle_) {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
  if (surface_ != EGL_NO_SURFACE) eglDestroySurface(display, surface_);
  if (handle_ != EGL_NO_CONTEXT) eglDestroyContext(display, handle_);
}

void* Context::get_proc_address(const char* name) { return reinterpret_cast<void*>(eglGetProcAddress(name)); }

ScopedMakeCurrent::ScopedMakeCurrent(const Context& context)
    : display_(context.display().handle()),
      previous_display_(eglGetCurrentDisplay()),
      previous_context_(eglGetCurrentContext()),
      previous_draw_(eglGetCurrentSurface(EGL_DRAW)),
      previous_read_(eglGetCurrentSurface(EGL_READ)) {
  if (eglMakeCurrent(display_, context.surface(), context.surface(), context.handle()) != EGL_TRUE) {
    status_ = device_error(failed("eglMakeCurrent on " + context.display().name()));
  }
}

ScopedMakeCurrent::~ScopedMakeCurrent() {
  if (previous_context_ == EGL_NO_CONTEXT) {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  } else {
    eglMakeCurrent(previous_display_, previous_draw_, previous_read_, previous_context_);
  }
}

Result<std::unique_ptr<ContextThreads>> ContextThreads::create(size_t count) {
  std::unique_ptr<ContextThreads> result(new ContextThreads);
  for (size_t i = 0; i < count; ++i) {
    auto context = Context::create_sharing_with_current();
    if (!context.ok()) return context.status();
    result->contexts_.push_back(std::move(*context));
  }
  for (const std::unique_ptr<Context>& context : result->contexts_) {
    result->threads_.emplace_back([threads = result.get(), own = context.get()] { threads->serve(*own); });
  }
  return result;
}

std::function<void(const std::function<void()>&)> ContextThreads::for_compiling() {
  constexpr size_t kMost = 4;  // compilers need memory
  size_t count = std::min<size_t>(std::thread::hardware_concurrency(), kMost);
  const char* wanted = std::getenv("SIGHTGLASS_COMPILER_THREADS");
  if (wanted != nullptr) std::from_chars(wanted, wanted + std::strlen(wanted), count);
  if (count < 2 || count > kMost) return {};
  auto threads = create(count - 1);
  if (!threads.ok()) return {};
  return [shared = std::shared_ptr<ContextThreads>(std::move(*threads))](const std::function<void()>& work) {
    shared->run(work);
  };
}

ContextThreads::~ContextThreads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ContextThreads::serve(const Context& context) {
  const ScopedMakeCurrent current(context);
  std::unique_lock lock(mutex_);
  for (size_t served = 0;;) {
    changed_.wait(lock, [&] { return ends_ || round_ != served; });
    if (ends_) return;
    served = round_;
    const std::function<void()>& work = *work_;
    lock.unlock();
    if (current.ok()) {
      try {
        work();
      } catch (...) {
        // What this thread has not done, the calling thread does.
      }
    }
    lock.lock();
    if (--busy_ == 0) changed_.notify_all();
  }
}

void ContextThreads::run(const std::function<void()>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = threads_.size();
    ++round_;
  }
  changed_.notify_all();
  const auto wait = [this] {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return busy_ == 0; });
  };
  try {
    work();
  } catch (...) {
    wait();
    throw;
  }
  wait();
}

}  // namespace sightglass::interop
