#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "common/append.h"
#include "doctor/advice.h"
#include "doctor/report_format.h"
#include "gpu_engine/quoted.h"

namespace sightglass::doctor {

namespace {

// The extensions that this project uses.
constexpr std::array kUsed = {
    "EGL_KHR_surfaceless_context",   "EGL_EXT_image_dma_buf_import",    "EGL_EXT_image_dma_buf_import_modifiers",
    "EGL_MESA_image_dma_buf_export", "EGL_ANDROID_native_fence_sync",   "GL_OES_EGL_image",
    "GL_EXT_texture_buffer",         "GL_OES_EGL_image_external_essl3", "GL_EXT_disjoint_timer_query"};

void heading(std::string& text, const char* name) { text += (text.empty() ? "" : "\n") + std::string(name) + "\n"; }

// A label and a value of any length. Values come from drivers and devices, and are untrusted.
void line(std::string& text, const char* label, const std::string& value) {
  append(text, "  %-13s ", label);
  text += printable(value) + "\n";
}

std::string or_none(const std::string& text, const char* none = "none") { return text.empty() ? none : text; }

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return or_none(text);
}

std::string number(double value, const char* format) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), format, value);
  return buffer;
}

void system(std::string& text, const DoctorReport& report) {
  const SystemSection& system = report.system;
  heading(text, "system");
  line(text, "sightglass", system.version);
  line(text, "distribution", or_none(system.distribution, "unknown") + ", " + system.kernel);
  line(text, "processor", or_none(system.processor, "unknown") + ", " + std::to_string(system.cores) + " cores");
  for (const auto& [name, value] : system.environment) line(text, "variable", name + "=" + value);
  for (const DeviceFile& node : report.render_nodes) {
    line(
        text, "GPU",
        node.path + (node.driver.empty() ? "" : " (" + node.driver + ")") + (node.accessible ? "" : ": no permission"));
  }
  if (report.render_nodes.empty()) line(text, "GPU", "/dev/dri has no render node");
}

void gl(std::string& text, const DoctorReport& report) {
  const EglSection& egl = report.egl;
  heading(text, "EGL and OpenGL");
  for (const DisplayAttempt& attempt : egl.attempts) {
    line(text, "display", attempt.name + ": " + (attempt.error.empty() ? "works" : attempt.error));
  }
  if (!egl.display.empty()) line(text, "EGL", egl.version + ", " + egl.vendor + ", " + egl.display);
  const GlSection& gl = report.gl;
  if (!gl.available) {
    line(text, "OpenGL", "not available");
    return;
  }
  line(text, "OpenGL", gl.device.version + ", " + gl.device.vendor);
  line(text, "renderer", gl.device.renderer + (gl.software ? ", on the CPU" : "") + "; family " + gl.family);
  const DeviceLimits& limits = gl.device.limits;
  line(text, "limits",
       "work groups of " + std::to_string(limits.workgroup_invocations) + " invocations and " +
           std::to_string(limits.shared_memory_bytes) + " bytes");
  line(text, "",
       std::to_string(limits.compute_storage_blocks) + " storage blocks of " +
           std::to_string(limits.max_storage_block_bytes) + " bytes");
  line(text, "",
       "textures of " + std::to_string(limits.max_texture_size) + " pixels, buffer textures of " +
           std::to_string(limits.max_buffer_texels) + " texels");
  for (const bool present : {true, false}) {
    for (const char* name : kUsed) {
      const bool egl_name = std::string_view(name).starts_with("EGL");
      if ((std::ranges::count(egl_name ? egl.extensions : gl.extensions, name) != 0) != present) continue;
      line(text, present ? "extension" : "missing", name);
    }
  }
  for (const Quirk& quirk : gl.quirks) {
    if (quirk.applies) line(text, "quirk", quirk.name + ": " + quirk.effect);
  }
  if (std::ranges::none_of(gl.quirks, &Quirk::applies)) line(text, "quirk", "none of the known ones applies");
}

void dmabuf(std::string& text, const DmabufSection& dmabuf) {
  heading(text, "DMABUF");
  if (!dmabuf.import_error.empty()) line(text, "import", "no: " + dmabuf.import_error);
  if (dmabuf.import_error.empty() && !dmabuf.formats_known) line(text, "import", "yes; the driver lists no formats");
  for (const ImportFormat& format : dmabuf.imports) {
    std::vector<std::string> modifiers;
    for (const auto& [modifier, external] : format.modifiers) modifiers.push_back(modifier + (external ? "*" : ""));
    line(text, "import", format.format + "  " + (modifiers.empty() ? "LINEAR" : join(modifiers)));
  }
  const bool external = std::ranges::any_of(dmabuf.imports, [](const ImportFormat& format) {
    return std::ranges::any_of(format.modifiers, [](const auto& modifier) { return modifier.second; });
  });
  if (external) line(text, "", "* only as an external texture");
  if (!dmabuf.export_error.empty()) line(text, "export", "no: " + dmabuf.export_error);
  if (!dmabuf.export_allocator.empty()) line(text, "export", "memory of " + dmabuf.export_allocator);
  // Formats follow each other, each with all of its modifiers.
  for (size_t i = 0; i < dmabuf.exports.size();) {
    const std::string& format = dmabuf.exports[i].format;
    std::vector<std::string> modifiers;
    std::string error;
    for (; i < dmabuf.exports.size() && dmabuf.exports[i].format == format; ++i) {
      const ExportFormat& one = dmabuf.exports[i];
      if (one.error.empty()) modifiers.push_back(one.modifier);
      if (error.empty()) error = one.error;
    }
    line(text, "export", format + "  " + join(modifiers));
    if (!error.empty()) line(text, "", "not all: " + error);
  }
}

std::string installed_of(const std::vector<ElementStatus>& elements) {
  std::vector<std::string> names;
  for (const ElementStatus& element : elements) {
    if (element.installed) names.push_back(element.name + (element.takes_dmabuf ? "*" : ""));
  }
  return join(names);
}

void gstreamer(std::string& text, const GstSection& gst) {
  heading(text, "GStreamer");
  line(text, "version", gst.version);
  line(text, "sightglass", gst.plugin_file.empty() ? "not found" : gst.plugin_version + ", " + gst.plugin_file);
  line(text, "display", gst.display ? "yes" : "none");
  line(text, "sinks", installed_of(gst.sinks));
  line(text, "encoders", installed_of(gst.encoders));
  line(text, "", "* takes DMABUFs");
  line(text, "video file", or_none(gst.video_file));
}

void cameras(std::string& text, const DoctorReport& report) {
  heading(text, "cameras");
  for (const DeviceFile& node : report.video_nodes) {
    if (!node.accessible) line(text, "no permission", node.path);
  }
  if (report.cameras.empty()) line(text, "camera", "none");
  for (const CameraStatus& camera : report.cameras) {
    line(text, "camera",
         without_serials(camera.name) + (camera.path.empty() ? "" : ", " + camera.path) + " (" + camera.source + ")");
    for (const CameraFormatStatus& format : camera.formats) {
      const char* arrives = !format.zero_copy ? "unknown" : *format.zero_copy ? "without a copy" : "with a copy";
      line(text, "", format.format + ": " + arrives + (format.reason.empty() ? "" : ", " + format.reason));
    }
  }
}

void measured(std::string& text, const MeasuredSection& measured) {
  heading(text, "measured");
  if (measured.multiply_adds_per_second > 0) {
    line(text, "device",
         number(measured.multiply_adds_per_second * 2e-9, "%.1f GFLOP/s of multiply-adds, ") +
             number(measured.copied_bytes_per_second * 1e-9, "%.1f GB/s of copies"));
  }
  const auto time = [&](const char* name, const std::optional<ModelTime>& one) {
    if (!one) return;
    line(text, "OpenGL",
         measured.model + " with precision=" + name + ": median " + number(one->median, "%.2f ms") + ", p95 " +
             number(one->p95, "%.2f ms"));
  };
  time("fp32", measured.fp32);
  time("fp16", measured.fp16);
  if (!measured.gpu_error.empty()) line(text, "OpenGL", measured.gpu_error);
  line(text, "CPU",
       measured.cpu
           ? measured.model + " with " + measured.cpu->runtime + ": median " + number(measured.cpu->median, "%.2f ms") +
                 " on " + std::to_string(measured.cpu->threads) + " threads"
           : "TensorFlow Lite: " + measured.cpu_error);
  const double composite = composite_time(measured);
  if (composite > 0) {
    line(text, "glsegment",
         number(composite, "%.2f ms") + " per 1280x720 frame without the model" +
             (measured.composite ? "" : " (estimated)"));
  }
  if (!measured.composite_error.empty()) line(text, "glsegment", measured.composite_error);
}

}  // namespace

std::string format_text(const DoctorReport& report, const std::vector<Problem>& problems, const PrivateWords& words) {
  std::string text;
  system(text, report);
  gl(text, report);
  if (report.gl.available) dmabuf(text, report.dmabuf);
  gstreamer(text, report.gst);
  cameras(text, report);
  heading(text, "cache");
  line(text, "directory", or_none(report.cache.folder) + (report.cache.error.empty() ? "" : ": cannot be used"));
  if (report.measured) measured(text, *report.measured);
  heading(text, "problems");
  for (const Problem& problem : problems) {
    line(text, problem.severity == Severity::kError ? "error" : "warning", problem.text);
    line(text, "remedy", problem.remedy);
  }
  if (problems.empty()) line(text, "none", "found");
  if (report.measured) text += "\n" + advice(*report.measured) + "\n";
  return without_private_words(std::move(text), words);
}

}  // namespace sightglass::doctor
