#include "statistics.h"

#include <regex>

namespace sightglass::test {

namespace {

// The first group of the pattern.
std::optional<double> number(std::string_view message, const char* pattern) {
  std::match_results<std::string_view::const_iterator> found;
  if (!std::regex_search(message.begin(), message.end(), found, std::regex(pattern))) return std::nullopt;
  return std::stod(found[1].str());
}

std::optional<int64_t> count(std::string_view message, const char* pattern) {
  const std::optional<double> found = number(message, pattern);
  return found ? std::optional(static_cast<int64_t>(*found)) : std::nullopt;
}

}  // namespace

std::optional<Statistics> parse_statistics(std::string_view message) {
  Statistics s;
  if (const auto bytes = count(message, "^Shader Stats: .*Code Size: (\\d+)")) {  // radeonsi
    s.instructions = *bytes;
    s.registers = count(message, "VGPRS: (\\d+)");
    s.scratch = count(message, "Scratch: (\\d+)").value_or(0);
    s.spills = count(message, "Spilled VGPRs: (\\d+)").value_or(0);
    s.parallel = count(message, "Max Waves: (\\d+)").value_or(0);
    return s;
  }
  const auto instructions = count(message, "shader: (\\d+) inst");
  if (!instructions) return std::nullopt;
  s.instructions = *instructions;
  if (const auto waves = count(message, "(\\d+) waves")) {  // freedreno
    s.parallel = *waves;
    s.spills = count(message, "(\\d+) stp").value_or(0);
    s.fills = count(message, "(\\d+) ldp").value_or(0);
    s.registers = count(message, "(\\d+) full").value_or(0) * 4;  // vec4 registers
    return s;
  }
  s.parallel = count(message, "(\\d+) threads").value_or(0);                        // panfrost, v3d
  if (const auto width = count(message, "SIMD(\\d+) shader")) s.parallel = *width;  // iris
  s.spills = count(message, "(\\d+):\\d+ spills:fills").value_or(0);
  s.fills = count(message, "\\d+:(\\d+) spills:fills").value_or(0);
  s.cycles = number(message, "([0-9.]+) cycles, [0-9.]+ [a-z]+,");  // not the estimate of iris, which is per shader
  s.registers = count(message, "(\\d+) max-temps");
  return s;
}

int64_t lowest_parallel(std::string_view family) {
  if (family == "Mali") return 1;
  if (family == "VideoCore") return 2;
  if (family == "freedreno") return 4;
  if (family == "Intel") return 8;
  if (family == "AMD") return 1;
  return 0;
}

}  // namespace sightglass::test
