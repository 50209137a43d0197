// Writes files completely or not at all, and never through a link that another user put in their place.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "sightglass/status.h"

namespace sightglass {

enum class FileAccess : unsigned {
  kOwner = 0600,     // for caches
  kEveryone = 0666,  // limited by the umask
};

// Writes to a temporary file with an unpredictable name in the same directory, and renames it when it is complete.
// Readers see the old file or the new one. A link at the path is replaced, not followed. Errors name the path.
class AtomicFile {
 public:
  static Result<AtomicFile> create(std::string path, FileAccess access);
  // Removes the temporary file unless committed.
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  Status append(std::span<const std::byte> bytes);
  Status append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
  Status set_permissions(unsigned mode);
  // Call it at most once, as the last call.
  Status commit();

 private:
  AtomicFile(std::string path, std::string temporary) : path_(std::move(path)), temporary_(std::move(temporary)) {}
  std::string path_, temporary_;
  int descriptor_ = -1;
};

// For a path given by the user: like AtomicFile, with the permissions of the existing file. If the path is not a
// regular file (a link such as /dev/stdout, a device, a pipe), writes in place.
Status write_output_file(const std::string& path, std::span<const std::byte> bytes);
inline Status write_output_file(const std::string& path, std::string_view text) {
  return write_output_file(path, std::as_bytes(std::span(text)));
}

}  // namespace sightglass
