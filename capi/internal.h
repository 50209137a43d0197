// Inside the C API: its opaque types, status codes, and the structures whose sizes depend on the version of the caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu_engine/quoted.h"
#include "sightglass/device.h"
#include "sightglass/log.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/sightglass.h"
#include "sightglass/status.h"

// The opaque types of the C API.
struct SightglassDevice {
  sightglass::DeviceInfo info;
  std::string name;
  std::shared_ptr<sightglass::ShareGroup> group;
};

struct SightglassModel {
  std::shared_ptr<const sightglass::Model> model;
};

struct SightglassPlan {
  std::shared_ptr<const sightglass::Plan> plan;
};

struct SightglassSession {
  std::unique_ptr<sightglass::Session> session;
};

namespace sightglass::capi {

// Converts Status and exceptions to the status codes of the C API.

// Stores the message for sightglass_last_error() if `status` is a failure.
SightglassStatus report(const Status& status) noexcept;

// Runs `body`, which returns a Status. `object` and `action` are for status_of_exception().
template <typename Body>
SightglassStatus guard(const char* object, const char* action, const Body& body) noexcept {
  try {
    return report(body());
  } catch (...) {
    return report(status_of_exception(object, action));
  }
}

// Fails if `pointer` is null.
Status require(const void* pointer, const char* name);

// Fails unless `number` is positive.
Status require_positive(int64_t number, const char* name);

// Fails if a number is infinite or NaN.
Status require_finite(std::span<const float> numbers, const char* name);

// Reads and writes the structures of the C API, whose sizes depend on the version that a program was compiled with.
// Copies a structure of the caller over `defaults`. Fields that the caller does not have keep their defaults. Fails if
// fields that this library does not have are set.
template <typename T>
Result<T> read(const T* structure, const T& defaults, const char* type) {
  T result = defaults;
  if (structure == nullptr) return result;
  const size_t size = structure->size;
  if (size < sizeof(size_t)) {
    return invalid_argument(std::string(type) + ": size is " + std::to_string(size) +
                            "; initialize the structure with its _INIT macro");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(structure);
  if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char b) { return b != 0; })) {
    return unsupported(std::string(type) + ": sets a field that version " SIGHTGLASS_VERSION_STRING
                                           " of the library does not have; install the version of the header");
  }
  std::memcpy(&result, structure, std::min(size, sizeof(T)));
  return result;
}

// An array of such structures. All have the size of the first one.
template <typename T>
Result<std::vector<T>> read_array(const T* first, size_t count, const T& defaults, const char* type) {
  std::vector<T> result;
  if (count == 0) return result;
  if (first == nullptr) return invalid_argument(std::string(type) + ": the array is NULL, but its count is not 0");
  const auto* bytes = reinterpret_cast<const char*>(first);
  for (size_t i = 0; i < count; ++i) {
    const auto* structure = reinterpret_cast<const T*>(bytes + i * first->size);
    if (structure->size != first->size) {
      return invalid_argument(std::string(type) + " " + std::to_string(i) + ": size differs from that of the first; " +
                              "initialize all elements with the _INIT macro");
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(T copy, read(structure, defaults, type));
    result.push_back(copy);
  }
  return result;
}

// Copies `values` to a structure of the caller, as much as it has.
template <typename T>
Status write(const T& values, T* structure, const char* type) {
  if (structure == nullptr) return invalid_argument(std::string(type) + " is NULL");
  const size_t size = structure->size;
  if (size < sizeof(size_t)) {
    return invalid_argument(std::string(type) + ": size is " + std::to_string(size) +
                            "; initialize the structure with its _INIT macro");
  }
  std::memcpy(structure, &values, std::min(size, sizeof(T)));
  structure->size = size;
  return {};
}

// The C++ value of a C enumerator, whose values are 0 to `last`. Callers can store any number there.
template <typename To, typename From>
Result<To> enumerator(const From& value, From last, const char* field) {
  unsigned number = 0;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  if (number > static_cast<unsigned>(last)) {
    return invalid_argument(std::string(field) + " is " + std::to_string(static_cast<int>(number)) + "; give 0 to " +
                            std::to_string(static_cast<unsigned>(last)));
  }
  return static_cast<To>(number);
}

Log make_log(const SightglassLog& log);

}  // namespace sightglass::capi
