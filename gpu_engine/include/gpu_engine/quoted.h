// Sanitizes foreign text (names in model files, labels, cache lines) for messages and terminals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sightglass/status.h"

namespace sightglass {

// UTF-8 with a '?' for each character that a terminal could interpret or misplace: control characters (C0, DEL, C1),
// line separators, bidirectional controls, invisible format characters, and invalid UTF-8 bytes. Text of more than
// `longest` bytes is cut and ends in an ellipsis.
std::string printable(std::string_view text, size_t longest = SIZE_MAX);

// printable() in single quotation marks, for messages; at most 160 bytes.
std::string quote(std::string_view text);

// JSON in which characters that printable() would replace are escaped: the same meaning, safe for a terminal.
std::string printable_json(std::string_view json);

// Whether printable() keeps the character.
bool is_printable(char32_t character);

// Exceptions become failures where they would leave the library.

// For a handler of any exception: "OBJECT: cannot ACTION: out of memory", or the exception message. If the message
// itself cannot be allocated, it is just "out of memory".
Status status_of_exception(std::string_view object, const char* action) noexcept;

}  // namespace sightglass
