// Files that are written: whole or not at all, and never through a link that somebody else has put in their place.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "gpu_engine/status.h"

namespace sightglass {

enum class FileAccess : unsigned {
  kOwner = 0600,     // of caches
  kEveryone = 0666,  // as far as the umask lets them
};

// Is written beside its place, under a name that nobody can guess, and takes its place when it is complete: readers see
// the old file or the new one, and a link at its place is replaced, not followed. Errors name the path.
class AtomicFile {
 public:
  static Result<AtomicFile> create(std::string path, FileAccess access);
  // Removes what has not been committed.
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  Status append(std::span<const std::byte> bytes);
  Status append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
  Status set_permissions(unsigned mode);
  // At most once, as the last call.
  Status commit();

 private:
  AtomicFile(std::string path, std::string temporary) : path_(std::move(path)), temporary_(std::move(temporary)) {}
  std::string path_, temporary_;
  int descriptor_ = -1;
};

// For a path that the user has given: as AtomicFile does, with the permissions of the file that was there. What is no
// regular file (a link such as /dev/stdout, a device, a pipe) is written in place, as programs usually do.
Status write_output_file(const std::string& path, std::span<const std::byte> bytes);
inline Status write_output_file(const std::string& path, std::string_view text) {
  return write_output_file(path, std::as_bytes(std::span(text)));
}

}  // namespace sightglass
