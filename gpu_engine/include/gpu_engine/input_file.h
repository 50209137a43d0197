// Files that are read by a path from outside: models, pictures, labels, caches. Only regular files are: a pipe or a
// device would make its reader wait, and has no size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "gpu_engine/status.h"

namespace sightglass {

// Errors say the reason but not the path, which callers know in the words of their users (an option, a property).
class InputFile {
 public:
  // Never waits, whatever the path names. Links are followed.
  static Result<InputFile> open(const std::string& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;

  int64_t size() const { return size_; }  // bytes, when it was opened
  int descriptor() const { return descriptor_; }
  // The bytes that follow, as many as fit into `into`; 0 at the end of the file.
  Result<size_t> read(std::span<std::byte> into);
  // Fills `into` with the bytes that follow. Fails where the file ends before.
  Status read_exactly(std::span<std::byte> into);

 private:
  InputFile(int descriptor, int64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_ = -1;
  int64_t size_ = 0;
};

// The whole file. One of more than `most_bytes` is refused before anything of it is read.
Result<std::string> read_text_file(const std::string& path, int64_t most_bytes);

}  // namespace sightglass
