#include "gpu_engine/quoted.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>

namespace sightglass {
namespace {

struct Range {
  char32_t first, last;
};
constexpr std::array kUnfit{
    Range{0x00, 0x1f},        // C0
    Range{0x7f, 0x9f},        // DEL and C1: 8-bit forms of escape sequences
    Range{0xad, 0xad},        // soft hyphen
    Range{0x61c, 0x61c},      // Arabic letter mark
    Range{0x180e, 0x180e},    // Mongolian vowel separator
    Range{0x200b, 0x200b},    // zero width space
    Range{0x200e, 0x200f},    // directional marks
    Range{0x2028, 0x202e},    // line and paragraph separators, directional embeddings and overrides
    Range{0x2060, 0x206f},    // invisible operators, directional isolates
    Range{0xfeff, 0xfeff},    // byte order mark
    Range{0xfff9, 0xfffb},    // interlinear annotations
    Range{0xe0000, 0xe007f},  // tags
};

struct Character {
  char32_t code = 0;
  size_t bytes = 0;
};

// The first character; empty if it is not valid UTF-8: truncated, overlong, or not a code point.
std::optional<Character> first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return Character{lead, 1};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return std::nullopt;
  char32_t code = lead & (0x7f >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return std::nullopt;
  return Character{code, bytes};
}

}  // namespace

bool is_printable(char32_t character) {
  return std::ranges::none_of(kUnfit, [&](Range r) { return character >= r.first && character <= r.last; });
}

std::string printable(std::string_view text, size_t longest) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const std::optional<Character> character = first_character(text.substr(at));
    const size_t bytes = character ? character->bytes : 1;
    if (at + bytes > longest) return result + "…";
    const bool fit = character && is_printable(character->code);
    result += fit ? text.substr(at, bytes) : "?";
    at += bytes;
  }
  return result;
}

std::string quote(std::string_view text) {
  constexpr size_t kLongest = 160;
  return "'" + printable(text, kLongest) + "'";
}

std::string printable_json(std::string_view json) {
  std::string result;
  const auto escape = [&result](char32_t unit) {
    char text[16];
    std::snprintf(text, sizeof(text), "\\u%04x", static_cast<unsigned>(unit));
    result += text;
  };
  for (size_t at = 0; at < json.size();) {
    const std::optional<Character> character = first_character(json.substr(at));
    const size_t bytes = character ? character->bytes : 1;
    const char32_t code = character ? character->code : 0;
    // Characters below this are JSON syntax too. Within values they are already escaped.
    if (code < 0x7f || is_printable(code)) {
      result += json.substr(at, bytes);
    } else if (code < 0x10000) {
      escape(code);
    } else {
      escape(0xd800 + ((code - 0x10000) >> 10));
      escape(0xdc00 + ((code - 0x10000) & 0x3ff));
    }
    at += bytes;
  }
  return result;
}

namespace {

Status describe(std::string_view object, const char* action) {
  const auto message = [&](const char* reason) { return std::string(object) + ": cannot " + action + ": " + reason; };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kOutOfMemory, message("out of memory")};
  } catch (const std::exception& thrown) {
    return internal_error(message(thrown.what()));
  } catch (...) {
    return internal_error(message("an unknown exception"));
  }
}

}  // namespace

Status status_of_exception(std::string_view object, const char* action) noexcept {
  try {
    return describe(object, action);
  } catch (...) {
    return {ErrorCode::kOutOfMemory, "out of memory"};  // short enough to need no allocation
  }
}

}  // namespace sightglass
