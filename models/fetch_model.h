// Downloads published models. Separate from model_store.h, so that only the command needs libcurl.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model_store.h"
#include "sightglass/status.h"

namespace sightglass {

struct FetchOptions {
  // URL of a directory with the files under their publisher's names, http or https; empty: the publisher's URL of each
  // model, https only. Messages never contain its user and password.
  std::string mirror;
  int stall_seconds = 30;    // aborts after so long with less than a KiB per second
  int total_seconds = 3600;  // aborts a file that is not complete by then
  // Called regularly with the current activity, bytes present and total bytes (0: unknown); may be empty.
  std::function<void(const std::string& what, int64_t done, int64_t total)> progress;
};

struct FetchedModel {
  std::string path;
  bool downloaded = false;  // otherwise it was present already
};

// Downloads a model into the store unless a verified file is there. Blocks. A file gets its final name only after its
// checksum was verified; a wrong file is deleted. An interrupted download stays as FILE.part, and the next call resumes
// it. Calls for the same file, from any threads and processes, wait for one another. The process must ignore SIGPIPE,
// because a server may close a TLS connection. Errors name the URL or file, and a fix.
Result<FetchedModel> fetch_model(const ModelStore& store, const KnownModel& model, const FetchOptions& options);

}  // namespace sightglass
