// The --listen of `sightglass serve`.
#pragma once

#include <cstdint>
#include <string>

#include "sightglass/status.h"

namespace sightglass::serve {

struct ListenAddress {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 address
  uint16_t port = 8080;

  bool loopback() const;    // whether only this machine can connect
  std::string url() const;  // "http://localhost:8080", for the browser on this machine
};

// "127.0.0.1:8080", "0.0.0.0:8080", "[::]:8080", ":8080" (all addresses), "192.168.1.5", or "localhost".
Result<ListenAddress> parse_listen_address(const std::string& text);

}  // namespace sightglass::serve
