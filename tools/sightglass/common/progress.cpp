#include "common/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace sightglass {

namespace {

constexpr int kCells = 30;

}  // namespace

Progress::Progress() : visible_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(const std::string& what, int done, int total) {
  if (!visible_) return;
  const int cells = total > 0 ? std::clamp(done * kCells / total, 0, kCells) : 0;
  show("[" + std::string(static_cast<size_t>(cells), '#') + std::string(static_cast<size_t>(kCells - cells), '.') +
       "] " + std::to_string(done) + "/" + std::to_string(total) + " " + what);
}

void Progress::show(std::string line) {
  if (!visible_) return;
  if (line == line_) return;
  line_ = std::move(line);
  std::fprintf(stderr, "\r\x1b[K%s", line_.c_str());  // to the start of the line, and clear it
  std::fflush(stderr);
}

void Progress::clear() {
  if (!visible_ || line_.empty()) return;
  line_.clear();
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace sightglass
