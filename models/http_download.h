// Downloads a model from a web server.
#pragma once

#include <string>

#include "fetch_model.h"
#include "part_file.h"

namespace sightglass {

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
