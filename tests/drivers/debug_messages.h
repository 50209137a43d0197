// Prints messages of high severity that the driver below has about a program. Tests on the fake driver fail if there
// is one.
#pragma once

namespace sightglass::fake_driver {

// In the current context.
void print_debug_messages();

}  // namespace sightglass::fake_driver
