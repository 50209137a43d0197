#include "video/video_commands.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/secrets.h"
#include "common/process.h"
#include "video/gst_setup.h"
#include "video/output.h"
#include "video/player.h"
#include "video/rtsp_server.h"
#include "video/task.h"
#include "video/video_job.h"

namespace sightglass::video {

namespace {

// Options that are about how a pipeline runs, whatever it does.
struct RunArguments {
  bool json = false, print_pipeline = false, no_keys = false;
  std::optional<int> seconds;
  double patience = kPatience;
};

struct VideoArguments {
  std::string input, output, results, contact_sheet;
  CameraWishes wishes;
  std::string encoder;
  std::vector<std::string> properties;  // NAME=VALUE
  PropertyValues values;                // of the options that are properties
  RunArguments run;
};

void add_run_options(CLI::App& app, RunArguments& arguments) {
  app.add_option(
         "--seconds", arguments.seconds,
         "Stop after this time, of a file, an address, or a pipe in its own time; 0: at the end of the input or "
         "at Ctrl-C (10 if a camera or figures are written to a file, otherwise 0)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--patience", arguments.patience,
                 "Fail if no data flows for this time, in seconds; 0: wait for ever (" +
                     std::to_string(std::lround(kPatience)) + ")")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--json", arguments.json, "Report start, progress, and result as JSON lines on standard output");
  app.add_flag("--print-pipeline", arguments.print_pipeline, "Print the gst-launch-1.0 command line, and exit");
  app.add_flag("--no-keys", arguments.no_keys, "Do not read keys from the terminal");
}

void parse_size(const std::string& text, CameraWishes& wishes) {
  int end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &wishes.width, &wishes.height, &end) < 2 ||
      end != static_cast<int>(text.size()) || wishes.width < 1 || wishes.height < 1) {
    throw CLI::ValidationError("--size", "'" + text + "' is not a size; use 1280x720");
  }
}

}  // namespace

void add_input_options(CLI::App& app, std::string& input, CameraWishes& wishes) {
  app.add_option(
      "--input", input,
      "A camera (its number, path, or name, see `sightglass devices`), a file, an address (rtsp://…, "
      "https://…), screen, figures (rendered), or - (Y4M from standard input). Default: the first camera, or "
      "figures");
  app.add_option_function<std::string>(
         "--size", [&wishes](const std::string& text) { parse_size(text, wishes); }, "Frame size of a camera: 1280x720")
      ->type_name("WxH");
  app.add_option("--rate", wishes.rate, "Frame rate of a camera")->check(CLI::PositiveNumber);
}

void add_property_option(CLI::App& app, std::vector<std::string>& properties) {
  app.add_option("--property", properties,
                 "NAME=VALUE: a property of the element whose name is an option of this command; repeatable")
      ->allow_extra_args(false);
}

int exit_status_of(const Status& status) {
  if (status.ok()) return kSucceeded;
  fail(status);
  return status.code() == ErrorCode::kInvalidArgument ? kUsage : kFailed;
}

namespace {

void add_video_options(CLI::App& app, VideoArguments& arguments) {
  add_input_options(app, arguments.input, arguments.wishes);
  app.add_option(
      "--output", arguments.output,
      "window, a file (.mp4, .mkv, .mov, .webm, .y4m, .png, .jpg; frame-%05d.png for all frames), "
      "rtsp://:8554/NAME (a server), whip://HOST/PATH, /dev/videoN (v4l2loopback), none, or - (Y4M to standard "
      "output) (window)");
  app.add_option("--encoder", arguments.encoder,
                 "Encoder of a file or server in gst-launch syntax: \"vah264enc bitrate=4000 ! h264parse\" (the first "
                 "one installed)");
  app.add_option("--results-file", arguments.results, "Write results as JSON lines to this file; -: standard output");
  app.add_option("--contact-sheet", arguments.contact_sheet,
                 "Write a PNG file that shows a few frames and their results side by side");
  add_property_option(app, arguments.properties);
  add_run_options(app, arguments.run);
}

bool has_value(const PropertyValues& values, const char* name, const char* value) {
  const auto found = values.find(name);
  return found != values.end() && found->second == value;
}

bool same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  return std::filesystem::equivalent(one, other, error);
}

// No file is replaced that the job reads, and none is written twice. Devices and pipes may be.
Status check_files(const VideoJob& job) {
  std::vector<std::string> written;
  if (job.output.is_file()) written.push_back(job.output.name);
  if (job.results != "-") written.push_back(job.results);
  written.push_back(job.contact_sheet);
  std::vector<std::string> read = {job.input.name};
  for (const char* property : {"background-location", "model", "labels"}) {
    const auto found = job.properties.find(property);
    if (found != job.properties.end()) read.push_back(found->second);
  }
  std::error_code error;
  for (size_t i = 0; i < written.size(); ++i) {
    const std::string& name = written[i];
    if (name.empty() || (std::filesystem::exists(name, error) && !std::filesystem::is_regular_file(name, error)))
      continue;
    for (const std::string& other : read) {
      if (same_file(name, other)) return invalid_argument(name + ": is both the input and the output");
    }
    for (size_t j = 0; j < i; ++j) {
      if (name == written[j] || same_file(name, written[j])) return invalid_argument(name + ": is written twice");
    }
  }
  const auto images = job.output.kind == Output::Kind::kImages ? parse_numbered_name(job.output.name) : std::nullopt;
  for (const std::string& other : read) {
    if (images && images->matches(other)) {
      return invalid_argument(job.output.name + ": is both the input and the output, as " + other +
                              " is one of its names");
    }
  }
  return {};
}

Status check_outputs(const VideoJob& job, const RunArguments& run) {
  const bool pipe = job.output.name == "-";
  if ((pipe && (run.json || job.results == "-")) || (run.json && job.results == "-")) {
    return invalid_argument("standard output can have only one of frames, results, and --json");
  }
  return check_files(job);
}

PlayerSettings settings_of(const VideoJob& job, const VideoTask& task, const RunArguments& run) {
  PlayerSettings settings = input_settings(job.input, task);
  settings.output_name = job.output.name;
  // The source limits the number of rendered figures.
  const bool rendered = job.input.kind == Input::Kind::kFigures;
  settings.seconds = rendered ? 0 : job.limit();
  if (rendered) settings.duration = job.limit();
  settings.keys = settings.keys && !run.no_keys;
  settings.patience = run.patience;
  settings.first_frame_only = job.output.kind == Output::Kind::kStill;
  settings.completes = job.output.is_file() || job.output.kind == Output::Kind::kImages || !job.results.empty();
  return settings;
}

Status play_job(const VideoJob& job, const VideoTask& task, const RunArguments& run) {
  const std::string text = launch_text(job);
  if (run.print_pipeline) {
    if (job.output.kind == Output::Kind::kRtsp) {
      return invalid_argument("--print-pipeline: gst-launch-1.0 has no RTSP server; choose another --output");
    }
    if (job.input.cast) std::fprintf(stderr, "the descriptor of the screen is valid in this process only\n");
    std::printf("%s\n", without_secrets(shell_line(text)).c_str());
    return {};
  }
  PlaybackReport report(run.json ? ReportStyle::kJson : ReportStyle::kText);
  const PlayerSettings settings = settings_of(job, task, run);
  if (job.output.kind == Output::Kind::kRtsp) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const RtspAddress address, parse_rtsp_address(job.output.name));
    return serve_rtsp(text, address, settings, report);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const PlaybackResult result, run_job(job, settings, report));
  return result.incomplete.empty() ? Status() : device_error(result.incomplete);
}

Status check_results(const VideoTask& task, const std::string& results) {
  if (results == "-") SIGHTGLASS_RETURN_IF_ERROR(check_standard_output());
  if (has_results(task)) return {};
  return invalid_argument(std::string("--results-file: ") + task.name +
                          " finds masks, which are images; write them with --background mask --output mask-%05d.png");
}

Status run_task(const VideoTask& task, VideoArguments arguments) {
  VideoJob job;
  job.element = task.bin;
  job.results = arguments.results;
  job.contact_sheet = arguments.contact_sheet;
  job.seconds = arguments.run.seconds;
  job.properties = std::move(arguments.values);
  SIGHTGLASS_RETURN_IF_ERROR(add_properties(task.element, arguments.properties, job.properties));
  if (!job.results.empty()) SIGHTGLASS_RETURN_IF_ERROR(check_results(task, job.results));
  complete_properties(job.properties, !job.results.empty());
  const bool alpha = has_value(job.properties, "background", "transparent");
  SIGHTGLASS_ASSIGN_OR_RETURN(job.output, recognize_output(arguments.output, {arguments.encoder, alpha}));
  SIGHTGLASS_ASSIGN_OR_RETURN(job.input, recognize_input(arguments.input, arguments.wishes));
  SIGHTGLASS_RETURN_IF_ERROR(check_outputs(job, arguments.run));
  if (alpha && job.output.kind == Output::Kind::kVideo && !job.output.name.ends_with(".mov")) {
    std::fprintf(stderr, "%s: this kind of file has no transparency; use .mov, or frame-%%05d.png\n",
                 job.output.name.c_str());
  }
  const bool may_ask = !arguments.run.json && !arguments.run.print_pipeline;
  SIGHTGLASS_RETURN_IF_ERROR(choose_model(task, job.input, may_ask, job.properties));
  return play_job(job, task, arguments.run);
}

// The first element of Sightglass with a model in a pipeline; null if there is none.
ElementPtr find_model_element(GstElement* pipeline) {
  if (!GST_IS_BIN(pipeline)) return nullptr;
  for (const VideoTask& task : video_tasks()) {
    GstIterator* const elements = gst_bin_iterate_all_by_element_factory_name(GST_BIN(pipeline), task.element);
    GValue item = G_VALUE_INIT;
    ElementPtr found;
    if (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
      found.reset(GST_ELEMENT(g_value_dup_object(&item)));
      g_value_unset(&item);
    }
    gst_iterator_free(elements);
    if (found != nullptr) return found;
  }
  return nullptr;
}

struct PipelineArguments {
  std::vector<std::string> words;
  RunArguments run;
};

Status run_pipeline(const PipelineArguments& arguments) {
  std::string text;
  for (const std::string& word : arguments.words) text += (text.empty() ? "" : " ") + word;
  start_gstreamer();
  if (arguments.run.print_pipeline) {
    std::printf("%s\n", without_secrets(shell_line(text)).c_str());
    return {};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const ElementPtr pipeline, parse_launch(text));
  if (!GST_IS_BIN(pipeline.get())) return invalid_argument(text + ": is a single element, not a pipeline");
  const ElementPtr element = find_model_element(pipeline.get());
  PlayerSettings settings;
  settings.input_name = settings.output_name = "pipeline";
  settings.seconds = arguments.run.seconds.value_or(0);
  settings.patience = arguments.run.patience;
  settings.keys = !arguments.run.no_keys;
  PlaybackReport report(arguments.run.json ? ReportStyle::kJson : ReportStyle::kText);
  report.starting(text);
  const Playback playback = play(pipeline.get(), element.get(), settings, report);
  if (element != nullptr && playback.complete) report.finished(playback.result, "");
  return playback.status;
}

}  // namespace

void add_video_commands(CLI::App& app, std::vector<Subcommand>& subcommands) {
  for (const VideoTask& task : video_tasks()) {
    const auto arguments = std::make_shared<VideoArguments>();
    CLI::App* const command = app.add_subcommand(task.name, task.help);
    add_video_options(*command, *arguments);
    const auto prepare = [command, arguments, &task] {
      start_gstreamer();
      return add_element_options(*command, task.element, arguments->values);
    };
    command->preparse_callback([prepare](size_t) {
      if (const Status prepared = prepare(); !prepared.ok()) throw CLI::ValidationError(prepared.message());
    });
    subcommands.push_back(
        {command, [arguments, &task] { return exit_status_of(run_task(task, *arguments)); }, kFailed, prepare});
  }
  const auto arguments = std::make_shared<PipelineArguments>();
  CLI::App* const command = app.add_subcommand(
      "run-pipeline", "Run any pipeline in gst-launch syntax, with the keys and reports of the other subcommands");
  command->add_option("PIPELINE", arguments->words, "The pipeline, as for gst-launch-1.0")->required();
  add_run_options(*command, arguments->run);
  subcommands.push_back({command, [arguments] { return exit_status_of(run_pipeline(*arguments)); }});
}

}  // namespace sightglass::video
