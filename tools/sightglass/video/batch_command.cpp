#include "video/batch_command.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/interrupts.h"
#include "gpu_engine/quoted.h"
#include "video/batch_files.h"
#include "video/batch_manifest.h"
#include "video/run_job.h"
#include "video/stream_end.h"
#include "video/task_commands.h"
#include "video/unfinished_file.h"

namespace sightglass::video {

namespace {

namespace fs = std::filesystem;

struct BatchArguments : TaskArguments {
  std::string folder, output, format = "mp4", encoder, shard = "0/1";
  bool force = false;
};

// Counts of files.
struct Outcome {
  int done = 0, skipped = 0, failed = 0, incomplete = 0;
  bool interrupted = false;
};

class Batch {
 public:
  Batch(const BatchArguments& arguments, BatchManifest manifest)
      : arguments_(arguments), manifest_(std::move(manifest)) {}

  Status run(const std::vector<BatchFile>& files);
  const Outcome& outcome() const { return outcome_; }
  const std::string& manifest() const { return manifest_.path(); }

 private:
  // Whether this process is done with the file. Otherwise another process works on it.
  Result<bool> finish(const BatchFile& file, const std::string& place);
  bool ends();
  bool is_there(const fs::path& output) const;
  Result<PlaybackResult> process(const BatchFile& file, const fs::path& output, UnfinishedFile result);
  Status add_failed(const BatchFile& file, const Status& status);

  const BatchArguments& arguments_;
  BatchManifest manifest_;
  Outcome outcome_;
  bool hint_shown_ = false;
};

Result<PlaybackResult> Batch::process(const BatchFile& file, const fs::path& output, UnfinishedFile result) {
  const VideoTask& task = *arguments_.task;
  VideoJob job;
  job.element = task.bin;
  job.properties = arguments_.values;
  SIGHTGLASS_RETURN_IF_ERROR(add_properties(task.element, arguments_.properties, job.properties));
  complete_properties(job.properties, false);
  const auto background = job.properties.find("background");
  const bool alpha = background != job.properties.end() && background->second == "transparent";
  SIGHTGLASS_ASSIGN_OR_RETURN(job.output, recognize_output(output.string(), {arguments_.encoder, alpha}));
  SIGHTGLASS_ASSIGN_OR_RETURN(job.input, recognize_input(file.input.string(), {}));
  if (!job.properties.contains("model")) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const DefaultModel model, default_model(task, job.input));
    job.properties["model"] = model.name;
    if (!model.hint.empty() && !hint_shown_) std::fprintf(stderr, "%s\n", model.hint.c_str());
    if (!model.notice.empty() && !job.properties.contains("notice")) job.properties["notice"] = model.notice;
    hint_shown_ = true;
  }
  PlayerSettings settings = input_settings(job.input, task);
  settings.output_name = job.output.name;
  settings.keys = false;
  settings.interrupted = [this] { outcome_.interrupted = true; };
  PlaybackReport report(ReportStyle::kText);
  return run_job(job, settings, report, std::move(result));
}

bool Batch::ends() {
  if (interrupt_signal() != 0) outcome_.interrupted = true;
  // Whatever hangs, such as a driver, would hang for the next file, too.
  return outcome_.interrupted || has_hung_pipeline();
}

// Files have their names only when they are complete.
bool Batch::is_there(const fs::path& output) const {
  std::error_code error;
  return !arguments_.force && fs::is_regular_file(output, error);
}

Status Batch::add_failed(const BatchFile& file, const Status& status) {
  ++outcome_.failed;
  fail(status);
  return manifest_.add_failed(file, status.message());
}

Result<bool> Batch::finish(const BatchFile& file, const std::string& place) {
  const fs::path output = batch_output(file, arguments_.output, "." + arguments_.format);
  if (is_there(output)) {
    ++outcome_.skipped;
    return true;
  }
  using Claim = Result<std::optional<UnfinishedFile>>;
  const Status ready = make_result_folder(output, arguments_.output);
  Claim claim = ready.ok() ? UnfinishedFile::claim(output.string()) : Claim(ready);
  if (claim.ok() && !claim->has_value()) return false;
  // Another process may have completed it before this one claimed it.
  if (is_there(output)) {
    ++outcome_.skipped;
    return true;
  }
  std::fprintf(stderr, "%s %s\n", place.c_str(), printable(file.name.string()).c_str());
  if (!claim.ok()) {
    SIGHTGLASS_RETURN_IF_ERROR(add_failed(file, claim.status()));
    return true;
  }
  const auto played = process(file, output, **std::move(claim));
  if (outcome_.interrupted) return true;
  if (!played.ok()) {
    SIGHTGLASS_RETURN_IF_ERROR(add_failed(file, played.status()));
    return true;
  }
  ++(played->incomplete.empty() ? outcome_.done : outcome_.incomplete);
  SIGHTGLASS_RETURN_IF_ERROR(manifest_.add_done(file, output, *played));
  return true;
}

Status Batch::run(const std::vector<BatchFile>& files) {
  const auto place = [&](size_t i) { return "[" + std::to_string(i + 1) + "/" + std::to_string(files.size()) + "]"; };
  std::vector<size_t> busy;
  for (size_t i = 0; i < files.size() && !ends(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const bool finished, finish(files[i], place(i)));
    if (!finished) busy.push_back(i);
  }
  constexpr auto kPause = std::chrono::milliseconds(200);
  for (const size_t i : busy) {
    bool told = false;
    while (!ends()) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const bool finished, finish(files[i], place(i)));
      if (finished) break;
      if (!std::exchange(told, true)) {
        std::fprintf(stderr, "%s %s: another process works on it; waiting\n", place(i).c_str(),
                     printable(files[i].name.string()).c_str());
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  return {};
}

Result<Outcome> run_batch(const BatchArguments& arguments) {
  if (arguments.folder.empty() || arguments.output.empty()) {
    return invalid_argument("batch needs a directory and --output DIRECTORY");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shard shard, parse_shard(arguments.shard));
  start_gstreamer();
  SIGHTGLASS_RETURN_IF_ERROR(need_element(arguments.task->bin));
  std::vector<std::string> problems;
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto files, list_batch(arguments.folder, arguments.output, shard, &problems));
  std::error_code error;
  fs::create_directories(arguments.output, error);
  if (error) return device_error(arguments.output + ": " + error.message());
  if (fs::equivalent(arguments.folder, arguments.output, error)) {
    return invalid_argument(arguments.output + ": is both the input and the output directory");
  }
  if (is_inside(arguments.folder, arguments.output)) {
    return invalid_argument(arguments.output + ": contains the input directory; choose another one for the results");
  }
  for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", printable(problem).c_str());
  SIGHTGLASS_ASSIGN_OR_RETURN(BatchManifest manifest, BatchManifest::open(arguments.output, shard));
  catch_interrupts();
  Batch batch(arguments, std::move(manifest));
  SIGHTGLASS_RETURN_IF_ERROR(batch.run(files));
  const Outcome& outcome = batch.outcome();
  const std::string incomplete =
      outcome.incomplete > 0 ? ", " + std::to_string(outcome.incomplete) + " incomplete" : std::string();
  std::fprintf(stderr, "%zu files: %d done, %d already there, %d failed%s%s; see %s\n", files.size(), outcome.done,
               outcome.skipped, outcome.failed, incomplete.c_str(),
               outcome.interrupted ? "; interrupted, run it again to continue" : "", batch.manifest().c_str());
  return outcome;
}

int run_and_report(const BatchArguments& arguments) {
  const auto outcome = run_batch(arguments);
  if (!outcome.ok()) return exit_status_of(outcome.status());
  return outcome->failed + outcome->incomplete > 0 || outcome->interrupted ? kFailed : kSucceeded;
}

// A word that is no directory may be meant as a task.
std::string check_folder(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error) || folder.find('/') != std::string::npos) return {};
  std::string tasks;
  for (const VideoTask& task : video_tasks()) tasks += std::string(tasks.empty() ? "" : ", ") + task.name;
  return folder + " is neither a directory nor a task: " + tasks;
}

void add_options(BatchArguments& arguments) {
  CLI::App& app = *arguments.command;
  app.add_option("DIRECTORY", arguments.folder, "Video files, also in subdirectories")->check(check_folder, "");
  app.add_option("--output", arguments.output, "Directory for the results and a manifest in JSON lines");
  app.add_option("--format", arguments.format, "Container of the results (mp4)")
      ->check(CLI::IsMember({"mp4", "mkv", "mov", "webm"}));
  app.add_option("--encoder", arguments.encoder, "Encoder in gst-launch syntax (the first one installed)");
  app.add_option("--shard", arguments.shard,
                 "INDEX/COUNT: process only every COUNTth file, for array jobs; INDEX is from 0 (0/1)");
  app.add_flag("--force", arguments.force, "Process files again whose results exist");
}

}  // namespace

void add_batch_command(CLI::App& app, std::vector<Subcommand>& subcommands) {
  CLI::App* const command =
      app.add_subcommand("batch",
                         "Process all video files of a directory (`batch segment` unless a task is named). A failure "
                         "does not stop it, and a new run continues where the last one stopped");
  add_task_commands<BatchArguments>(*command, subcommands, add_options, run_and_report);
}

}  // namespace sightglass::video
