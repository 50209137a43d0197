#include "serve/listen_address.h"

#include <gst/gst.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace sightglass::serve {

namespace {

// Interfaces in addresses (fe80::1%eth0) have plain names here, so that they can be told from ports.
bool is_address(const std::string& text) {
  constexpr std::string_view kPlain = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_~:%";
  return text.find_first_not_of(kPlain) == text.npos &&
         text.find(':', std::min(text.find('%'), text.size())) == text.npos &&
         g_hostname_is_ip_address(text.c_str()) != FALSE;
}
bool is_ipv6(const std::string& text) { return is_address(text) && text.find(':') != std::string::npos; }
bool is_ipv4(const std::string& text) { return is_address(text) && !is_ipv6(text); }

}  // namespace

bool ListenAddress::loopback() const { return address == "::1" || (is_ipv4(address) && address.starts_with("127.")); }

std::string ListenAddress::url() const {
  const bool local = address == "127.0.0.1" || address == "::1" || address == "0.0.0.0" || address == "::";
  const std::string host = local ? "localhost" : is_ipv6(address) ? "[" + address + "]" : address;
  return "http://" + host + ":" + std::to_string(port);
}

Result<ListenAddress> parse_listen_address(const std::string& text) {
  ListenAddress listen;
  std::string host = text, port;
  const size_t bracket = text.starts_with("[") ? text.find(']') : std::string::npos;
  const size_t colon = text.find(':', bracket == std::string::npos ? 0 : bracket);
  if (bracket != std::string::npos) {
    host = text.substr(1, bracket - 1);
    if (bracket + 1 < text.size() && colon != bracket + 1) host.clear();
    if (colon != std::string::npos) port = text.substr(colon + 1);
  } else if (!is_ipv6(text) && colon != std::string::npos) {
    host = colon == 0 ? "0.0.0.0" : text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (host == "localhost") host = "127.0.0.1";
  if (!is_ipv4(host) && !is_ipv6(host)) {
    return invalid_argument("--listen " + text + ": not an IP address; use 0.0.0.0:8080, [::]:8080, or 127.0.0.1:8080");
  }
  listen.address = host;
  if (port.empty() && colon == std::string::npos) return listen;
  if (is_ipv6(text)) return listen;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
  if (error != std::errc() || end != port.data() + port.size()) {
    return invalid_argument("--listen " + text + ": '" + port + "' is not a port; use 1 to 65535, or 0 for a free one");
  }
  return listen;
}

}  // namespace sightglass::serve
