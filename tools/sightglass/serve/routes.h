// The addresses of the server. page/openapi.json describes them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sightglass::serve {

// HTTP statuses, and a failure with the status of its reply.

// Of replies.
inline constexpr int kOk = 200, kSeeOther = 303, kBadRequest = 400, kUnauthorized = 401, kForbidden = 403,
                     kNotFound = 404, kNotAllowed = 405, kConflict = 409, kLengthRequired = 411, kTooLarge = 413,
                     kWrongType = 415, kTooManyHeaders = 431, kInternal = 500, kUnavailable = 503;

struct HttpError {
  int status = kOk;  // kOk: no error
  std::string message;

  bool ok() const { return status == kOk; }
};

enum class Action {
  kFile,  // of the page, embedded in the program
  kGetProperties,
  kPutProperties,
  kStats,
  kResults,
  kPicture,
  kStill,
  kOffer,
  kHealth,
  kMetrics,
};

enum class Access { kToken, kAnyone };

struct Route {
  std::string_view path;
  std::string_view method;  // GET includes HEAD, unless the reply is a stream
  Action action;
  Access access = Access::kToken;
  std::string_view file = {};  // for kFile
  std::string_view type = {};  // for kFile
};

std::span<const Route> all_routes();

constexpr bool is_stream(Action action) { return action == Action::kResults || action == Action::kPicture; }

// The route of a request; null if there is none. `path_known`: whether the path has other methods.
const Route* find_route(std::string_view path, std::string_view method, bool& path_known);

// The files of the page, embedded in the program.

// Empty if there is no such file.
std::string_view page_file(std::string_view name);

}  // namespace sightglass::serve
