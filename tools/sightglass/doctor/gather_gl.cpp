#include <EGL/egl.h>

#include <sstream>
#include <utility>

#include "doctor/gather.h"
#include "doctor/judge.h"
#include "gpu_engine/device_family.h"
#include "sightglass/gl_api.h"
#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/dmabuf_import.h"
#include "sightglass/interop/draw_target.h"
#include "sightglass/interop/exported_texture.h"

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

namespace {

using interop::DmabufImport;

constexpr int32_t kSize = 64;  // pixels

constexpr uint32_t fourcc(const char (&name)[5]) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(name[i]);
  return value;
}

// The formats that displays and encoders take.
constexpr uint32_t kExports[] = {fourcc("XR24"), fourcc("AR24"), fourcc("XB24"), fourcc("AB24"), fourcc("NV12")};

void gather_imports(const interop::DmabufImporter& importer, DmabufSection& section) {
  section.formats_known = importer.formats().known();
  for (const interop::DmabufFormat& known : importer.formats().formats()) {
    ImportFormat format;
    format.format = interop::fourcc_text(known.fourcc);
    for (const interop::DmabufModifier& modifier : known.modifiers) {
      format.modifiers.emplace_back(interop::modifier_text(modifier.value), modifier.external_only);
    }
    const auto importable = [&](DmabufImport how) {
      return importer.importable(known.fourcc, interop::kModifierLinear, how);
    };
    format.as_image = importable(DmabufImport::kImage);
    format.external = importable(DmabufImport::kImageExternal);
    format.planes = importable(DmabufImport::kPlanes);
    section.imports.push_back(std::move(format));
  }
}

// Allocates a small frame of each format and layout, and attaches it to a framebuffer.
void try_exports(const interop::DrawTargets& targets, const interop::DmabufImporter& importer, DmabufSection& section) {
  for (const uint32_t format : kExports) {
    std::vector<uint64_t> modifiers{interop::kModifierLinear};
    const interop::DmabufFormat* const known = importer.formats().find(format);
    for (size_t i = 0; known != nullptr && i < known->modifiers.size(); ++i) {
      const interop::DmabufModifier& modifier = known->modifiers[i];
      if (modifier.value != interop::kModifierLinear && !modifier.external_only) modifiers.push_back(modifier.value);
    }
    for (const uint64_t modifier : modifiers) {
      const auto target = targets.make({kSize, kSize, format, {modifier}});
      section.exports.push_back({interop::fourcc_text(format), interop::modifier_text(modifier),
                                 target.ok() ? "" : target.status().message()});
    }
  }
}

// Without a DRM device, the driver chooses format and layout.
void try_texture_export(const std::shared_ptr<const interop::Display>& display, DmabufSection& section) {
  section.export_allocator = "GL textures";
  const auto texture = interop::ExportedTexture::create(display, kSize, kSize);
  if (!texture.ok()) {
    section.export_error = texture.status().message();
    section.export_allocator.clear();
    return;
  }
  const interop::DmabufFrame& frame = (*texture)->frame();
  section.exports.push_back({interop::fourcc_text(frame.fourcc), interop::modifier_text(frame.modifier), ""});
}

}  // namespace

DmabufSection gather_dmabuf(const OpenGl* opened) {
  DmabufSection section;
  if (opened == nullptr || !opened->current->ok()) {
    section.import_error = section.export_error = "OpenGL is not available";
    return section;
  }
  const std::shared_ptr<const interop::Display> display = opened->display;
  const auto importer = interop::DmabufImporter::create(display);
  if (importer.ok()) {
    gather_imports(**importer, section);
  } else {
    section.import_error = importer.status().message();
  }
  const auto device = display->device();
  const auto targets = interop::DrawTargets::create(display, device);
  if (!targets.ok()) {
    section.export_error = targets.status().message();
  } else if (device.ok() && importer.ok()) {
    section.export_allocator = (*device)->name();
    try_exports(**targets, **importer, section);
  } else {
    try_texture_export(display, section);
  }
  return section;
}

}  // namespace sightglass::doctor
