// Downloads of published models. Apart from model_store.h, so that only the command needs a network library.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gpu_engine/status.h"
#include "model_store.h"

namespace sightglass {

struct FetchOptions {
  // Address of a folder with the files under their publisher's names, with http or https; empty: the models' own
  // addresses, with https alone. Its user and password, if it has any, are in no message.
  std::string mirror;
  int stall_seconds = 30;    // gives up when less than a KiB per second has come for so long
  int total_seconds = 3600;  // gives up a file that is not there by then
  // Called now and then with what goes on, bytes that are there and bytes in all (0: not known); may be empty.
  std::function<void(const std::string& what, int64_t done, int64_t total)> progress;
};

struct FetchedModel {
  std::string path;
  bool downloaded = false;  // else it was there already
};

// Puts the file of a model with an address into the store, unless a verified one is there. Blocks. The file gets its
// name only after its checksum was found right; one that is wrong is deleted. What came of a download that breaks off
// stays as FILE.part, and the next call goes on with it. Callers in any threads and processes wait for one another
// where they want the same file. The process must ignore SIGPIPE, since a server may hang up on a safe connection.
// Fails, naming address or file and what would help.
Result<FetchedModel> fetch_model(const ModelStore& store, const KnownModel& model, const FetchOptions& options);

}  // namespace sightglass
