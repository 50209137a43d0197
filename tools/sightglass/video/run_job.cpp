#include "video/run_job.h"

#include <csignal>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "common/interrupts.h"
#include "video/contact_sheet.h"
#include "video/cut_file.h"
#include "video/even_size.h"
#include "video/frame_samples.h"
#include "video/last_frame.h"
#include "video/launch_text.h"
#include "video/numbered_images.h"
#include "video/raw_layout.h"
#include "video/stream_end.h"
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

// Pipes cannot be rewritten at the end: containers need a form without a list of all frames.
void prepare_for_pipe(GstElement* pipeline) {
  const ElementPtr muxer(gst_bin_get_by_name(GST_BIN(pipeline), kMuxerElement));
  if (muxer == nullptr) return;
  constexpr guint kFragmentMilliseconds = 1000;
  GObjectClass* const kind = G_OBJECT_GET_CLASS(muxer.get());
  if (g_object_class_find_property(kind, "fragment-duration") != nullptr) {
    g_object_set(muxer.get(), "fragment-duration", kFragmentMilliseconds, nullptr);
  }
  if (g_object_class_find_property(kind, "streamable") != nullptr) {
    g_object_set(muxer.get(), "streamable", TRUE, nullptr);
  }
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
  settings.input_time =
      input.kind == Input::Kind::kFile || input.kind == Input::Kind::kAddress || input.kind == Input::Kind::kPipe;
  // A desktop portal sends a frame when something on the screen changes.
  settings.steady = !input.cast;
  settings.renders = input.kind == Input::Kind::kFigures;
  settings.keys = input.kind != Input::Kind::kPipe;
  settings.models = [&task] { return installed_models(task); };
  if (input.kind == Input::Kind::kCamera) {
    settings.camera_text = input.camera.source;
    settings.camera_available = [camera = input.camera] { return is_available(camera); };
  }
  return settings;
}

Result<PlaybackResult> run_job(const VideoJob& job, const PlayerSettings& settings, PlaybackReport& report,
                               std::optional<UnfinishedFile> claimed) {
  // From here on there may be an incomplete file, which a signal must not leave.
  catch_interrupts();
  const std::string text = launch_text(job);
  SIGHTGLASS_ASSIGN_OR_RETURN(const ElementPtr pipeline, parse_launch(text));
  pad_raw_frames(pipeline.get());
  if (!claimed) {
    SIGHTGLASS_ASSIGN_OR_RETURN(UnfinishedFile opened,
                                UnfinishedFile::open(job.output.is_file() ? job.output.name : std::string()));
    claimed.emplace(std::move(opened));
  }
  UnfinishedFile file = *std::move(claimed);
  SIGHTGLASS_ASSIGN_OR_RETURN(UnfinishedFile results,
                              UnfinishedFile::open(job.results == "-" ? std::string() : job.results));
  SIGHTGLASS_RETURN_IF_ERROR(file.attach(pipeline.get(), kFileElement));
  if (!file.seekable()) prepare_for_pipe(pipeline.get());
  SIGHTGLASS_RETURN_IF_ERROR(results.attach(pipeline.get(), kResultsElement));
  std::optional<NumberedImages> images;
  if (job.output.kind == Output::Kind::kImages) {
    images.emplace(pipeline.get(), kFileElement, *parse_numbered_name(job.output.name));
  }
  const ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline.get()), kModelElement));
  auto samples = std::make_unique<FrameSamples>();
  if (!job.contact_sheet.empty()) samples->watch(element.get());
  // A reader of standard output that leaves is an error of the element that writes, so that files are completed.
  if (!written_files(job).empty()) std::signal(SIGPIPE, SIG_IGN);
  report.starting(text);
  if (const std::string lost = lost_audio(job); !lost.empty()) report.note("warning", lost);
  keep_sizes_even(pipeline.get());
  keep_last_frames(pipeline.get(), kMuxerElement);
  const Playback playback = play(pipeline.get(), element.get(), settings, report);
  PlaybackResult result = playback.result;
  if (!playback.complete) {
    if (has_hung_pipeline()) static_cast<void>(samples.release());
    return playback.status.ok() ? device_error("the output is incomplete") : playback.status;
  }
  SIGHTGLASS_RETURN_IF_ERROR(file.finish());
  SIGHTGLASS_RETURN_IF_ERROR(results.finish());
  constexpr size_t kColumns = 4;
  if (!job.contact_sheet.empty() && !has_hung_pipeline()) {
    SIGHTGLASS_RETURN_IF_ERROR(write_contact_sheet(job, samples->take(kColumns)));
  }
  if (has_hung_pipeline()) static_cast<void>(samples.release());
  report.finished(result, written_files(job));
  const std::string cut =
      job.input.kind == Input::Kind::kFile && !result.stopped ? describe_cut(job.input.name) : std::string();
  if (!cut.empty()) result.incomplete = job.input.name + ": " + cut + "; the output has what is there";
  if (playback.status.ok()) return result;
  const std::string kept = written_files(job);
  if (kept.empty()) return playback.status;
  result.incomplete =
      playback.status.message() + "; the " + std::to_string(result.frames) + " frames until then are in " + kept;
  return result;
}

Status add_properties(const std::string& element, const std::vector<std::string>& texts, PropertyValues& values) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return invalid_argument("--property " + text + ": use NAME=VALUE");
    values[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return check_values(element, values);
}

void complete_properties(PropertyValues& values, bool results) {
  if (values.contains("background-location") && !values.contains("background")) values["background"] = "image";
  if (results && !values.contains("results")) values["results"] = "meta";
}

}  // namespace sightglass::video
