// Counts heap allocations through operator new, which allocations.cpp replaces, and makes them fail on request.
#pragma once

#include <cstdint>

namespace sightglass::test {

enum class Failing : uint8_t {
  kOnce,     // only that allocation
  kFromThen  // that allocation and all later ones
};

enum class Whose : uint8_t {
  kEverybodys,
  kOurs  // those of the program itself, not of libraries: a failing driver, for example, would end the process
};

// Counts allocations from now on. The nth (from 1) throws std::bad_alloc. `nth` 0: none fails.
void watch_allocations(int64_t nth = 0, Failing failing = Failing::kOnce, Whose whose = Whose::kEverybodys);

struct Allocations {
  int64_t made = 0;        // since watch_allocations(), including failed ones
  bool failed = false;     // whether an allocation failed
  int64_t peak_bytes = 0;  // maximum held at once, in addition to the amount at watch_allocations()
};
// Stops counting.
Allocations watched_allocations();

// The total number of bytes held now.
int64_t bytes_held();

}  // namespace sightglass::test
