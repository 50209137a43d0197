// The process of the command: the descriptors that it was started with, and the signals that end it.
#pragma once

#include "sightglass/status.h"

namespace sightglass {

// Standard input, output, and error of a process that was started with some of them closed.

// Opens closed standard descriptors on /dev/null, so that no socket or file of this process gets their numbers. Reads
// from and writes to them still fail. Call it first in main().
void open_standard_descriptors();

// Fails if standard input cannot be read, or if standard output cannot be written, because it was closed.
Status check_standard_input();
Status check_standard_output();

// Signals that end the process. The first one asks it to complete its files. The process then ends in bounded time,
// even if its threads wait for a driver for ever.

// From now on, SIGINT, SIGTERM, and SIGHUP only interrupt this process. If SIGHUP is ignored, as under nohup, it stays
// ignored. The process is ended by force, with the exit status 128 + signal and a message:
// - by a second signal, at once. A repetition within 0.3 seconds does not count: `timeout` signals a process twice
// - by time: five seconds after the first signal, or after the last call of extend_interrupt()
void catch_interrupts();

// The first signal so far; 0: none.
int interrupt_signal();
// Stays readable from the first signal on. Do not read from it.
int interrupt_descriptor();
// Call it when output is being completed and visibly advances. Has an effect until 20 seconds after the signal.
void extend_interrupt();

// Adds a function that is called before the process is ended by force. It may call async-signal-safe functions only.
void before_forced_end(void (*function)());

}  // namespace sightglass
