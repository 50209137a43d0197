#include "error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace sightglass::capi {

namespace {

thread_local std::string last_error;

constexpr bool same(ErrorCode code, SightglassStatus status) {
  return static_cast<int>(code) == static_cast<int>(status);
}
static_assert(same(ErrorCode::kOk, SIGHTGLASS_OK) && same(ErrorCode::kInvalidArgument, SIGHTGLASS_INVALID_ARGUMENT) &&
              same(ErrorCode::kNotFound, SIGHTGLASS_NOT_FOUND) &&
              same(ErrorCode::kInvalidModel, SIGHTGLASS_INVALID_MODEL) &&
              same(ErrorCode::kUnsupported, SIGHTGLASS_UNSUPPORTED) &&
              same(ErrorCode::kResourceExhausted, SIGHTGLASS_RESOURCE_EXHAUSTED) &&
              same(ErrorCode::kDeviceError, SIGHTGLASS_DEVICE_ERROR) &&
              same(ErrorCode::kInternal, SIGHTGLASS_INTERNAL) &&
              same(ErrorCode::kOutOfMemory, SIGHTGLASS_OUT_OF_MEMORY) &&
              same(ErrorCode::kTimedOut, SIGHTGLASS_TIMED_OUT));

}  // namespace

SightglassStatus report(const Status& status) noexcept {
  if (status.ok()) return SIGHTGLASS_OK;
  try {
    last_error = status.message();
  } catch (...) {
    last_error.clear();
  }
  return static_cast<SightglassStatus>(status.code());
}

Status require(const void* pointer, const char* name) {
  return pointer != nullptr ? Status() : invalid_argument(std::string(name) + " is NULL");
}

Status require_positive(int64_t number, const char* name) {
  if (number > 0) return {};
  return invalid_argument(std::string(name) + " is " + std::to_string(number) + "; give a positive number");
}

Status require_finite(std::span<const float> numbers, const char* name) {
  const auto finite = [](float number) { return std::isfinite(number); };
  if (std::ranges::all_of(numbers, finite)) return {};
  return invalid_argument(std::string(name) + " has a number that is infinite or NaN; give finite numbers");
}

}  // namespace sightglass::capi

uint32_t sightglass_version(void) { return SIGHTGLASS_VERSION; }

const char* sightglass_last_error(void) { return sightglass::capi::last_error.c_str(); }
