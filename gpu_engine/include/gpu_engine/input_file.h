// Reads files given by an external path: models, images, labels, caches. Accepts only regular files: a pipe or a device
// could block the reader, and has no size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sightglass/status.h"

namespace sightglass {

// Errors state the reason but not the path: callers name it in their users' terms (an option, a property).
class InputFile {
 public:
  // Never blocks, whatever the path names. Follows links.
  static Result<InputFile> open(const std::string& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;

  int64_t size() const { return size_; }  // bytes, when opened
  int descriptor() const { return descriptor_; }
  // Reads the next bytes, as many as fit into `into`. Returns 0 at the end of the file.
  Result<size_t> read(std::span<std::byte> into);
  // Fills `into` with the next bytes. Fails if the file ends first.
  Status read_exactly(std::span<std::byte> into);
  // Fills `into`, which has size() bytes, with the whole file, from its start. Also fails if another program writes to
  // the file in the meantime.
  Status read_all(std::span<std::byte> into);

 private:
  InputFile(int descriptor, int64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_ = -1;
  int64_t size_ = 0;
};

// A file in memory. Never mapped: access to a mapping ends the process if another program has shortened the file.
struct FileContents {
  std::span<const std::byte> bytes;   // aligned for any type
  std::shared_ptr<const void> owner;  // keeps them
};

// The whole file. Rejects a file of more than `most_bytes` before reading any of it. Fails if another program writes
// to the file in the meantime.
Result<FileContents> read_file(const std::string& path, int64_t most_bytes);

// The same as text.
Result<std::string> read_text_file(const std::string& path, int64_t most_bytes);

}  // namespace sightglass
