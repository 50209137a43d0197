// Counts open files, for tests that nothing leaks.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace sightglass::test {

struct OpenFiles {
  int descriptors = 0;  // of this process
  int dmabufs = 0;      // of the whole machine
};

inline OpenFiles open_files() {
  OpenFiles files;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++files.descriptors;
  // "Total 3 objects, 921600 bytes" is the last line.
  std::ifstream info("/sys/kernel/debug/dma_buf/bufinfo");
  for (std::string line; std::getline(info, line);) std::sscanf(line.c_str(), "Total %d objects", &files.dmabufs);
  return files;
}

}  // namespace sightglass::test
