// Members of tar archives, right and wrong ones.
#pragma once

#include <cstdint>
#include <string>

namespace sightglass::test {

inline std::string octal(uint64_t number, size_t digits) {
  std::string text(digits, '0');
  for (size_t i = digits; i-- > 0; number /= 8) text[i] = static_cast<char>('0' + number % 8);
  return text;
}

struct TarOptions {
  char type = '0';
  std::string prefix{}, size{};  // size: an octal number that replaces the right one
  bool right_checksum = true;
};

inline std::string tar_member(const std::string& name, const std::string& contents, const TarOptions& options = {}) {
  std::string block(512, '\0');
  const auto put = [&](size_t at, const std::string& text) { block.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  put(124, options.size.empty() ? octal(contents.size(), 11) : options.size);
  block[156] = options.type;
  put(257, std::string("ustar\0", 6) + "00");
  put(345, options.prefix);
  put(148, std::string(8, ' '));
  uint64_t sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, octal(options.right_checksum ? sum : sum + 1, 6));
  block[154] = '\0';
  return block + contents + std::string((512 - contents.size() % 512) % 512, '\0');
}

inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace sightglass::test
