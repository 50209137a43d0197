// A partially downloaded file, locked by one process at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "sightglass/status.h"

namespace sightglass {

class PartFile {
 public:
  // Opens or creates the file and locks it. If another process has the lock, calls `waiting` once and then waits.
  static Result<PartFile> open(const std::string& path, const std::function<void()>& waiting);
  ~PartFile();
  PartFile(PartFile&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  PartFile& operator=(PartFile&&) = delete;

  const std::string& path() const { return path_; }
  int64_t size() const;
  Status append(std::span<const char> bytes);
  Status clear();
  // The data reach the disk before the new name does, and that does before this returns. A process that waits for the
  // lock finds the file gone and opens a new one.
  Status rename_to(const std::string& path);
  void remove();

 private:
  PartFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  Status failure(const std::string& what) const;  // from errno

  std::string path_;
  int file_;
};

}  // namespace sightglass
