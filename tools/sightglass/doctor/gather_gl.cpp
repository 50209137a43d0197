#include "doctor/gather_gl.h"

#include <EGL/egl.h>

#include <sstream>
#include <utility>

#include "doctor/quirks.h"
#include "gpu_engine/device_family.h"
#include "sightglass/gl_api.h"

namespace sightglass::doctor {

namespace {

std::string egl_string(EGLDisplay display, EGLint name) {
  const char* text = eglQueryString(display, name);
  return text != nullptr ? text : "";
}

void add_words(const std::string& text, std::vector<std::string>& words) {
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
}

Result<std::unique_ptr<OpenGl>> open(const interop::DisplayCandidate& candidate) {
  auto opened = std::make_unique<OpenGl>();
  SIGHTGLASS_ASSIGN_OR_RETURN(opened->display, candidate.open());
  SIGHTGLASS_ASSIGN_OR_RETURN(opened->context, interop::Context::create(opened->display, interop::GlFlavour::kEs31));
  return opened;
}

}  // namespace

std::unique_ptr<OpenGl> gather_egl(EglSection& egl) {
  std::unique_ptr<OpenGl> first;
  for (const interop::DisplayCandidate& candidate : interop::headless_display_candidates()) {
    auto opened = open(candidate);
    egl.attempts.push_back({candidate.name, opened.ok() ? "" : opened.status().message()});
    if (opened.ok() && first == nullptr) first = std::move(opened).value();
  }
  if (first == nullptr) return nullptr;
  const EGLDisplay display = first->display->handle();
  egl.display = first->display->name();
  egl.vendor = egl_string(display, EGL_VENDOR);
  egl.version = egl_string(display, EGL_VERSION);
  add_words(egl_string(EGL_NO_DISPLAY, EGL_EXTENSIONS), egl.extensions);
  add_words(egl_string(display, EGL_EXTENSIONS), egl.extensions);
  first->current = std::make_unique<interop::ScopedMakeCurrent>(*first->context);
  return first;
}

GlSection gather_gl(const OpenGl* opened) {
  GlSection section;
  if (opened == nullptr) {
    section.error = "no EGL display has a context for it";
    return section;
  }
  if (!opened->current->ok()) {
    section.error = opened->current->status().message();
    return section;
  }
  const auto gl = GlApi::load(&interop::Context::get_proc_address);
  if (!gl.ok()) {
    section.error = gl.status().message();
    return section;
  }
  const auto device = query_device(*gl);
  if (!device.ok()) {
    section.error = device.status().message();
    return section;
  }
  section.available = true;
  section.device = *device;
  const DeviceFamily& family = device_family(device->vendor, device->renderer);
  section.family = family.name;
  section.software = family.software;
  section.quirks = quirks_of(*device);
  GLint count = 0;
  gl->GetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const GLubyte* name = gl->GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i));
    if (name != nullptr) section.extensions.emplace_back(reinterpret_cast<const char*>(name));
  }
  return section;
}

}  // namespace sightglass::doctor
