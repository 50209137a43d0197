// Appends printf-formatted text to reports.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace sightglass {

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

}  // namespace sightglass
