// Where the server listens, which heads of requests it reads, and which requests it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/routes.h"
#include "sightglass/status.h"

namespace sightglass::serve {

// The --listen of `sightglass serve`.
struct ListenAddress {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 address
  uint16_t port = 8080;

  bool loopback() const;    // whether only this machine can connect
  std::string url() const;  // "http://localhost:8080", for the browser on this machine
};

// "127.0.0.1:8080", "0.0.0.0:8080", "[::]:8080", ":8080" (all addresses), "192.168.1.5", or "localhost".
Result<ListenAddress> parse_listen_address(const std::string& text);

// Which heads of requests the server reads: those that every server and proxy reads in the same way.

constexpr size_t kMaxBody = 64 * 1024;  // of a request, in bytes
constexpr size_t kMaxHeaders = 100;

struct Header {
  std::string_view name, value;
};

// Rejects repeated headers, lengths that are not plain numbers, bodies without a length, and what is too large.
HttpError check_head(std::span<const Header> headers);
// Whether a request may have a body, valid or not.
bool announces_body(std::span<const Header> headers);

// Which requests the server answers: those of its own page, and of programs that name the server as it is reached.
// What a request says about itself. Empty: the header is missing.
struct RequestFacts {
  std::string host;           // Host: "localhost:8080"
  std::string origin;         // Origin
  std::string fetch_site;     // Sec-Fetch-Site
  std::string authorization;  // Authorization
  std::string cookie;         // Cookie
  std::string local_address;  // the address of this machine that the client has connected to
};

inline constexpr const char* kTokenField = "token";  // in the address of the page

class RequestGuard {
 public:
  // `names`: further host names of the server. An empty token: none is required. `cookie`: the name of the cookie with
  // the token.
  RequestGuard(std::vector<std::string> names, std::string token, std::string cookie);

  // Why the request is refused, whatever its token; empty: it is not. A web page of another origin cannot read or
  // change anything, not even with a name that it makes resolve to this machine (DNS rebinding).
  std::string foreign(const RequestFacts& facts) const;
  // Whether the request has the token, or none is required.
  bool authorized(const RequestFacts& facts) const;
  // Compares in a time that does not depend on where the texts differ.
  bool is_token(const std::string& text) const;
  // The value of Set-Cookie that authorizes later requests.
  std::string cookie() const;

 private:
  const std::vector<std::string> names_;
  const std::string token_, cookie_;
};

// Whether a token consists of at least 16 letters, digits, and -._~, so that it fits into an address and a cookie.
bool is_valid_token(const std::string& text);
// 128 random bits.
std::string random_token();

}  // namespace sightglass::serve
