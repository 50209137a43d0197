#include "allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

extern "C" const char __executable_start, etext;

namespace sightglass::test {
namespace {

std::atomic<int64_t> held = 0, peak = 0, at_begin = 0;
std::atomic<int64_t> made = 0, failing_nth = 0;
std::atomic<bool> watching = false, failed = false, on_and_on = false, ours_alone = false;

bool is_ours(const void* caller) { return caller >= &__executable_start && caller < &etext; }

bool fails(const void* caller) {
  if (!watching || (ours_alone && !is_ours(caller))) return false;
  const int64_t number = ++made, nth = failing_nth;
  const bool now = nth > 0 && (number == nth || (on_and_on && number > nth));
  if (now) failed = true;
  return now;
}

void* take(size_t bytes, size_t alignment, const void* caller) {
  if (fails(caller)) throw std::bad_alloc();
  void* const memory = alignment == 0 ? std::malloc(bytes == 0 ? 1 : bytes)
                                      : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  const int64_t now = held += static_cast<int64_t>(malloc_usable_size(memory));
  for (int64_t most = peak; now > most && !peak.compare_exchange_weak(most, now);) {
  }
  return memory;
}

void* take_or_null(size_t bytes, size_t alignment, const void* caller) noexcept {
  try {
    return take(bytes, alignment, caller);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void give_back(void* memory) noexcept {
  if (memory == nullptr) return;
  held -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void watch_allocations(int64_t nth, Failing failing, Whose whose) {
  made = 0;
  failed = false;
  failing_nth = nth;
  on_and_on = failing == Failing::kFromThen;
  ours_alone = whose == Whose::kOurs;
  at_begin = held.load();
  peak = held.load();
  watching = true;
}

Allocations watched_allocations() {
  watching = false;
  return {made, failed, peak - at_begin};
}

int64_t bytes_held() { return held; }

}  // namespace sightglass::test

using sightglass::test::give_back;
using sightglass::test::take;
using sightglass::test::take_or_null;

void* operator new(size_t bytes) { return take(bytes, 0, __builtin_return_address(0)); }
void* operator new[](size_t bytes) { return take(bytes, 0, __builtin_return_address(0)); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
// Sanitizers define their own operators, and we must not free their memory.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return take_or_null(bytes, 0, __builtin_return_address(0));
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return take_or_null(bytes, 0, __builtin_return_address(0));
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_or_null(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_or_null(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }
