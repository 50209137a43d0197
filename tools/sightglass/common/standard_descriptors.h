// Standard input, output, and error of a process that was started with some of them closed.
#pragma once

#include "sightglass/status.h"

namespace sightglass {

// Opens closed standard descriptors on /dev/null, so that no socket or file of this process gets their numbers. Reads
// from and writes to them still fail. Call it first in main().
void open_standard_descriptors();

// Fails if standard input cannot be read, or if standard output cannot be written, because it was closed.
Status check_standard_input();
Status check_standard_output();

}  // namespace sightglass
