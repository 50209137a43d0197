// Text that others have written (names in model files, labels, lines of caches), made fit for messages and terminals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sightglass {

// In UTF-8, with a '?' for whatever a terminal may take for a command or show elsewhere than where it stands: control
// characters (C0, DEL, C1), line separators, controls of the direction of text, invisible format characters, and bytes
// that are no UTF-8. Cut, with an ellipsis, where it has more than `longest` bytes.
std::string printable(std::string_view text, size_t longest = SIZE_MAX);

// The same in single quotation marks, for messages; at most 160 bytes of it.
std::string quote(std::string_view text);

// JSON, with escapes for the characters that printable() would replace: it says the same, and is fit for a terminal.
std::string printable_json(std::string_view json);

// Whether printable() leaves the character as it is.
bool is_printable(char32_t character);

}  // namespace sightglass
