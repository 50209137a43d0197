// The memory limit of models (ModelOptions, PlanOptions), for all folders of this project.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "sightglass/status.h"

namespace sightglass {

// "1.5 GiB", with a unit that suits the number.
std::string bytes_text(int64_t bytes);

// "SUBJECT 25.0 GiB, more than the memory limit of 1.0 GiB; raise the limit if you trust the model". `subject`: "the
// file has".
Status beyond_memory_limit(const std::string& subject, int64_t bytes, int64_t limit);

// Memory that a model holds, counted for the process as long as this lives.
class MemoryShare {
 public:
  // Fails if all models of the process would then hold more than `limit` bytes: "SUBJECT 300.0 MiB, and the other
  // models of this process hold 900.0 MiB, …".
  static Result<MemoryShare> take(const std::string& subject, int64_t bytes, int64_t limit);
  MemoryShare() = default;
  ~MemoryShare();
  MemoryShare(MemoryShare&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

 private:
  explicit MemoryShare(int64_t bytes) : bytes_(bytes) {}
  int64_t bytes_ = 0;
};

}  // namespace sightglass
