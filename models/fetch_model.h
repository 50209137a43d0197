// Downloads published models: from their publisher, or out of packages. Separate from model_store.h, so that only the
// command needs libcurl.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model_store.h"
#include "sightglass/status.h"

namespace sightglass {

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

}  // namespace sightglass
