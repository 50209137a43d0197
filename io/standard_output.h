// Makes commands fail if their output was not written completely.
#pragma once

namespace sightglass {

// Call it at the end of main() with the exit status so far. If standard output could not be written completely (disk
// full), reports this on standard error, as `program`, and returns `failed` instead.
int finish_output(const char* program, int status, int failed = 1);

}  // namespace sightglass
