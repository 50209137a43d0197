// Writes files completely or not at all, and never through a link that another user put in their place.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sightglass/status.h"

namespace sightglass {

enum class FileAccess : unsigned {
  kOwner = 0600,     // for caches
  kEveryone = 0666,  // limited by the umask
};

// Whether a new file must survive a power cut. Caches that check their files need not.
enum class Durability { kSynced, kUnsynced };

// Writes to a temporary file with an unpredictable name in the same directory, and renames it when it is complete.
// Readers see the old file or the new one. A link at the path is replaced, not followed. Errors name the path.
class AtomicFile {
 public:
  static Result<AtomicFile> create(std::string path, FileAccess access);
  // For files that take long: the temporary name ends in ".part", and the file is locked until it is committed or
  // destroyed. Returns nothing if another process writes to the path in this way. Removes the temporary files that
  // killed processes left for the path.
  static Result<std::optional<AtomicFile>> create_locked(const std::string& path, FileAccess access);
  // Removes the temporary file unless committed.
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  // For other code that writes to the file instead of append().
  const std::string& temporary_path() const { return temporary_; }
  Status append(std::span<const std::byte> bytes);
  Status append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
  Status set_permissions(unsigned mode);
  // Data reach the disk before the name, and the name does before this returns. Call it at most once, as the last call.
  Status commit(Durability durability = Durability::kSynced);

 private:
  AtomicFile(std::string path, std::string temporary) : path_(std::move(path)), temporary_(std::move(temporary)) {}
  static Result<AtomicFile> create_at(std::string path, std::string temporary, FileAccess access);
  std::string path_, temporary_;
  int descriptor_ = -1;
};

// Returns when the directory of the path has its name on the disk. File systems that cannot do this do nothing.
Status sync_name(const std::string& path);

// Where the output for a path that a user gave belongs.
struct OutputPlace {
  std::string path;              // links are followed
  bool in_place = false;         // a device, a pipe, a socket, or a link such as /dev/stdout: never replaced
  std::optional<unsigned> mode;  // the permissions of the existing regular file
};
// Fails if the path cannot name an output, such as a directory or a name that is too long.
Result<OutputPlace> find_output_place(const std::string& path);
// Opens a place that is written in place. Waits for the reader of a pipe.
Result<int> open_in_place(const std::string& path);

// For a path that a user gave: like AtomicFile at its place, with the permissions of the existing file, or in place.
Status write_output_file(const std::string& path, std::span<const std::byte> bytes);
inline Status write_output_file(const std::string& path, std::string_view text) {
  return write_output_file(path, std::as_bytes(std::span(text)));
}

}  // namespace sightglass
