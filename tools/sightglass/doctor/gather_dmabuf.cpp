#include "doctor/gather_gl.h"
#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/dmabuf_import.h"
#include "sightglass/interop/draw_target.h"
#include "sightglass/interop/exported_texture.h"

namespace sightglass::doctor {

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
