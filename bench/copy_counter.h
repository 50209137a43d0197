// Counts what the tracer `zerocopy` logs in this process.
#pragma once

#include <cstdint>

namespace sightglass::bench {

// At most one at a time. Create it after gst_init().
class CopyCounter {
 public:
  CopyCounter();
  ~CopyCounter();
  CopyCounter(const CopyCounter&) = delete;
  CopyCounter& operator=(const CopyCounter&) = delete;

  uint64_t count() const;
  uint64_t bytes() const;
};

}  // namespace sightglass::bench
