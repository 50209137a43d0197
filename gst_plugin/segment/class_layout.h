// How the output of a model with several classes encodes the class of a pixel. No GL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/model.h"

namespace sightglass {

inline constexpr int32_t kMaxMaskClasses = 256;  // also for shaders

using ClassBits = std::array<uint32_t, kMaxMaskClasses / 32>;  // class c: bit c % 32 of element c / 32

struct ClassLayout {
  int32_t width = 0, height = 0;                          // of the output
  int32_t channels = 0;                                   // scores per pixel; 0: the output is the class index
  float scale = 1, offset = 0;                            // of scores, before the activation
  OutputActivation activation = OutputActivation::kNone;  // to apply to scores
  std::vector<int32_t> foreground;                        // classes
  std::vector<int32_t> shown;                             // shown in color by an overlay; never 0
  std::vector<std::string> names;  // by index; may be shorter than the classes, or have empty names
};

}  // namespace sightglass
