#include "sightglass/interop/dmabuf_formats.h"

#include <EGL/eglext.h>

#include <utility>

#include "gl_functions.h"
#include "sightglass/interop/dmabuf.h"

namespace sightglass::interop {
namespace {

std::vector<DmabufModifier> query_modifiers(EGLDisplay display, PFNEGLQUERYDMABUFMODIFIERSEXTPROC query,
                                            EGLint format) {
  EGLint count = 0;
  if (query == nullptr || query(display, format, 0, nullptr, nullptr, &count) != EGL_TRUE || count <= 0) return {};
  std::vector<EGLuint64KHR> values(static_cast<size_t>(count));
  std::vector<EGLBoolean> external(values.size());
  if (query(display, format, count, values.data(), external.data(), &count) != EGL_TRUE) return {};
  std::vector<DmabufModifier> modifiers;
  for (size_t i = 0; i < values.size() && i < static_cast<size_t>(count); ++i) {
    modifiers.push_back({values[i], external[i] == EGL_TRUE});
  }
  return modifiers;
}

}  // namespace

DmabufFormats DmabufFormats::query(const Display& display) {
  const auto query_formats = gl_function<PFNEGLQUERYDMABUFFORMATSEXTPROC>("eglQueryDmaBufFormatsEXT");
  const auto query = gl_function<PFNEGLQUERYDMABUFMODIFIERSEXTPROC>("eglQueryDmaBufModifiersEXT");
  EGLint count = 0;
  if (!display.has_extension("EGL_EXT_image_dma_buf_import_modifiers") || query_formats == nullptr ||
      query_formats(display.handle(), 0, nullptr, &count) != EGL_TRUE) {
    return DmabufFormats({}, false);
  }
  std::vector<EGLint> fourccs(static_cast<size_t>(count));
  if (count > 0 && query_formats(display.handle(), count, fourccs.data(), &count) != EGL_TRUE) {
    return DmabufFormats({}, false);
  }
  std::vector<DmabufFormat> formats;
  for (const EGLint fourcc : fourccs) {
    formats.push_back({static_cast<uint32_t>(fourcc), query_modifiers(display.handle(), query, fourcc)});
  }
  return DmabufFormats(std::move(formats));
}

const DmabufFormat* DmabufFormats::find(uint32_t fourcc) const {
  for (const DmabufFormat& format : formats_) {
    if (format.fourcc == fourcc) return &format;
  }
  return nullptr;
}

bool DmabufFormats::importable(uint32_t fourcc, uint64_t modifier) const {
  const bool plain = modifier == kModifierLinear || modifier == kModifierInvalid;
  if (!known_) return plain;
  const DmabufFormat* format = find(fourcc);
  if (format == nullptr) return false;
  if (modifier == kModifierInvalid) return true;
  for (const DmabufModifier& known : format->modifiers) {
    if (known.value == modifier) return true;
  }
  return format->modifiers.empty() && plain;
}

bool DmabufFormats::external_only(uint32_t fourcc, uint64_t modifier) const {
  const DmabufFormat* format = find(fourcc);
  if (format == nullptr || format->modifiers.empty()) return false;
  // An implicit layout is one of the listed ones: it is external-only for certain only if all of them are.
  bool all = true;
  for (const DmabufModifier& known : format->modifiers) {
    if (known.value == modifier) return known.external_only;
    all = all && known.external_only;
  }
  return all;
}

std::string DmabufFormats::what_would_work(uint32_t fourcc) const {
  if (!known_) return "the driver does not report which formats it imports (no EGL_EXT_image_dma_buf_import_modifiers)";
  std::string text = "the driver imports ";
  if (const DmabufFormat* format = find(fourcc)) {
    text += fourcc_text(fourcc) + " as ";
    if (format->modifiers.empty()) return text + "LINEAR";
    for (size_t i = 0; i < format->modifiers.size(); ++i) {
      text += (i == 0 ? "" : ", ") + modifier_text(format->modifiers[i].value);
      if (format->modifiers[i].external_only) text += " (external-oes)";
    }
    return text;
  }
  if (formats_.empty()) return text + "nothing";
  for (const DmabufFormat& format : formats_) text += fourcc_text(format.fourcc) + " ";
  return text + "but no " + fourcc_text(fourcc);
}

}  // namespace sightglass::interop
