// Hands a random token to the user when standard error is not a terminal: it may end in a log.
#pragma once

#include <cstdint>
#include <string>

#include "sightglass/status.h"

namespace sightglass::serve {

// A file that only this user can read. It is removed at the end.
class TokenFile {
 public:
  TokenFile() = default;
  ~TokenFile();
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

  // In the runtime directory of the service or of the user.
  Status write(const std::string& token, uint16_t port);
  // Empty: was not written.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sightglass::serve
