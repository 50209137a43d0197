// What the display shows, as the display's own hardware says: its writeback connector.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gl_pictures.h"

namespace sightglass::test {

// The whole screen as it is now, or nothing, with the reason in `why`. Some element of this process drives the display
// (it is the DRM master) and must neither show another frame meanwhile nor have ended.
std::optional<Rgba> write_back_screen(std::string& why);

// The color that a screen pixel has when `frame` is scaled, bilinearly, to the largest size that fits the screen, in
// its middle; black beside it.
void expected_pixel(const Rgba& frame, int32_t screen_width, int32_t screen_height, int32_t x, int32_t y,
                    uint8_t rgb[3]);

}  // namespace sightglass::test
