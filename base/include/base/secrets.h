// Keeps passwords and tokens out of messages, logs, and replies.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace sightglass {

inline constexpr const char* kHiddenSecret = "***";

namespace secrets {

inline bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

// Names of settings, parameters of addresses, and properties of elements whose values are secret.
inline bool is_secret_name(std::string_view name) {
  constexpr std::string_view kNames[] = {"password",     "passwd",   "passphrase",      "pwd",           "token",
                                         "access_token", "api_key",  "apikey",          "authorization", "secret",
                                         "user-pw",      "proxy-pw", "SIGHTGLASS_TOKEN"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Hides "user:password" in "scheme://user:password@host".
inline void hide_user_info(std::string& text) {
  constexpr std::string_view kSlashes = "://";
  for (size_t at = text.find(kSlashes); at != std::string::npos; at = text.find(kSlashes, at)) {
    at += kSlashes.size();
    const size_t end = std::min(text.find_first_of(" \t\r\n\"'<>", at), text.size());
    const size_t path = std::min(text.find_first_of("/?#", at), end);
    size_t sign = text.rfind('@', path == 0 ? 0 : path - 1);
    if (sign == std::string::npos || sign < at) {
      // A password can have a slash that should have been escaped. Behind the colon of a host is a number.
      const size_t colon = text.find(':', at);
      const bool port = colon >= path || std::all_of(text.begin() + static_cast<std::ptrdiff_t>(colon) + 1,
                                                     text.begin() + static_cast<std::ptrdiff_t>(path),
                                                     [](unsigned char c) { return std::isdigit(c) != 0; });
      sign = port || end == 0 ? std::string::npos : text.rfind('@', end - 1);
    }
    if (sign == std::string::npos || sign < at) continue;
    text.replace(at, sign - at, kHiddenSecret);
  }
}

// Hides "…" in "password=…", quoted or up to a blank or an ampersand.
inline void hide_values(std::string& text) {
  for (size_t equals = text.find('='); equals != std::string::npos; equals = text.find('=', equals + 1)) {
    size_t begin = equals;
    while (begin > 0 && is_name(text[begin - 1])) --begin;
    if (!is_secret_name(std::string_view(text).substr(begin, equals - begin))) continue;
    size_t value = equals + 1;
    size_t end = std::min(text.find_first_of(" \t\r\n\"'<>&;", value), text.size());
    if (end == value && end < text.size() && (text[end] == '"' || text[end] == '\'')) {
      const char quote = text[value++];
      end = value;
      while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end, text.size());
    }
    text.replace(value, end - value, kHiddenSecret);
  }
}

}  // namespace secrets

// The text with "***" instead of user names and passwords in addresses, and instead of the values of passwords and
// tokens. Apply it to every text that leaves the process other than to where the secret belongs.
inline std::string without_secrets(std::string text) {
  secrets::hide_user_info(text);
  secrets::hide_values(text);
  return text;
}

}  // namespace sightglass
