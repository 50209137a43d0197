// Which heads of requests the server reads: those that every server and proxy reads in the same way.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "serve/http_error.h"

namespace sightglass::serve {

constexpr size_t kMaxBody = 64 * 1024;  // of a request, in bytes
constexpr size_t kMaxHeaders = 100;

struct Header {
  std::string_view name, value;
};

// Rejects repeated headers, lengths that are not plain numbers, bodies without a length, and what is too large.
HttpError check_head(std::span<const Header> headers);
// Whether a request may have a body, valid or not.
bool announces_body(std::span<const Header> headers);

}  // namespace sightglass::serve
