// `sightglass batch`: many files, one after the other, in as many processes as wanted.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "sightglass/status.h"
#include "video/playback_report.h"

namespace sightglass::video {

// The files of a batch: inputs, outputs, and their distribution.
struct Shard {
  int index = 0, count = 1;  // index from 0 to count - 1
};
// "2/8". The error names the text.
Result<Shard> parse_shard(const std::string& text);

struct BatchFile {
  std::filesystem::path input;
  std::filesystem::path name;  // relative to the folder, as found there: links are not resolved
};
// The video files of a folder and its subfolders that belong to the shard, by name, including links to files. All
// shards see the same order. Files below `without` are left out: the output folder may be inside the input folder.
// Links to folders are not followed. `problems`, which may be null, receives a line for each subfolder that is left
// out.
Result<std::vector<BatchFile>> list_batch(const std::filesystem::path& folder, const std::filesystem::path& without,
                                          const Shard& shard, std::vector<std::string>* problems = nullptr);

// "clip.mp4" becomes OUTPUT/clip.mp4, "sub/clip.avi" becomes OUTPUT/sub/clip.avi.mp4, and "clip.avi.mp4" becomes
// OUTPUT/clip.avi.mp4.mp4: names stay distinct, whatever other files there are.
std::filesystem::path batch_output(const BatchFile& file, const std::filesystem::path& output,
                                   const std::string& ending);

// Creates the folder of a result. Fails if it is outside the output folder, as links there could make it.
Status make_result_folder(const std::filesystem::path& result, const std::filesystem::path& output);

// Whether `path` is in `folder` or is the folder. Links are resolved.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

// The record of a batch: one JSON object per file and line. Appended only, and locked against a second process.
class BatchManifest {
 public:
  // Opens OUTPUT/manifest.jsonl, or manifest-INDEX-of-COUNT.jsonl. Fails if another process works on the shard.
  static Result<BatchManifest> open(const std::filesystem::path& output, const Shard& shard);
  ~BatchManifest();
  BatchManifest(BatchManifest&& other) noexcept;
  BatchManifest& operator=(BatchManifest&&) = delete;

  const std::string& path() const { return path_; }
  // Each line is on the disk when these return.
  Status add_done(const BatchFile& file, const std::filesystem::path& output, const PlaybackResult& result);
  Status add_failed(const BatchFile& file, const std::string& error);

 private:
  BatchManifest(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Status append(const std::string& line) const;
  std::string path_;
  int descriptor_;
};

// `sightglass batch`: many files, one after the other.

void add_batch_command(CLI::App& app, std::vector<Subcommand>& subcommands);

}  // namespace sightglass::video
