// A failure with the HTTP status of its reply.
#pragma once

#include <string>

namespace sightglass::serve {

struct HttpError {
  int status = 200;  // 200: no error
  std::string message;

  bool ok() const { return status == 200; }
};

}  // namespace sightglass::serve
