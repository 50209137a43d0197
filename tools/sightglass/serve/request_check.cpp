#include "serve/request_check.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace sightglass::serve {

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

}  // namespace sightglass::serve
