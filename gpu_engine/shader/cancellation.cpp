#include "gpu_engine/cancellation.h"

#include <utility>

namespace sightglass {

namespace {

thread_local const std::atomic<bool>* current = nullptr;

}  // namespace

CancellationScope::CancellationScope(const std::atomic<bool>& requested) : outer_(std::exchange(current, &requested)) {}

CancellationScope::~CancellationScope() { current = outer_; }

Status check_cancellation() {
  return current != nullptr && *current ? internal_error("canceled: the result is no longer needed") : Status();
}

}  // namespace sightglass
