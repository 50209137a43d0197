#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>

#include "doctor/judge.h"

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

namespace {

using Kind = Settings::Kind;

constexpr double kUsable = kFrameBudget * kPlannedShare;
// fp16 changes results slightly, so a smaller gain is not worth it.
constexpr double kWorthwhileGain = 0.8;
// Sinks show frames that are this many milliseconds late (the default processing-deadline of GstBaseSink).
constexpr double kTolerance = 20;
constexpr int kLargestInterval = 4;
const std::array<std::string, kLargestInterval + 1> kOrdinals = {"", "", "second", "third", "fourth"};
// With mask-sync=latest: an outline that is a third of a second late no longer covers a moving person.
constexpr int kOldestMask = 10;
constexpr double kLeastBudget = 1;  // milliseconds

std::string milliseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), value < 10 ? "%.1f ms" : "%.0f ms", value);
  return text;
}

bool choose_fp16(const MeasuredSection& measured) {
  if (!measured.fp16) return false;
  if (!measured.fp32) return true;
  return measured.fp16->median <= measured.fp32->median * kWorthwhileGain;
}

std::string settings_text(const Settings& settings) {
  const std::string precision = settings.fp16 ? "precision=fp16" : "";
  const std::string with = settings.fp16 ? precision + " " : "";
  switch (settings.kind) {
    case Kind::kInterval:
      return with + "inference-interval=" + std::to_string(settings.interval);
    case Kind::kLatest:
      return with + "mask-sync=latest gpu-budget=" + std::to_string(settings.gpu_budget);
    default:
      return settings.fp16 ? precision : "the default settings";
  }
}

// "figure takes 4.1 ms on the GPU and 21 ms on the CPU"
std::string times_text(const MeasuredSection& measured, const Settings& settings) {
  std::string text = measured.model + " takes ";
  const char* const place = measured.software ? " on the software renderer" : " on the GPU";
  if (settings.kind != Kind::kUnknown) text += milliseconds(settings.model) + place;
  if (measured.cpu) {
    text += (settings.kind != Kind::kUnknown ? " and " : "") + milliseconds(measured.cpu->median) + " on the CPU";
  }
  return text;
}

std::string faster_on_cpu(const MeasuredSection& measured, const Settings& settings) {
  if (!measured.cpu || measured.cpu->median >= settings.model) return {};
  return " (TensorFlow Lite is faster than this OpenGL driver)";
}

}  // namespace

double composite_time(const MeasuredSection& measured) {
  if (measured.composite) return *measured.composite;
  // Blur, refinement, smoothing, and compositing together read and write the frame about this many times.
  constexpr double kPasses = 8, kFrameBytes = 1280.0 * 720 * 4;
  if (measured.copied_bytes_per_second <= 0) return 0;
  return kPasses * 2 * kFrameBytes / measured.copied_bytes_per_second * 1000;
}

Settings choose_settings(const MeasuredSection& measured) {
  Settings settings;
  settings.composite = composite_time(measured);
  if (!measured.fp32 && !measured.fp16) return settings;
  settings.fp16 = choose_fp16(measured);
  const double left = kUsable - settings.composite;  // for the model, per frame
  // A small gain counts if it is enough to run the model on every frame.
  if (measured.fp32 && measured.fp16 && measured.fp32->median > left && measured.fp16->median <= left) {
    settings.fp16 = true;
  }
  settings.model = settings.fp16 ? measured.fp16->median : measured.fp32->median;
  if (left < kLeastBudget) {
    settings.kind = Kind::kFramesTooSlow;
    return settings;
  }
  if (settings.model <= left) {
    settings.kind = Kind::kEveryFrame;
    return settings;
  }
  const int frames = static_cast<int>(std::ceil(std::min(settings.model / left, 1e6)));
  // Masks are newest with inference-interval, but every Nth frame takes as long as the model.
  if (settings.model + settings.composite <= kFrameBudget + kTolerance && frames <= kLargestInterval) {
    settings.kind = Kind::kInterval;
    settings.interval = frames;
    return settings;
  }
  settings.mask_age = frames;
  if (frames > kOldestMask) {
    settings.kind = Kind::kModelTooSlow;
    return settings;
  }
  settings.kind = Kind::kLatest;
  settings.gpu_budget = static_cast<int64_t>(std::floor(left * 10)) * 100000;
  return settings;
}

std::string advice(const MeasuredSection& measured) {
  const Settings settings = choose_settings(measured);
  const std::string times = times_text(measured, settings);
  const std::string held = "Use " + settings_text(settings) + "; " + times + faster_on_cpu(measured, settings) +
                           ": 30 frames per second are held ";
  const std::string faster = measured.software ? "a GPU" : "a faster GPU";
  switch (settings.kind) {
    case Kind::kUnknown:
      if (measured.cpu) return "Solve the problems above; " + times + ", and cannot be measured on the GPU.";
      return "Solve the problems above; " + measured.model + " cannot be measured.";
    case Kind::kEveryFrame:
      return held + "with a result for every frame.";
    case Kind::kInterval:
      return held + "if the model runs on every " + kOrdinals[static_cast<size_t>(settings.interval)] + " frame.";
    case Kind::kLatest:
      return held + "with results that are about " + std::to_string(settings.mask_age) + " frames old.";
    case Kind::kFramesTooSlow:
      return std::string("30 frames per second are not reachable at 1280x720: ") + kMeasuredElement + " takes " +
             milliseconds(settings.composite) + " per frame without the model, and " + times +
             "; use smaller frames, refine=none, or " + faster + ".";
    case Kind::kModelTooSlow:
      return "30 frames per second are not reachable with useful results: " + times + ", and " + kMeasuredElement +
             " leaves " + milliseconds(kUsable - settings.composite) + " per frame for it; use a smaller model or " +
             faster + ".";
  }
  return {};
}

}  // namespace sightglass::doctor
