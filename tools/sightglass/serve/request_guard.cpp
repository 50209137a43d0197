#include "serve/request_guard.h"

#include <gst/gst.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

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

namespace {

// Headers that must not be repeated: two readers could choose different ones.
constexpr std::string_view kSingle[] = {"Host",          "Content-Length", "Content-Type",   "Transfer-Encoding",
                                        "Authorization", "Origin",         "Sec-Fetch-Site", "Expect"};

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return lowered(a) == lowered(b); });
}

const Header* find_header(std::span<const Header> headers, std::string_view name) {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return same_name(h.name, name); });
  return found != headers.end() ? &*found : nullptr;
}

HttpError too_large() { return {kTooLarge, "the body has more than " + std::to_string(kMaxBody) + " bytes"}; }

}  // namespace

HttpError check_head(std::span<const Header> headers) {
  if (headers.size() > kMaxHeaders) {
    return {kTooManyHeaders, "the request has more than " + std::to_string(kMaxHeaders) + " headers"};
  }
  for (const std::string_view name : kSingle) {
    const auto count =
        std::count_if(headers.begin(), headers.end(), [&](const auto& h) { return same_name(h.name, name); });
    if (count > 1) return {kBadRequest, std::string(name) + ": the header is repeated"};
  }
  const Header* const length = find_header(headers, "Content-Length");
  if (find_header(headers, "Transfer-Encoding") != nullptr) {
    if (length != nullptr) return {kBadRequest, "the request has both Content-Length and Transfer-Encoding"};
    return {kLengthRequired, "Content-Length is missing"};
  }
  if (length == nullptr) return {};
  const std::string_view text = length->value;
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return {kBadRequest, "Content-Length: '" + std::string(text) + "' is not a number of bytes"};
  uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error != std::errc() || size > kMaxBody ? too_large() : HttpError();
}

bool announces_body(std::span<const Header> headers) {
  const Header* const length = find_header(headers, "Content-Length");
  return find_header(headers, "Transfer-Encoding") != nullptr || (length != nullptr && length->value != "0");
}

namespace {

constexpr size_t kMinTokenLength = 16;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// "[::1]:8080" → "::1", "localhost:8080" → "localhost". Ports may differ, as behind a tunnel or a proxy.
std::string name_of(const std::string& host) {
  if (host.starts_with("[")) return lower(host.substr(1, host.find(']') - 1));
  return lower(host.substr(0, host.find(':')));
}

bool is_loopback(const std::string& name) { return name == "localhost" || name == "127.0.0.1" || name == "::1"; }

// IPv4 clients of an IPv6 socket have mapped addresses.
std::string unmapped(const std::string& address) {
  constexpr std::string_view kMapped = "::ffff:";
  return address.starts_with(kMapped) ? address.substr(kMapped.size()) : address;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

RequestGuard::RequestGuard(std::vector<std::string> names, std::string token, std::string cookie)
    : names_(std::move(names)), token_(std::move(token)), cookie_(std::move(cookie)) {}

std::string RequestGuard::foreign(const RequestFacts& facts) const {
  const std::string name = name_of(facts.host);
  const std::string local = unmapped(facts.local_address);
  const bool known = name == local || (is_loopback(name) && is_loopback(local)) ||
                     std::any_of(names_.begin(), names_.end(), [&](const auto& own) { return lower(own) == name; });
  if (name.empty() || !known) {
    return "the host name '" + name + "' is not a name of this server; use its address, or add --host-name";
  }
  // Browsers send no Sec-Fetch-Site to addresses without TLS, except to this machine.
  if (!facts.fetch_site.empty() && facts.fetch_site != "same-origin" && facts.fetch_site != "none") {
    return "requests of other origins are refused (Sec-Fetch-Site: " + facts.fetch_site + ")";
  }
  const std::string origin = lower(facts.origin), host = lower(facts.host);
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host) {
    return "requests of other origins are refused (Origin: " + facts.origin + ")";
  }
  return {};
}

bool RequestGuard::is_token(const std::string& text) const {
  if (token_.empty()) return true;
  unsigned difference = text.size() == token_.size() ? 0 : 1;
  for (size_t i = 0; i < token_.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\0';
    difference |= static_cast<unsigned char>(c) ^ static_cast<unsigned char>(token_[i]);
  }
  return difference == 0;
}

bool RequestGuard::authorized(const RequestFacts& facts) const {
  if (token_.empty()) return true;
  constexpr std::string_view kBearer = "bearer ";
  if (lower(facts.authorization.substr(0, kBearer.size())) == kBearer) {
    return is_token(std::string(trimmed(std::string_view(facts.authorization).substr(kBearer.size()))));
  }
  std::string_view rest = facts.cookie;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view pair = trimmed(rest.substr(0, end));
    const size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == cookie_) {
      return is_token(std::string(pair.substr(equals + 1)));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string RequestGuard::cookie() const { return cookie_ + "=" + token_ + "; Path=/; HttpOnly; SameSite=Strict"; }

bool is_valid_token(const std::string& text) {
  return text.size() >= kMinTokenLength && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || std::string_view("-._~").find(static_cast<char>(c)) != std::string_view::npos;
         });
}

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  // Without random numbers there is no secret.
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
  std::string text;
  for (const unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    text += digits;
  }
  return text;
}

}  // namespace sightglass::serve
