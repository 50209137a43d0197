#include "video/batch_command.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "video/batch_files.h"
#include "video/batch_manifest.h"
#include "video/gst_setup.h"
#include "video/run_job.h"
#include "video/task.h"

namespace sightglass::video {

namespace {

namespace fs = std::filesystem;

struct BatchArguments {
  std::string folder, output, task = "segment", format = "mp4", encoder, shard = "0/1";
  std::vector<std::string> properties;
  bool force = false;
};

const VideoTask& task_of(const std::string& name) {
  for (const VideoTask& task : video_tasks()) {
    if (name == task.name) return task;
  }
  return video_tasks().front();
}

// Counts of files.
struct Outcome {
  int done = 0, skipped = 0, failed = 0;
  bool interrupted = false;
};

class Batch {
 public:
  Batch(const BatchArguments& arguments, const VideoTask& task, BatchManifest manifest)
      : arguments_(arguments), task_(task), manifest_(std::move(manifest)) {}

  Status run(const std::vector<BatchFile>& files);
  const Outcome& outcome() const { return outcome_; }
  const std::string& manifest() const { return manifest_.path(); }

 private:
  Result<PlaybackResult> process(const BatchFile& file, const fs::path& output);

  const BatchArguments& arguments_;
  const VideoTask& task_;
  BatchManifest manifest_;
  Outcome outcome_;
};

Result<PlaybackResult> Batch::process(const BatchFile& file, const fs::path& output) {
  VideoJob job;
  job.element = task_.bin;
  SIGHTGLASS_RETURN_IF_ERROR(add_properties(arguments_.properties, job.properties));
  complete_properties(job.properties, false);
  std::error_code error;
  fs::create_directories(output.parent_path(), error);
  const auto background = job.properties.find("background");
  const bool alpha = background != job.properties.end() && background->second == "transparent";
  SIGHTGLASS_ASSIGN_OR_RETURN(job.output, recognize_output(output.string(), {arguments_.encoder, alpha}));
  SIGHTGLASS_ASSIGN_OR_RETURN(job.input, recognize_input(file.input.string(), {}));
  if (!job.properties.contains("model")) {
    SIGHTGLASS_ASSIGN_OR_RETURN(job.properties["model"], default_model(task_, job.input));
  }
  PlayerSettings settings = input_settings(job.input, task_);
  settings.output_name = job.output.name;
  settings.keys = false;
  settings.interrupted = [this] { outcome_.interrupted = true; };
  PlaybackReport report(ReportStyle::kText);
  return run_job(job, settings, report);
}

Status Batch::run(const std::vector<BatchFile>& files) {
  for (size_t i = 0; i < files.size() && !outcome_.interrupted; ++i) {
    const fs::path output = batch_output(files[i], arguments_.output, "." + arguments_.format);
    std::error_code error;
    // Files have their names only when they are complete.
    if (!arguments_.force && fs::exists(output, error)) {
      ++outcome_.skipped;
      continue;
    }
    std::fprintf(stderr, "[%zu/%zu] %s\n", i + 1, files.size(), files[i].name.c_str());
    const auto result = process(files[i], output);
    if (outcome_.interrupted) break;
    if (result.ok()) {
      ++outcome_.done;
      SIGHTGLASS_RETURN_IF_ERROR(manifest_.add_done(files[i], output, *result));
    } else {
      ++outcome_.failed;
      fail(result.status());
      SIGHTGLASS_RETURN_IF_ERROR(manifest_.add_failed(files[i], result.status().message()));
    }
  }
  return {};
}

Result<Outcome> run_batch(const BatchArguments& arguments) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shard shard, parse_shard(arguments.shard));
  const VideoTask& task = task_of(arguments.task);
  start_gstreamer();
  SIGHTGLASS_RETURN_IF_ERROR(need_element(task.bin));
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto files, list_batch(arguments.folder, arguments.output, shard));
  std::error_code error;
  fs::create_directories(arguments.output, error);
  if (error) return device_error(arguments.output + ": " + error.message());
  if (fs::equivalent(arguments.folder, arguments.output, error)) {
    return invalid_argument(arguments.output + ": is both the input and the output directory");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(BatchManifest manifest, BatchManifest::open(arguments.output, shard));
  Batch batch(arguments, task, std::move(manifest));
  SIGHTGLASS_RETURN_IF_ERROR(batch.run(files));
  const Outcome& outcome = batch.outcome();
  std::fprintf(stderr, "%zu files: %d done, %d already there, %d failed%s; see %s\n", files.size(), outcome.done,
               outcome.skipped, outcome.failed, outcome.interrupted ? "; interrupted, run it again to continue" : "",
               batch.manifest().c_str());
  return outcome;
}

}  // namespace

void add_batch_command(CLI::App& app, std::vector<Subcommand>& subcommands) {
  const auto arguments = std::make_shared<BatchArguments>();
  CLI::App* const command = app.add_subcommand("batch",
                                               "Process all video files of a directory. A failure does not stop it, "
                                               "and a new run continues where the last one stopped");
  command->add_option("DIRECTORY", arguments->folder, "Video files, also in subdirectories")->required();
  command->add_option("--output", arguments->output, "Directory for the results and a manifest in JSON lines")
      ->required();
  std::vector<std::string> tasks;
  for (const VideoTask& task : video_tasks()) tasks.emplace_back(task.name);
  command->add_option("--task", arguments->task, "The subcommand to run (segment)")->check(CLI::IsMember(tasks));
  command->add_option("--format", arguments->format, "Container of the results (mp4)")
      ->check(CLI::IsMember({"mp4", "mkv", "mov", "webm"}));
  command->add_option("--encoder", arguments->encoder, "Encoder in gst-launch syntax (the first one installed)");
  command->add_option("--property", arguments->properties, "NAME=VALUE: a property of the element; repeatable")
      ->allow_extra_args(false);
  command->add_option("--shard", arguments->shard,
                      "INDEX/COUNT: process only every COUNTth file, for array jobs; INDEX is from 0 (0/1)");
  command->add_flag("--force", arguments->force, "Process files again whose results exist");
  subcommands.push_back({command, [arguments] {
                           const auto outcome = run_batch(*arguments);
                           if (!outcome.ok()) {
                             fail(outcome.status());
                             return outcome.status().code() == ErrorCode::kInvalidArgument ? kUsage : kFailed;
                           }
                           return outcome->failed > 0 || outcome->interrupted ? kFailed : kSucceeded;
                         }});
}

}  // namespace sightglass::video
