// For whom a thread works: the element whose chain function, event handler, state change or task is running.
#pragma once

#include <string>

#include "copy_record.h"

namespace sightglass::zerocopy {

// What a thread hands on to another one that works for it.
struct Errand {
  Worker* worker = nullptr;  // nullptr: for none
  bool mapping = false;      // inside the map function of a GstMemory, whose own maps and transfers are its parts
};

// Of the calling thread. leave() undoes the latest enter(). No memory is allocated and nothing is destroyed with the
// thread, so that these work at any time, also while the process ends.
void enter(Worker* worker);
void leave();
// Whether no enter() waits for its leave().
bool at_top();
// Whom the thread works for while it is at the top, as it does for the element whose task it runs.
void settle(Worker* worker);

Errand present_errand();
// Makes the thread work on an errand for the time of its life.
class ErrandScope {
 public:
  explicit ErrandScope(const Errand& errand);
  ~ErrandScope();
  ErrandScope(const ErrandScope&) = delete;
  ErrandScope& operator=(const ErrandScope&) = delete;

 private:
  const bool was_mapping_;
};

// Counts for `worker`, or where that is nullptr for whom the thread works for, and logs the call.
void count_copy(Worker* worker, Copy copy, uint64_t bytes);

}  // namespace sightglass::zerocopy
