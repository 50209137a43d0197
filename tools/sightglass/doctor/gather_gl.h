// Opens EGL displays and a GL context, and asks them.
#pragma once

#include <memory>

#include "doctor/doctor_report.h"
#include "sightglass/interop/egl_context.h"

namespace sightglass::doctor {

// A context that is current on this thread until it is destroyed here.
struct OpenGl {
  std::shared_ptr<interop::Display> display;
  std::unique_ptr<interop::Context> context;
  std::unique_ptr<interop::ScopedMakeCurrent> current;
};

// Tries all displays. Returns a context of the first display that works, which is the one that the other subcommands
// use; null if none works.
std::unique_ptr<OpenGl> gather_egl(EglSection& egl);

// Asks the current context, which gather_egl() has returned, or none.
GlSection gather_gl(const OpenGl* opened);

DmabufSection gather_dmabuf(const OpenGl* opened);

}  // namespace sightglass::doctor
