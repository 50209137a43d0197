// What commands have printed has arrived, or they fail.
#pragma once

namespace sightglass {

// Call at the end of main(), with the exit status so far. Where standard output could not take everything (a full
// disk), says so on standard error, as `program`, and gives `failed` instead.
int finish_output(const char* program, int status, int failed = 1);

}  // namespace sightglass
