#include "model/report_format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/formatting.h"
#include "doctor/judge.h"
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
    line(text, kMeasuredElement,
         number(composite, "%.2f ms") + " per 1280x720 frame without the model" +
             (measured.composite ? "" : " (estimated)"));
  }
  if (!measured.composite_error.empty()) line(text, kMeasuredElement, measured.composite_error);
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

namespace {

using Json = nlohmann::ordered_json;

// Null instead of an empty text.
Json optional_text(const std::string& text) { return text.empty() ? Json() : Json(text); }

template <typename T>
Json optional_value(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <typename T, typename Function>
Json list(const std::vector<T>& items, Function&& json_of) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(json_of(item));
  return array;
}

Json file_json(const DeviceFile& file) {
  return {{"path", file.path},
          {"driver", optional_text(file.driver)},
          {"group", optional_text(file.group)},
          {"accessible", file.accessible}};
}

Json system_json(const SystemSection& system) {
  Json environment = Json::object();
  for (const auto& [name, value] : system.environment) environment[name] = value;
  return {{"distribution", system.distribution},
          {"kernel", system.kernel},
          {"processor", system.processor},
          {"cores", system.cores},
          {"environment", environment}};
}

Json egl_json(const EglSection& egl) {
  const auto attempt = [](const DisplayAttempt& one) {
    return Json{{"name", one.name}, {"works", one.error.empty()}, {"error", optional_text(one.error)}};
  };
  return {{"display", optional_text(egl.display)},
          {"vendor", optional_text(egl.vendor)},
          {"version", optional_text(egl.version)},
          {"displays", list(egl.attempts, attempt)},
          {"extensions", egl.extensions}};
}

Json limits_json(const DeviceLimits& limits) {
  return {{"compute_storage_blocks", limits.compute_storage_blocks},
          {"max_storage_block_bytes", limits.max_storage_block_bytes},
          {"storage_offset_alignment", limits.storage_offset_alignment},
          {"compute_image_units", limits.compute_image_units},
          {"max_uniform_block_bytes", limits.max_uniform_block_bytes},
          {"uniform_offset_alignment", limits.uniform_offset_alignment},
          {"workgroup_invocations", limits.workgroup_invocations},
          {"workgroup_size", limits.workgroup_size},
          {"workgroup_count", limits.workgroup_count},
          {"shared_memory_bytes", limits.shared_memory_bytes},
          {"max_texture_size", limits.max_texture_size},
          {"max_buffer_texels", limits.max_buffer_texels},
          {"max_loop_iterations", limits.max_loop_iterations},
          {"external_textures", limits.external_textures}};
}

Json gl_json(const GlSection& gl) {
  Json json = {{"available", gl.available}, {"error", optional_text(gl.error)}};
  if (!gl.available) return json;
  const auto quirk = [](const Quirk& one) {
    return Json{{"name", one.name}, {"effect", one.effect}, {"applies", one.applies}};
  };
  json.update(Json{{"vendor", gl.device.vendor},
                   {"renderer", gl.device.renderer},
                   {"version", gl.device.version},
                   {"family", gl.family},
                   {"software", gl.software},
                   {"limits", limits_json(gl.device.limits)},
                   {"quirks", list(gl.quirks, quirk)},
                   {"extensions", gl.extensions}});
  return json;
}

Json dmabuf_json(const DmabufSection& dmabuf) {
  const auto import = [](const ImportFormat& one) {
    const auto modifier = [](const std::pair<std::string, bool>& pair) {
      return Json{{"modifier", pair.first}, {"external_only", pair.second}};
    };
    return Json{{"format", one.format},
                {"modifiers", list(one.modifiers, modifier)},
                {"image", one.as_image},
                {"external", one.external},
                {"planes", one.planes}};
  };
  const auto one_export = [](const ExportFormat& one) {
    return Json{{"format", one.format},
                {"modifier", one.modifier},
                {"works", one.error.empty()},
                {"error", optional_text(one.error)}};
  };
  return {{"import",
           {{"error", optional_text(dmabuf.import_error)},
            {"formats_known", dmabuf.formats_known},
            {"formats", list(dmabuf.imports, import)}}},
          {"export",
           {{"error", optional_text(dmabuf.export_error)},
            {"allocator", optional_text(dmabuf.export_allocator)},
            {"formats", list(dmabuf.exports, one_export)}}}};
}

Json element_json(const ElementStatus& element) {
  return {{"name", element.name}, {"installed", element.installed}, {"takes_dmabuf", element.takes_dmabuf}};
}

Json gstreamer_json(const GstSection& gst) {
  return {{"version", gst.version},
          {"plugin", {{"version", optional_text(gst.plugin_version)}, {"file", optional_text(gst.plugin_file)}}},
          {"test_plugin", gst.test_plugin},
          {"gl_elements", gst.gl_elements},
          {"display", gst.display}};
}

Json camera_json(const CameraStatus& camera) {
  const auto format = [](const CameraFormatStatus& one) {
    return Json{
        {"format", one.format}, {"zero_copy", optional_value(one.zero_copy)}, {"reason", optional_text(one.reason)}};
  };
  return {{"name", without_serials(camera.name)},
          {"path", optional_text(camera.path)},
          {"source", camera.source},
          {"formats", list(camera.formats, format)}};
}

Json measured_json(const MeasuredSection& measured) {
  const auto time = [](const std::optional<ModelTime>& one) {
    return one ? Json{{"median_ms", one->median}, {"p95_ms", one->p95}} : Json();
  };
  const Settings settings = choose_settings(measured);
  Json json = {{"model", measured.model},
               {"gpu",
                {{"error", optional_text(measured.gpu_error)},
                 {"gflops", measured.multiply_adds_per_second * 2e-9},
                 {"copies_gb_per_s", measured.copied_bytes_per_second * 1e-9},
                 {"fp32", time(measured.fp32)},
                 {"fp16", time(measured.fp16)}}}};
  json["cpu"] = measured.cpu ? Json{{"runtime", measured.cpu->runtime},
                                    {"threads", measured.cpu->threads},
                                    {"median_ms", measured.cpu->median}}
                             : Json{{"error", measured.cpu_error}};
  json["composite"] = {{"ms", composite_time(measured)},
                       {"estimated", !measured.composite},
                       {"error", optional_text(measured.composite_error)}};
  using Kind = Settings::Kind;
  const bool holds =
      settings.kind == Kind::kEveryFrame || settings.kind == Kind::kInterval || settings.kind == Kind::kLatest;
  json["settings"] = {{"holds_30_fps", holds}};
  if (holds) {
    const bool latest = settings.kind == Kind::kLatest;
    json["settings"].update(Json{{"precision", settings.fp16 ? "fp16" : "fp32"},
                                 {"inference-interval", settings.interval},
                                 {"mask-sync", latest ? "latest" : "exact"}});
    if (latest) json["settings"]["gpu-budget"] = settings.gpu_budget;
  }
  return json;
}

Json problem_json(const Problem& problem) {
  return {{"severity", problem.severity == Severity::kError ? "error" : "warning"},
          {"problem", problem.text},
          {"remedy", problem.remedy}};
}

void clean(Json& json, const PrivateWords& words) {
  if (json.is_string()) json = without_private_words(json.get<std::string>(), words);
  if (!json.is_structured()) return;
  for (Json& item : json) clean(item, words);
}

}  // namespace

std::string format_json(const DoctorReport& report, const std::vector<Problem>& problems, const PrivateWords& words) {
  Json root;
  root["version"] = report.system.version;
  root["system"] = system_json(report.system);
  root["render_nodes"] = list(report.render_nodes, file_json);
  root["egl"] = egl_json(report.egl);
  root["gl"] = gl_json(report.gl);
  root["dmabuf"] = dmabuf_json(report.dmabuf);
  root["gstreamer"] = gstreamer_json(report.gst);
  root["video_nodes"] = list(report.video_nodes, file_json);
  root["cameras"] = list(report.cameras, camera_json);
  root["sinks"] = list(report.gst.sinks, element_json);
  root["encoders"] = list(report.gst.encoders, element_json);
  root["video_file"] = optional_text(report.gst.video_file);
  root["cache"] = {{"folder", optional_text(report.cache.folder)}, {"error", optional_text(report.cache.error)}};
  root["measured"] = report.measured ? measured_json(*report.measured) : Json();
  root["problems"] = list(problems, problem_json);
  root["advice"] = report.measured ? Json(advice(*report.measured)) : Json();
  clean(root, words);
  return to_text(root);
}

}  // namespace sightglass::doctor
