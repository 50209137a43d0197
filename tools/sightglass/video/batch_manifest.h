// The record of a batch: one JSON object per file and line. Appended only, and locked against a second process.
#pragma once

#include <filesystem>
#include <string>

#include "sightglass/status.h"
#include "video/batch_files.h"
#include "video/playback_report.h"

namespace sightglass::video {

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

}  // namespace sightglass::video
