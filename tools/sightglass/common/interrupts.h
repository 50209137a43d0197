// Signals that end the process. The first one asks it to complete its files. The process then ends in bounded time,
// even if its threads wait for a driver for ever.
#pragma once

namespace sightglass {

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
