// Renders lines of text to coverage images. The only code that uses Pango.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// Returns a warning for applications that set `property`, which draws text; nothing if a font is installed.
std::optional<std::string> missing_font_warning(const std::string& property);

struct TextPicture {
  int32_t width = 0, height = 0;  // pixels
  std::vector<uint8_t> coverage;  // tightly packed rows, top row first; 255 = covered
};

// One thread at a time.
class Typesetter {
 public:
  // Font size as a share of the line height. Leaves room for accents and for scripts that are taller than Latin.
  static constexpr double kEmShare = 0.7;

  // For lines of `line_height` pixels, at least 1. Uses the default sans-serif font, and other installed fonts for the
  // scripts it lacks. If no font is installed, all text is empty, and the first typesetter of the process logs a
  // warning.
  explicit Typesetter(int32_t line_height);

  bool has_font() const { return layout_ != nullptr; }

  // Renders one line of that height, with an ellipsis if it is wider than `most_width` pixels. Accepts any `utf8`:
  // printable() replaces invalid bytes, and only the first 256 bytes are used.
  TextPicture set(std::string_view utf8, int32_t most_width) const;

 private:
  struct Unref {
    void operator()(void* object) const;
  };
  int32_t line_height_;
  int32_t baseline_ = 0;                   // pixels below the top of the line
  std::unique_ptr<void, Unref> font_map_;  // first: the layout refers to it
  std::unique_ptr<void, Unref> layout_;    // null if no font is installed
};

}  // namespace sightglass
