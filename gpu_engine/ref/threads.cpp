#include "ref/threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace sightglass::ref {

void for_rows(int64_t rows, int64_t work, const std::function<void(int64_t)>& row) {
  // Starting a thread takes as long as some tens of thousands of multiplications.
  constexpr int64_t kWorkOfThread = 200'000;
  const int64_t worth = rows * std::max<int64_t>(work, 1) / kWorkOfThread;
  const int64_t cores = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  std::atomic<int64_t> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr thrown;  // from the first row that failed
  const auto take_rows = [&] {
    try {
      for (int64_t i = next++; i < rows && !failed; i = next++) row(i);
    } catch (...) {
      if (!failed.exchange(true)) thrown = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  try {
    for (int64_t i = 1; i < std::min({worth, cores, rows}); ++i) helpers.emplace_back(take_rows);
  } catch (...) {
    // No more threads or memory available: the running threads, including this one, process all rows.
  }
  take_rows();
  helpers.clear();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace sightglass::ref
