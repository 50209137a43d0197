// What the fake driver does; tests/README.md has the list. Read from the environment when a context is created, so that
// a test can change it between contexts.
#pragma once

#include <string_view>

namespace sightglass::fake_driver {

struct Settings {
  bool nvidia = false;       // strings, limits, and alignments of NVIDIA's driver
  bool reorder = false;      // runs dispatches late and in reverse order
  bool late_fences = false;  // fences and timer queries complete after some milliseconds, and only if flushed
  bool messages = false;     // prints messages of high severity
  int lost_at = 0;           // the dispatch at which the context is lost; 0: never
  int no_memory_at = 0;      // the allocation that fails; 0: none
};

// "nvidia,reorder,late-fences,messages,lost-at=7,no-memory-at=3". Ends the process if a word is not known.
Settings parse_settings(std::string_view text);
const Settings& settings();
// Reads $SIGHTGLASS_FAKE_DRIVER, and counts dispatches and allocations from zero.
void read_settings();

}  // namespace sightglass::fake_driver
