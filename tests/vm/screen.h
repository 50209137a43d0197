// Reads the content of the display through its writeback connector.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gl_pictures.h"

namespace sightglass::test {

// Returns the current content of the whole display, or nullopt with the reason in `why`. An element of this process
// drives the display (it is the DRM master). It must not show another frame in the meantime, and must not have ended.
std::optional<Rgba> write_back_screen(std::string& why);

// The color of a display pixel if `frame` is scaled bilinearly to the largest size that fits, and centered; black
// outside of it.
void expected_pixel(const Rgba& frame, int32_t screen_width, int32_t screen_height, int32_t x, int32_t y,
                    uint8_t rgb[3]);

}  // namespace sightglass::test
