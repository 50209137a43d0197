#include "video/batch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/process.h"
#include "gpu_engine/quoted.h"
#include "video/output_file.h"
#include "video/stream_control.h"
#include "video/task.h"
#include "video/video_job.h"

namespace sightglass::video {

namespace {

namespace fs = std::filesystem;

bool is_video(const fs::path& path) {
  constexpr std::array<std::string_view, 13> kEndings = {".avi", ".flv", ".m2ts", ".m4v", ".mkv",  ".mov", ".mp4",
                                                         ".mpg", ".mts", ".ogv",  ".ts",  ".webm", ".wmv"};
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

bool read_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Adds the files of one folder, and the subfolders that are left to read.
class Walk {
 public:
  Walk(const fs::path& without, std::vector<std::string>* problems) : without_(without), problems_(problems) {}

  // Fails if the folder cannot be read.
  Status read(const fs::path& folder) {
    SIGHTGLASS_RETURN_IF_ERROR(read_one(folder, {}));
    while (!left_.empty()) {
      const fs::path name = std::move(left_.back());
      left_.pop_back();
      const Status status = read_one(folder / name, name);
      if (!status.ok()) add_problem(status.message() + "; its files are left out");
    }
    return {};
  }
  std::vector<BatchFile> take() { return std::move(files_); }

 private:
  void add_problem(std::string text) {
    if (problems_ != nullptr) problems_->push_back(std::move(text));
  }

  Status read_one(const fs::path& folder, const fs::path& name) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
      add(*entry, name / entry->path().filename());
    return error ? device_error(folder.string() + ": " + error.message()) : Status();
  }

  void add(const fs::directory_entry& entry, const fs::path& name) {
    std::error_code ignored;
    const bool link = entry.is_symlink(ignored);
    if (entry.is_directory(ignored)) {
      const bool results = is_same(entry.path(), without_);
      if (!link && !results) left_.push_back(name);
      // It may lead out of the folder, or around in a circle.
      if (link && !results) add_problem(entry.path().string() + ": links to directories are not followed");
      return;
    }
    // A link that leads nowhere is a file that fails.
    if (!is_video(name) || !(link || entry.is_regular_file(ignored))) return;
    if (link && is_inside(entry.path(), without_)) return;
    files_.push_back({entry.path(), name});
  }

  static bool is_same(const fs::path& one, const fs::path& other) {
    std::error_code error;
    return fs::equivalent(one, other, error) && !error;
  }

  const fs::path& without_;
  std::vector<std::string>* const problems_;
  std::vector<fs::path> left_;  // relative to the first folder
  std::vector<BatchFile> files_;
};

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string::npos || !read_number(std::string_view(text).substr(0, slash), shard.index) ||
      !read_number(std::string_view(text).substr(slash + 1), shard.count) || shard.index < 0 ||
      shard.index >= shard.count) {
    return invalid_argument("'" + text + "' is not a shard; use INDEX/COUNT with INDEX from 0, such as 0/8");
  }
  return shard;
}

Result<std::vector<BatchFile>> list_batch(const fs::path& folder, const fs::path& without, const Shard& shard,
                                          std::vector<std::string>* problems) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return not_found(folder.string() + ": is not a directory");
  Walk walk(without, problems);
  SIGHTGLASS_RETURN_IF_ERROR(walk.read(folder));
  std::vector<BatchFile> all = walk.take();
  std::sort(all.begin(), all.end(), [](const BatchFile& a, const BatchFile& b) { return a.name < b.name; });
  std::vector<BatchFile> chosen;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % static_cast<size_t>(shard.count) == static_cast<size_t>(shard.index)) chosen.push_back(std::move(all[i]));
  }
  return chosen;
}

fs::path batch_output(const BatchFile& file, const fs::path& output, const std::string& ending) {
  fs::path path = output / file.name;
  // The result of "clip.avi" is "clip.avi.mp4", so that of "clip.avi.mp4" needs another name.
  if (path.extension() != ending || is_video(file.name.stem())) path += ending;
  return path;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(path, error);
  if (error) return false;
  const fs::path outer = fs::weakly_canonical(folder, error);
  if (error) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

Status make_result_folder(const fs::path& result, const fs::path& output) {
  const fs::path folder = result.parent_path();
  const auto outside = [&] {
    return device_error(folder.string() + ": leads out of " + output.string() + "; remove the link");
  };
  // Before something is created, and again for what exists now.
  if (!is_inside(folder, output)) return outside();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return device_error(folder.string() + ": cannot create this directory: " + error.message());
  return is_inside(folder, output) ? Status() : outside();
}

namespace {

std::string line_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The text after the last line end; longer than any line that this program writes.
constexpr off_t kMostOfEnd = 65536;

Status failure(const std::string& path, int reason = errno) {
  return device_error(path + ": " + std::strerror(reason));
}

// A process that was killed, or a full disk, may have left a part of a line. It is removed, so that the next line
// begins on a line of its own. A complete line only lacks its end.
Status complete_last_line(int descriptor, const std::string& path) {
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  if (size < 0) return failure(path);
  const off_t begin = std::max<off_t>(0, size - kMostOfEnd);
  std::string end(static_cast<size_t>(size - begin), '\0');
  if (::pread(descriptor, end.data(), end.size(), begin) != static_cast<ssize_t>(end.size())) return failure(path, EIO);
  const size_t line_end = end.rfind('\n');
  const std::string last = end.substr(line_end == std::string::npos ? 0 : line_end + 1);
  if (last.empty()) return {};
  if (nlohmann::json::accept(last)) return ::write(descriptor, "\n", 1) == 1 ? Status() : failure(path);
  const off_t whole = size - static_cast<off_t>(last.size());
  if (whole > 0 && line_end == std::string::npos) return device_error(path + ": is not a manifest; move it away");
  return ::ftruncate(descriptor, whole) == 0 ? Status() : failure(path);
}

}  // namespace

Result<BatchManifest> BatchManifest::open(const std::filesystem::path& output, const Shard& shard) {
  const std::string name =
      shard.count == 1 ? "manifest.jsonl"
                       : "manifest-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count) + ".jsonl";
  const std::string path = (output / name).string();
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
  if (descriptor < 0) return failure(path);
  BatchManifest manifest(path, descriptor);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return failure(path);
  if (!S_ISREG(info.st_mode)) return device_error(path + ": is not a regular file; remove it");
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return device_error(path + ": another process works on this batch or shard");
  }
  SIGHTGLASS_RETURN_IF_ERROR(complete_last_line(descriptor, path));
  return manifest;
}

BatchManifest::BatchManifest(BatchManifest&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

BatchManifest::~BatchManifest() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status BatchManifest::append(const std::string& line) const {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int reason = errno;
      // No other process writes to the file.
      if (before >= 0 && ::ftruncate(descriptor_, before) != 0) return failure(path_);
      return failure(path_, reason);
    }
    rest.remove_prefix(static_cast<size_t>(written));
  }
  return ::fdatasync(descriptor_) == 0 ? Status() : failure(path_);
}

Status BatchManifest::add_done(const BatchFile& file, const std::filesystem::path& output,
                               const PlaybackResult& result) {
  nlohmann::ordered_json line = {{"status", result.incomplete.empty() ? "done" : "incomplete"},
                                 {"input", file.name.string()},
                                 {"output", output.string()},
                                 {"frames", result.frames},
                                 {"width", result.width},
                                 {"height", result.height},
                                 {"seconds", result.seconds}};
  if (!result.incomplete.empty()) line["error"] = result.incomplete;
  return append(line_of(line));
}

Status BatchManifest::add_failed(const BatchFile& file, const std::string& error) {
  return append(line_of({{"status", "failed"}, {"input", file.name.string()}, {"error", error}}));
}

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
