// How a model of several classes says which of them a pixel is. No GL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu_engine/model.h"

namespace sightglass {

inline constexpr int32_t kMaxMaskClasses = 256;  // also for shaders

using ClassBits = std::array<uint32_t, kMaxMaskClasses / 32>;  // class c: bit c % 32 of element c / 32

struct ClassLayout {
  int32_t width = 0, height = 0;                          // of the output
  int32_t channels = 0;                                   // scores of a pixel; 0: its class's number is all there is
  OutputActivation activation = OutputActivation::kNone;  // still to be applied to scores
  std::vector<int32_t> foreground;                        // classes
  std::vector<int32_t> shown;                             // in colour, as an overlay; not 0
  std::vector<std::string> names;  // by number; there may be fewer, or empty ones, than there are classes
};

}  // namespace sightglass
