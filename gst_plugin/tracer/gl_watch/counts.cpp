#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "entry.h"

namespace sightglass::gl_watch {

namespace {

constexpr std::array<const char*, 4> kNames = {"glReadPixels etc.", "glTexImage etc.", "glMapBuffer etc.", "glFinish"};

constinit std::atomic<Listener> listener{nullptr};

struct Count {
  uint64_t calls = 0, bytes = 0;
};
struct Table {
  std::mutex mutex;
  std::map<std::pair<std::string, Call>, Count> counts;  // by thread
};

// Never destroyed: threads may still count when the process ends.
Table& table() {
  static auto* const table = new Table;
  return *table;
}

// Prints nothing in processes that do not use GL, such as the shell that started the program.
__attribute__((destructor)) void print_table() {
  if (listener != nullptr || !is_gl_in_use()) return;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  std::fprintf(stderr, "gl-watch: %s\n", all.counts.empty() ? "no transfers" : "calls by thread");
  for (const auto& [key, count] : all.counts) {
    std::fprintf(stderr, "%-16s  %-17s  %10llu calls  %14llu bytes\n", key.first.c_str(),
                 kNames[static_cast<size_t>(key.second)], static_cast<unsigned long long>(count.calls),
                 static_cast<unsigned long long>(count.bytes));
  }
}

}  // namespace

void count(Call call, uint64_t bytes) {
  if (const Listener present = listener) return present(static_cast<int>(call), bytes);
  std::array<char, 32> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) != 0) name = {"?"};
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  Count& count = all.counts[{name.data(), call}];
  ++count.calls;
  count.bytes += bytes;
}

}  // namespace sightglass::gl_watch

extern "C" __attribute__((visibility("default"))) void sightglass_gl_watch_listen(
    sightglass::gl_watch::Listener new_listener) {
  sightglass::gl_watch::listener = new_listener;
}
