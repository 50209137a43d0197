#include "scope.h"

#include <pthread.h>

#include "copy_log.h"

namespace sightglass::zerocopy {

namespace {

struct Scope {
  static constexpr int kRoom = 64;  // deeper calls count for the 64th element
  std::array<Worker*, kRoom> workers;
  int depth;
  Worker* settled;
  bool mapping;
};
constinit thread_local Scope scope{};

std::string thread_name() {
  std::array<char, 32> name{};
  return pthread_getname_np(pthread_self(), name.data(), name.size()) == 0 ? name.data() : "?";
}

Worker* present_worker() {
  return scope.depth == 0 ? scope.settled : scope.workers[static_cast<size_t>(std::min(scope.depth, Scope::kRoom) - 1)];
}

}  // namespace

void enter(Worker* worker) {
  if (scope.depth < Scope::kRoom) scope.workers[static_cast<size_t>(scope.depth)] = worker;
  ++scope.depth;
}

void leave() {
  if (scope.depth > 0) --scope.depth;
}

bool at_top() { return scope.depth == 0; }
void settle(Worker* worker) { scope.settled = worker; }
Errand present_errand() { return {present_worker(), scope.mapping}; }

ErrandScope::ErrandScope(const Errand& errand) : was_mapping_(scope.mapping) {
  enter(errand.worker);
  scope.mapping = errand.mapping;
}

ErrandScope::~ErrandScope() {
  leave();
  scope.mapping = was_mapping_;
}

void count_copy(Worker* worker, Copy copy, uint64_t bytes) {
  CopyRecord& record = CopyRecord::of_process();
  const std::string thread = thread_name();
  if (worker == nullptr) worker = present_worker();
  if (worker == nullptr) worker = record.worker("(no element)", false);
  if (record.count(worker, copy, thread, bytes)) log_copy(*worker, copy, thread, bytes);
}

}  // namespace sightglass::zerocopy
