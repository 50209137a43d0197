#include "video/run_job.h"

#include <filesystem>
#include <system_error>

#include "video/contact_sheet.h"
#include "video/frame_samples.h"
#include "video/launch_text.h"
#include "video/unfinished_file.h"

namespace sightglass::video {

namespace {

// Rows: input, mask if there is one, result.
Status write_contact_sheet(const VideoJob& job, const std::vector<SamplePtr>& samples) {
  std::vector<std::string> rows = {"identity"};
  if (job.element == "glsegmentbin") rows.push_back(element_text(job, "mask"));
  rows.push_back(element_text(job));
  return write_contact_sheet(samples, rows, job.contact_sheet);
}

// The names of the written files, separated by commas.
std::string written_files(const VideoJob& job) {
  const bool files = job.output.is_file() || job.output.kind == Output::Kind::kImages;
  std::string names = files ? job.output.name : "";
  for (const std::string& name : {job.results, job.contact_sheet}) {
    if (!name.empty() && name != "-") names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

// A camera without a device file is there if GStreamer lists it.
bool is_available(const Camera& camera) {
  std::error_code error;
  return camera.path.empty() ? choose_camera(find_cameras(), camera.name).ok()
                             : std::filesystem::exists(camera.path, error);
}

}  // namespace

PlayerSettings input_settings(const Input& input, const VideoTask& task) {
  PlayerSettings settings;
  settings.input_name = input.name;
  if (input.kind == Input::Kind::kAddress) settings.input_hint = "; check the address, and whether its server runs";
  settings.duration = input.media.seconds;
  settings.keys = input.kind != Input::Kind::kPipe;
  settings.models = [&task] { return installed_models(task); };
  if (input.kind == Input::Kind::kCamera) {
    settings.camera_text = input.camera.source;
    settings.camera_available = [camera = input.camera] { return is_available(camera); };
  }
  return settings;
}

Result<PlaybackResult> run_job(const VideoJob& job, const PlayerSettings& settings, PlaybackReport& report) {
  const std::string text = launch_text(job);
  SIGHTGLASS_ASSIGN_OR_RETURN(const ElementPtr pipeline, parse_launch(text));
  UnfinishedFile file(pipeline.get(), kFileElement, job.output.is_file() ? job.output.name : std::string());
  UnfinishedFile results(pipeline.get(), kResultsElement, job.results == "-" ? std::string() : job.results);
  const ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline.get()), kModelElement));
  FrameSamples samples;
  if (!job.contact_sheet.empty()) samples.watch(element.get());
  report.starting(text);
  SIGHTGLASS_ASSIGN_OR_RETURN(const PlaybackResult result, play(pipeline.get(), element.get(), settings, report));
  SIGHTGLASS_RETURN_IF_ERROR(file.finish());
  SIGHTGLASS_RETURN_IF_ERROR(results.finish());
  constexpr size_t kColumns = 4;
  if (!job.contact_sheet.empty()) SIGHTGLASS_RETURN_IF_ERROR(write_contact_sheet(job, samples.take(kColumns)));
  report.finished(result, written_files(job));
  return result;
}

Status add_properties(const std::vector<std::string>& texts, PropertyValues& values) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return invalid_argument("--property " + text + ": use NAME=VALUE");
    values[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return {};
}

void complete_properties(PropertyValues& values, bool results) {
  if (values.contains("background-location") && !values.contains("background")) values["background"] = "image";
  if (results && !values.contains("results")) values["results"] = "meta";
}

}  // namespace sightglass::video
