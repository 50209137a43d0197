// Tracks the element that a thread works for: its chain function, event handler, state change or task is running.
#pragma once

#include <string>

#include "copy_record.h"

namespace sightglass::zerocopy {

// The context that a thread passes to another thread that works for it.
struct Errand {
  Worker* worker = nullptr;  // nullptr: none
  bool mapping = false;      // inside the map function of a GstMemory; nested maps and transfers belong to it
};

// For the calling thread. leave() undoes the latest enter(). These functions allocate no memory, and nothing is
// destroyed with the thread, so they work at any time, even while the process ends.
void enter(Worker* worker);
void leave();
// Whether every enter() has been undone by leave().
bool at_top();
// Sets the worker of the thread while it is at the top, such as the element whose task it runs.
void settle(Worker* worker);

Errand present_errand();
// Makes the thread work on an errand during the lifetime of this object.
class ErrandScope {
 public:
  explicit ErrandScope(const Errand& errand);
  ~ErrandScope();
  ErrandScope(const ErrandScope&) = delete;
  ErrandScope& operator=(const ErrandScope&) = delete;

 private:
  const bool was_mapping_;
};

// Counts a copy for `worker`, or for the current worker of the thread if that is nullptr, and logs it.
void count_copy(Worker* worker, Copy copy, uint64_t bytes);

// Counts GL calls observed by the preload library, for the element that the thread works for.

// Starts counting, if the library is loaded.
void listen_to_gl();
bool is_gl_watched();

}  // namespace sightglass::zerocopy
