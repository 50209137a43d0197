#include "common/process.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <thread>

namespace sightglass {

namespace {

// Whether the access mode of the descriptor includes `wanted`, which is O_RDONLY or O_WRONLY.
bool allows(int descriptor, int wanted) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return false;
  const int mode = flags & O_ACCMODE;
  return mode == O_RDWR || mode == wanted;
}

}  // namespace

void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free number, which is this one. The mode makes each use of it an error, as before.
    const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) ::close(opened);
  }
}

Status check_standard_input() {
  if (allows(STDIN_FILENO, O_RDONLY)) return {};
  return invalid_argument("-: standard input is closed; redirect it from a file or a pipe");
}

Status check_standard_output() {
  if (allows(STDOUT_FILENO, O_WRONLY)) return {};
  return invalid_argument("-: standard output is closed; redirect it to a file or a pipe");
}

namespace {

constexpr int64_t kMillisecond = 1'000'000;  // in nanoseconds, as all times here
constexpr int64_t kRepetition = 300 * kMillisecond;
// A little less than what is promised: the end takes time, too.
constexpr int64_t kTimeToEnd = 4800 * kMillisecond;
constexpr int64_t kMostTimeToEnd = 20'000 * kMillisecond;

// A handler may use lock-free atomics only.
std::atomic<int> interrupted_by = 0;
std::atomic<int64_t> interrupted_at = 0, end_by = 0;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free);
std::array<int, 2> descriptors = {-1, -1};
std::array<std::atomic<void (*)()>, 4> last_functions = {};

int64_t now() {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Async-signal-safe.
[[noreturn]] void end_by_force(int signal, std::string_view reason) {
  for (const auto& function : last_functions) {
    if (const auto last = function.load()) last();
  }
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, reason.data(), reason.size());
  ::_exit(128 + signal);
}

void on_interrupt(int signal) {
  const int error = errno;
  const int64_t time = now();
  int none = 0;
  if (interrupted_by.compare_exchange_strong(none, signal)) {
    interrupted_at = time;
    end_by = time + kTimeToEnd;
    [[maybe_unused]] const ssize_t written = ::write(descriptors[1], "", 1);
  } else if (interrupted_at != 0 && time - interrupted_at > kRepetition) {
    end_by_force(signal, "\nsightglass: ended by a second signal; the output is incomplete\n");
  }
  errno = error;
}

void wait_and_end() {
  pollfd interrupt = {descriptors[0], POLLIN, 0};
  while (::poll(&interrupt, 1, -1) < 0) {
  }
  for (int64_t left = 1; left > 0; left = end_by - now()) {
    ::poll(nullptr, 0, static_cast<int>(left / kMillisecond) + 1);
  }
  end_by_force(interrupted_by,
               "\nsightglass: ended by force: a thread did not stop within five seconds of the signal; "
               "the output is incomplete\n");
}

}  // namespace

void catch_interrupts() {
  if (descriptors[0] >= 0 || ::pipe2(descriptors.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  std::thread(wait_and_end).detach();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {}, before = {};
    ::sigaction(signal, nullptr, &before);
    if (signal == SIGHUP && before.sa_handler == SIG_IGN) continue;
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

int interrupt_signal() { return interrupted_by; }

int interrupt_descriptor() { return descriptors[0]; }

void extend_interrupt() {
  const int64_t last = interrupted_at + kMostTimeToEnd, wanted = now() + kTimeToEnd;
  if (interrupted_at != 0) end_by = wanted < last ? wanted : last;
}

void before_forced_end(void (*function)()) {
  for (auto& last : last_functions) {
    void (*none)() = nullptr;
    if (last == function || last.compare_exchange_strong(none, function)) return;
  }
}

}  // namespace sightglass
