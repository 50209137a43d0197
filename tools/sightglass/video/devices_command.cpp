#include "video/devices_command.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "video/cameras.h"
#include "video/gst_setup.h"

namespace sightglass::video {

namespace {

nlohmann::ordered_json json_of(const Camera& camera) {
  nlohmann::ordered_json formats = nlohmann::ordered_json::array();
  for (const CameraFormat& format : camera.formats) {
    formats.push_back({{"format", format.jpeg ? "JPEG" : format.format},
                       {"width", format.width},
                       {"height", format.height},
                       {"rate", format.rate}});
  }
  nlohmann::ordered_json json = {{"name", camera.name}, {"path", camera.path}, {"source", camera.source}};
  json["dmabuf"] = camera.dmabuf ? nlohmann::ordered_json(*camera.dmabuf) : nlohmann::ordered_json();
  json["formats"] = std::move(formats);
  return json;
}

void print(const Camera& camera) {
  std::printf("%s\n", camera.name.c_str());
  if (!camera.path.empty()) std::printf("  device     %s\n", camera.path.c_str());
  std::printf("  source     %s\n", camera.source.c_str());
  const char* dmabuf = !camera.dmabuf ? "unknown" : *camera.dmabuf ? "yes: raw frames need no copy" : "no";
  std::printf("  DMABUF     %s\n", dmabuf);
  for (const CameraFormat& format : camera.formats) std::printf("  format     %s\n", to_string(format).c_str());
}

int devices(bool as_json) {
  start_gstreamer();
  const std::vector<Camera> cameras = find_cameras();
  if (as_json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Camera& camera : cameras) json.push_back(json_of(camera));
    std::printf("%s\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
    return kSucceeded;
  }
  for (const Camera& camera : cameras) print(camera);
  if (cameras.empty())
    std::fputs("sightglass: there is no camera; `--input figures` renders input without one\n", stderr);
  return kSucceeded;
}

}  // namespace

void add_devices_command(CLI::App& app, std::vector<Subcommand>& subcommands) {
  CLI::App* command = app.add_subcommand(
      "devices", "List cameras with their formats, and whether their frames are available as DMABUFs");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  subcommands.push_back({command, [json] { return devices(*json); }});
}

}  // namespace sightglass::video
