// HTTP statuses, and a failure with the status of its reply.
#pragma once

#include <string>

namespace sightglass::serve {

// Of replies.
inline constexpr int kOk = 200, kSeeOther = 303, kBadRequest = 400, kUnauthorized = 401, kForbidden = 403,
                     kNotFound = 404, kNotAllowed = 405, kConflict = 409, kLengthRequired = 411, kTooLarge = 413,
                     kWrongType = 415, kTooManyHeaders = 431, kInternal = 500, kUnavailable = 503;

struct HttpError {
  int status = kOk;  // kOk: no error
  std::string message;

  bool ok() const { return status == kOk; }
};

}  // namespace sightglass::serve
