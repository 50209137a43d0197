// Ends the preparation of a model early, when another thread requests it: shader compilers can take many seconds.
#pragma once

#include <atomic>

#include "sightglass/status.h"

namespace sightglass {

// While it exists, sessions and programs that this thread creates look at `requested`, and fail once it is true. Their
// GL objects are released as after any failure. Scopes of one thread can be nested; the inner one counts.
class CancellationScope {
 public:
  explicit CancellationScope(const std::atomic<bool>& requested);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

// Fails if the scope of this thread requests it. Call it before each program is compiled or first used.
Status check_cancellation();

}  // namespace sightglass
