// Variants of steps, with bit-identical results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sightglass {

// How a step accesses tensors and weights (shaders/lib/tensor.glsl).
enum class Reads : uint8_t { kStorageBlocks, kBufferTextures };

// The chosen variant of a step.
struct StepVariant {
  std::string step, name;      // as in Tuning; empty for steps without variants
  int count = 0;               // number of variants
  std::optional<Reads> reads;  // unset: the default of the device
};

}  // namespace sightglass
