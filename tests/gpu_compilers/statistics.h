// What a GPU compiler reports about a shader, from the messages that Mesa drivers print for shader-db.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sightglass::test {

// Static counts over the whole shader, not per iteration of a loop.
struct Statistics {
  int64_t instructions = 0;          // bytes of code on AMD
  std::optional<int64_t> registers;  // per invocation, if reported
  int64_t spills = 0, fills = 0;     // stores to and loads from scratch memory, or spilled registers
  int64_t scratch = 0;               // bytes per wave, if reported
  int64_t parallel = 0;              // threads (Mali, VideoCore), waves (Adreno, AMD), or SIMD width (Intel)
  std::optional<double> cycles;      // estimate for one invocation (Mali)

  bool in_memory() const { return spills + fills + scratch > 0; }
  bool operator==(const Statistics&) const = default;
};

// Unset: another message.
std::optional<Statistics> parse_statistics(std::string_view message);

// The least `parallel` of a family: registers for no more. Intel: below the full width. 0: unknown family.
int64_t lowest_parallel(std::string_view family);

}  // namespace sightglass::test
