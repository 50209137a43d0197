#include "late_fences.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

namespace sightglass::fake_driver {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kDelay(4);

struct Pending {
  std::thread::id thread;
  Clock::time_point ready;
  bool flushed = false;
};

std::mutex mutex;  // fences are shared between contexts
std::map<GLsync, Pending> fences;
std::map<GLuint, Pending> queries;

Pending now_pending() { return {std::this_thread::get_id(), Clock::now() + kDelay, false}; }

template <typename Key>
void flush(std::map<Key, Pending>& all) {
  for (auto& [key, pending] : all) pending.flushed |= pending.thread == std::this_thread::get_id();
}

// Time until it may complete; negative if that is past, and none if it is not known here.
template <typename Key>
Clock::duration remaining(const std::map<Key, Pending>& all, Key key) {
  const std::lock_guard lock(mutex);
  const auto entry = all.find(key);
  if (entry == all.end()) return {};
  return entry->second.flushed ? entry->second.ready - Clock::now() : Clock::duration::max();
}

}  // namespace

void fence_created(GLsync sync) {
  const std::lock_guard lock(mutex);
  fences[sync] = now_pending();
}

void fence_deleted(GLsync sync) {
  const std::lock_guard lock(mutex);
  fences.erase(sync);
}

void timer_query_created(GLuint query) {
  const std::lock_guard lock(mutex);
  queries[query] = now_pending();
}

void commands_flushed() {
  const std::lock_guard lock(mutex);
  flush(fences);
  flush(queries);
}

void wait_for_commands() {
  commands_flushed();
  Clock::time_point end = Clock::now();
  {
    const std::lock_guard lock(mutex);
    for (const auto& [sync, pending] : fences) {
      if (pending.thread == std::this_thread::get_id()) end = std::max(end, pending.ready);
    }
    for (const auto& [query, pending] : queries) {
      if (pending.thread == std::this_thread::get_id()) end = std::max(end, pending.ready);
    }
  }
  std::this_thread::sleep_until(end);
}

bool fence_may_complete(GLsync sync, GLuint64 nanoseconds) {
  // The flush may be in another thread while this one waits.
  const auto end = Clock::now() + std::chrono::nanoseconds(std::min<GLuint64>(nanoseconds, 2'000'000'000));
  while (remaining(fences, sync) > Clock::duration(0)) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

bool timer_query_may_complete(GLuint query) { return remaining(queries, query) <= Clock::duration(0); }

}  // namespace sightglass::fake_driver
