// Whether this test runs with AddressSanitizer, and why some tests cannot run with it.
#pragma once

namespace sightglass::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
// For tests that start gst-launch-1.0, the demo or a script.
inline constexpr const char* kPluginIsSanitized = "programs without sanitizers cannot load the plugin";

}  // namespace sightglass::test
