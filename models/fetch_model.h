// Downloads published models: from their publisher, or out of packages. Separate from model_store.h, so that only the
// command needs libcurl.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "model_store.h"
#include "sightglass/status.h"

namespace sightglass {

// A partially downloaded file, locked by one process at a time.
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

struct FetchOptions {
  // URL of a directory with the files under their publisher's names, http or https: the only source then. Empty: the
  // publisher's URL of each model, https only, then its package. Messages never contain its user and password.
  std::string mirror;
  int stall_seconds = 30;    // aborts after so long with less than a KiB per second
  int total_seconds = 3600;  // aborts a file that is not complete by then
  // Called regularly with the current activity, bytes present and total bytes (0: unknown); may be empty.
  std::function<void(const std::string& what, int64_t done, int64_t total)> progress;
  // Called when a source failed and the next one is tried, with both; may be empty.
  std::function<void(const std::string& line)> notice{};
  // Shared by the calls of one command: whether the publisher's server was out of reach, so that the next call does not
  // wait for it again. May be null.
  bool* publisher_unreachable = nullptr;
};

struct FetchedModel {
  std::string path;
  bool downloaded = false;  // otherwise it was present already
  std::string source{};     // of the download: "https://…", or "the npm package @mediapipe/hands@0.4.1675469240"
};

// Downloads a model into the store unless a verified file is there. Blocks. A file gets its final name only after its
// checksum was verified; a wrong file is deleted. An interrupted download stays as FILE.part, and the next call resumes
// it. Calls for the same file, from any threads and processes, wait for one another. The process must ignore SIGPIPE,
// because a server may close a TLS connection. Errors name the URL or file, and a fix.
Result<FetchedModel> fetch_model(const ModelStore& store, const KnownModel& model, const FetchOptions& options);

// Downloads a model from a web server.

// Location of a file. The credentials are separate from the address, so that no message and no library can show them.
struct HttpSource {
  std::string address, user, password;
};

// The file in the directory with that URL.
Result<HttpSource> mirror_source(const std::string& mirror, const std::string& file);

struct HttpDownload {
  Status status;            // errors state the reason, without the URL
  bool was_reached = true;  // whether the server answered
};
// Downloads until the checksum is correct. On failure, leaves in the file whatever the next call can resume from.
HttpDownload download(PartFile& part, const KnownModel& model, const FetchOptions& options, const HttpSource& source);

}  // namespace sightglass
