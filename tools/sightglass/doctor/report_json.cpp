#include <nlohmann/json.hpp>

#include "doctor/advice.h"
#include "doctor/report_format.h"
#include "model/report_format.h"

namespace sightglass::doctor {

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
