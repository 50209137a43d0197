// Contents of output frames. Shaders include this header too.
#pragma once

#include <cstdint>

namespace sightglass::figure {

enum class Output : uint8_t { kPicture, kMask, kAlpha, kForeground, kBackground, kRoom };

}  // namespace sightglass::figure
