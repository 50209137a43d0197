#include <algorithm>
#include <string_view>

#include "doctor/judge.h"
#include "gpu_engine/device_family.h"

namespace sightglass::doctor {

std::vector<Quirk> quirks_of(const DeviceInfo& device) {
  const DeviceFamily& family = device_family(device.vendor, device.renderer);
  const bool mesa = device.version.find("Mesa") != std::string::npos;
  const std::string iterations =
      family.max_loop_iterations > 0 ? std::to_string(family.max_loop_iterations) + " iterations" : "a limit";
  return {
      {"loops end early",
       "the driver silently ends the loops of an invocation after " + iterations +
           "; kernels that need more are not selected",
       family.max_loop_iterations > 0},
      {"wrong buffer textures", "16-bit float buffer textures return wrong values; storage blocks replace them",
       !has_sound_buffer_textures(device.renderer)},
      {"external textures in compute shaders", "compute shaders misread them; they are first copied on the GPU",
       mesa && device.limits.external_textures},
      {"YUV images", "the driver converts imported multi-planar frames wrongly; import their planes separately",
       mesa && family.software},
  };
}

namespace {

using Problems = std::vector<Problem>;

void add(Problems& problems, Severity severity, std::string text, std::string remedy) {
  problems.push_back({severity, std::move(text), std::move(remedy)});
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string join_group(const DeviceFile& file, const char* usual) {
  const std::string group = file.group.empty() || file.group == "root" ? usual : file.group;
  return "run `sudo usermod -aG " + group + " $USER` to join the group " + group + ", then log in again";
}

bool has_variable(const SystemSection& system, std::string_view name) {
  return std::ranges::any_of(system.environment, [&](const auto& variable) { return variable.first == name; });
}

void judge_gl(const DoctorReport& report, Problems& problems) {
  const GlSection& gl = report.gl;
  const bool hardware = gl.available && !gl.software;
  if (!gl.available) {
    add(problems, Severity::kError, "OpenGL ES 3.1 is not available: " + first_line(gl.error),
        "install the driver of your GPU, or the Mesa software renderer: "
        "`apt install libegl-mesa0 libgl1-mesa-dri`");
  }
  for (const DeviceFile& node : report.render_nodes) {
    if (node.accessible) continue;
    // Some drivers need no render node.
    add(problems, hardware ? Severity::kWarning : Severity::kError, "no permission to open the GPU " + node.path,
        join_group(node, "render"));
  }
  if (!gl.available || !gl.software) return;
  std::string remedy = has_variable(report.system, "LIBGL_ALWAYS_SOFTWARE") ? "unset LIBGL_ALWAYS_SOFTWARE"
                                                                            : "install the driver of your GPU";
  if (report.render_nodes.empty()) remedy += "; in a container, make /dev/dri available";
  add(problems, Severity::kWarning,
      "OpenGL runs on the CPU (" + gl.device.renderer + ")" +
          (report.render_nodes.empty() ? ": /dev/dri has no render node" : ""),
      remedy);
}

void judge_dmabuf(const DoctorReport& report, Problems& problems) {
  // Software renderers have neither, and need neither.
  if (!report.gl.available || report.gl.software) return;
  const DmabufSection& dmabuf = report.dmabuf;
  if (!dmabuf.import_error.empty()) {
    add(problems, Severity::kWarning, "camera frames cannot arrive without a copy: " + dmabuf.import_error,
        "install a newer driver; until then, glupload copies frames");
  }
  const bool exports =
      std::ranges::any_of(dmabuf.exports, [](const ExportFormat& format) { return format.error.empty(); });
  if (exports) return;
  add(problems, Severity::kWarning,
      "frames cannot leave as DMABUFs" + (dmabuf.export_error.empty() ? "" : ": " + dmabuf.export_error),
      "use gldownload instead of gldmabufexport, at the cost of a copy per frame");
}

void judge_gstreamer(const DoctorReport& report, Problems& problems) {
  const GstSection& gst = report.gst;
  if (gst.plugin_file.empty()) {
    add(problems, Severity::kError, "GStreamer does not find the plugin sightglass",
        "install the package gstreamer1.0-sightglass, or set GST_PLUGIN_PATH to the directory of "
        "libgstsightglass.so; if it is already installed, delete ~/.cache/gstreamer-1.0");
  }
  if (!gst.gl_elements) {
    add(problems, Severity::kError, "GStreamer does not have the OpenGL elements (glupload)",
        "`apt install gstreamer1.0-gl`");
  }
  if (std::ranges::none_of(gst.sinks, &ElementStatus::installed)) {
    add(problems, Severity::kError, "GStreamer does not have a video sink",
        "`apt install gstreamer1.0-gl gstreamer1.0-plugins-good gstreamer1.0-plugins-bad`");
  } else if (!gst.display) {
    add(problems, Severity::kWarning, "no display: windows cannot be opened",
        "write a file (`--output video.mp4`), or set DISPLAY or WAYLAND_DISPLAY");
  }
  if (gst.video_file.empty()) {
    add(problems, Severity::kWarning, "no encoder and muxer for video files",
        "`apt install gstreamer1.0-plugins-ugly gstreamer1.0-plugins-good gstreamer1.0-plugins-bad`");
  }
  for (const DeviceFile& node : report.video_nodes) {
    if (node.accessible) continue;
    add(problems, Severity::kWarning, "no permission to open the camera " + node.path, join_group(node, "video"));
  }
}

void judge_cache(const CacheSection& cache, Problems& problems) {
  if (cache.folder.empty()) {
    add(problems, Severity::kWarning, "no cache directory: every start compiles all shader programs",
        "set HOME or XDG_CACHE_HOME to an absolute path");
  } else if (!cache.error.empty()) {
    add(problems, Severity::kError, "the cache directory cannot be used: " + cache.error,
        "make it a directory that you own and can write to, or set XDG_CACHE_HOME");
  }
}

void judge_measurement(const DoctorReport& report, Problems& problems) {
  if (!report.measured || !report.gl.available) return;
  const MeasuredSection& measured = *report.measured;
  if (!measured.gpu_error.empty()) {
    const bool only_fp16 = measured.fp32.has_value();
    add(problems, only_fp16 ? Severity::kWarning : Severity::kError,
        "the model " + measured.model + " does not run" + (only_fp16 ? " with precision=fp16" : "") + ": " +
            first_line(measured.gpu_error),
        "`sightglass check " + measured.model + "` reports the details");
  }
  if (!measured.composite_error.empty()) {
    add(problems, Severity::kError,
        std::string(kMeasuredElement) + " does not run: " + first_line(measured.composite_error),
        "set GST_GL_PLATFORM=egl GST_GL_API=gles2, and look up the message in docs/troubleshooting.md");
  }
}

}  // namespace

std::vector<Problem> find_problems(const DoctorReport& report) {
  Problems problems;
  judge_gl(report, problems);
  judge_dmabuf(report, problems);
  judge_gstreamer(report, problems);
  judge_cache(report.cache, problems);
  judge_measurement(report, problems);
  std::ranges::stable_sort(problems, {}, &Problem::severity);
  return problems;
}

bool has_error(const std::vector<Problem>& problems) {
  return std::ranges::any_of(problems, [](const Problem& problem) { return problem.severity == Severity::kError; });
}

}  // namespace sightglass::doctor
