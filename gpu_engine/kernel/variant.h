// Steps that can run in several ways, all of which give bit-identical results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sightglass {

// How a step reads tensors and weights (shaders/lib/tensor.glsl).
enum class Reads : uint8_t { kStorageBlocks, kBufferTextures };

// The variant that a step runs.
struct StepVariant {
  std::string step, name;      // as Tuning has them; empty for steps without variants
  int count = 0;               // how many there are to choose from
  std::optional<Reads> reads;  // without: what suits the device
};

}  // namespace sightglass
