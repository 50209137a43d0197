#include "common/progress.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

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

namespace {

class BrokenPipesIgnored {
 public:
  BrokenPipesIgnored() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~BrokenPipesIgnored() { std::signal(SIGPIPE, before_); }
  BrokenPipesIgnored(const BrokenPipesIgnored&) = delete;
  BrokenPipesIgnored& operator=(const BrokenPipesIgnored&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace

Status fetch_with_progress(const ModelStore& store, const KnownModel& model, FetchOptions options, std::FILE* report) {
  const BrokenPipesIgnored ignored;
  Progress progress;
  if (const char* mirror = std::getenv("SIGHTGLASS_MODEL_MIRROR")) options.mirror = mirror;
  options.progress = [&progress](const std::string& what, int64_t done, int64_t total) {
    constexpr int64_t kKib = 1024;
    progress.show("KiB, " + what, static_cast<int>(done / kKib), static_cast<int>(std::max(done, total) / kKib));
  };
  options.notice = [&progress](const std::string& line) {
    progress.clear();
    std::fprintf(stderr, "%s\n", line.c_str());
  };
  SIGHTGLASS_ASSIGN_OR_RETURN(const FetchedModel fetched, fetch_model(store, model, options));
  progress.clear();
  if (fetched.downloaded) {
    std::fprintf(report, "%s: stored, from %s, SHA-256 verified: %s\n", model.published.name, fetched.source.c_str(),
                 fetched.path.c_str());
  } else {
    std::fprintf(report, "%s: already stored, SHA-256 verified: %s\n", model.published.name, fetched.path.c_str());
  }
  return {};
}

}  // namespace sightglass
