#include "tracer/scope.h"

#include <dlfcn.h>
#include <pthread.h>

#include "copy_record.h"
#include "gl_watch/interface.h"
#include "gobject/guarded.h"

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

namespace {

void on_gl_call(int call, uint64_t bytes) {
  switch (static_cast<gl_watch::Call>(call)) {
    case gl_watch::Call::kReadback:
      return count_copy(nullptr, Copy::kReadback, bytes);
    case gl_watch::Call::kPixelUpload:
      return count_copy(nullptr, Copy::kPixelUpload, bytes);
    case gl_watch::Call::kBufferMap:
      return count_copy(nullptr, Copy::kBufferMap, bytes);
    case gl_watch::Call::kFinish:
      return count_copy(nullptr, Copy::kFinish, bytes);
  }
}

gl_watch::Listen find_library() {
  return reinterpret_cast<gl_watch::Listen>(dlsym(RTLD_DEFAULT, gl_watch::kListenName));
}

}  // namespace

void listen_to_gl() {
  if (const gl_watch::Listen listen = find_library()) listen(guarded<on_gl_call>);
}

bool is_gl_watched() { return find_library() != nullptr; }

}  // namespace sightglass::zerocopy
