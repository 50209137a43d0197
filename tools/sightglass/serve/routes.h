// The addresses of the server. page/openapi.json describes them.
#pragma once

#include <span>
#include <string_view>

namespace sightglass::serve {

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

}  // namespace sightglass::serve
