// Text in XML documents, such as SVG charts.
#pragma once

#include <string>

namespace sightglass {

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
