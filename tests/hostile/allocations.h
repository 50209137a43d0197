// What the program takes from the heap with operator new, which allocations.cpp replaces: how much, and, on request,
// nothing.
#pragma once

#include <cstdint>

namespace sightglass::test {

enum class Failing : uint8_t {
  kOnce,     // that allocation alone
  kFromThen  // it and all after it
};

enum class Whose : uint8_t {
  kEverybodys,
  kOurs  // those that the program's own code asks for, and not a library: of a driver, say, which would end the process
};

// From now on counts allocations; the nth (from 1) throws std::bad_alloc. `nth` 0: none does.
void watch_allocations(int64_t nth = 0, Failing failing = Failing::kOnce, Whose whose = Whose::kEverybodys);

struct Allocations {
  int64_t made = 0;        // since watch_allocations(), those that failed included
  bool failed = false;     // whether one did
  int64_t peak_bytes = 0;  // most that was held at once, beyond what was held at watch_allocations()
};
// Ends the watch.
Allocations watched_allocations();

// Held now, in all.
int64_t bytes_held();

}  // namespace sightglass::test
