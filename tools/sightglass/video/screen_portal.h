// The screen of a desktop, through the portal org.freedesktop.portal.ScreenCast: the user chooses what is shared.
#pragma once

#include <cstdint>

#include "sightglass/status.h"

namespace sightglass::video {

struct ScreenCast {
  int descriptor = -1;  // of a PipeWire connection; owned by this process until it ends
  uint32_t node = 0;    // of the stream in PipeWire
};

// Whether the session bus has a portal.
bool has_screen_portal();

// Asks the user, in a dialog of the desktop, and waits for the answer. The cast lasts until this process ends. Call it
// on the thread of the default main context, while no main loop runs.
Result<ScreenCast> open_screen_cast();

}  // namespace sightglass::video
