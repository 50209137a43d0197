// How a model of several classes says which of them a pixel is. No GL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu_engine/model.h"

namespace sightglass {

struct ClassLayout {
  static constexpr int32_t kMost = 256;                   // classes
  int32_t width = 0, height = 0;                          // of the output
  int32_t channels = 0;                                   // scores of a pixel; 0: its class's number is all there is
  OutputActivation activation = OutputActivation::kNone;  // still to be applied to scores
  std::vector<int32_t> foreground;                        // classes
  std::vector<int32_t> shown;                             // in colour, as an overlay; not 0
  std::vector<std::string> names;  // by number; there may be fewer, or empty ones, than there are classes
};

}  // namespace sightglass
