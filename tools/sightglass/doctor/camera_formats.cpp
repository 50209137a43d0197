#include "doctor/camera_formats.h"

#include <algorithm>
#include <string_view>

namespace sightglass::doctor {

namespace {

// GStreamer formats of cameras, and the DRM formats with the same memory layout.
struct FormatPair {
  std::string_view gstreamer;
  const char* drm;
};
constexpr FormatPair kFormats[] = {{"YUY2", "YUYV"}, {"UYVY", "UYVY"}, {"YVYU", "YVYU"},  {"NV12", "NV12"},
                                   {"NV21", "NV21"}, {"NV16", "NV16"}, {"I420", "YU12"},  {"YV12", "YV12"},
                                   {"BGRx", "XR24"}, {"BGRA", "AR24"}, {"RGBx", "XB24"},  {"RGBA", "AB24"},
                                   {"RGB", "BG24"},  {"BGR", "RG24"},  {"RGB16", "RG16"}, {"GRAY8", "R8  "}};

}  // namespace

CameraFormatStatus arrival_of(const video::CameraFormat& format, std::optional<bool> dmabuf, const std::string& driver,
                              const DmabufSection& importer) {
  const std::string text = video::to_string(format);
  if (format.jpeg) return {text, false, "frames must be decoded"};
  // It exports DMABUFs, but fills them with the CPU.
  if (driver == "uvcvideo") return {text, false, "USB cameras write to CPU memory"};
  if (!dmabuf) return {text, std::nullopt, "the camera is busy, or its driver does not report it"};
  if (!*dmabuf) return {text, false, "the camera does not export DMABUFs"};
  if (!importer.import_error.empty()) return {text, false, "the GL driver does not import DMABUFs"};
  if (!importer.formats_known) return {text, std::nullopt, "the GL driver does not list the formats that it imports"};
  const auto* const pair = std::ranges::find(kFormats, format.format, &FormatPair::gstreamer);
  const bool imported =
      pair != std::end(kFormats) && std::ranges::any_of(importer.imports, [&](const ImportFormat& one) {
        return one.format == pair->drm && (one.as_image || one.external || one.planes);
      });
  if (!imported) return {text, false, "the GL driver does not import this format"};
  return {text, true, ""};
}

}  // namespace sightglass::doctor
