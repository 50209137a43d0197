// Text of reports: printf-formatted, and in XML documents such as SVG charts.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace sightglass {

// Appends printf-formatted text to reports.

// Appends a line or a part of a line.
__attribute__((format(printf, 2, 3))) inline void append(std::string& text, const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is right above
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text += line;
}

// Text in XML documents, such as SVG charts.

// Escapes text for XML, and truncates it to `most` characters. Bytes that are not plain ASCII come from model files and
// are untrusted.
inline std::string xml_text(const std::string& text, size_t most) {
  std::string result;
  size_t count = 0;
  for (const char c : text) {
    if (++count > most) return result + "…";
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c >= ' ' && c < 0x7f ? c : '?';
    }
  }
  return result;
}

}  // namespace sightglass
