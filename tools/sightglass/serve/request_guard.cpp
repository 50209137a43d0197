#include "serve/request_guard.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace sightglass::serve {

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
