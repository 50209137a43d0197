#include "gpu_engine/memory_limit.h"

#include <array>
#include <atomic>
#include <cstdio>

namespace sightglass {

namespace {

std::atomic<int64_t> held{0};  // by all models of the process, in bytes

}  // namespace

std::string bytes_text(int64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  if (bytes < static_cast<int64_t>(kStep)) return std::to_string(bytes) + " bytes";
  double number = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  for (; number >= kStep && unit + 1 < kUnits.size(); ++unit) number /= kStep;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", number, kUnits[unit]);
  return text.data();
}

Status beyond_memory_limit(const std::string& subject, int64_t bytes, int64_t limit) {
  return resource_exhausted(subject + " " + bytes_text(bytes) + ", more than the memory limit of " + bytes_text(limit) +
                            "; raise memory-limit if you trust the model");
}

Result<MemoryShare> MemoryShare::take(const std::string& subject, int64_t bytes, int64_t limit) {
  if (bytes > limit) return beyond_memory_limit(subject, bytes, limit);
  MemoryShare share(bytes);
  const int64_t before = held.fetch_add(bytes);
  if (before <= limit - bytes) return share;
  return resource_exhausted(subject + " " + bytes_text(bytes) + ", and the other models of this process hold " +
                            bytes_text(before) + ", together more than the memory limit of " + bytes_text(limit) +
                            "; raise memory-limit, or use fewer models");
}

MemoryShare::~MemoryShare() { held.fetch_sub(bytes_); }

}  // namespace sightglass
