// Registers the elements in the process of a test.
#pragma once

namespace sightglass::test {

// Whether all could be registered. In a file of the library that tests of elements share, because GStreamer hides the
// functions that register elements.
bool register_elements();

}  // namespace sightglass::test
