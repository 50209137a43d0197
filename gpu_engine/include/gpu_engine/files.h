// Reads and writes files whose paths or contents are from outside, and the memory limit of models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

// Reads files given by an external path: models, images, labels, caches. Accepts only regular files: a pipe or a device
// could block the reader, and has no size.
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

// Writes files completely or not at all, and never through a link that another user put in their place.
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

// The memory limit of models (ModelOptions, PlanOptions), for all folders of this project.

// "1.5 GiB", with a unit that suits the number.
std::string bytes_text(int64_t bytes);

// "SUBJECT 25.0 GiB, more than the memory limit of 1.0 GiB; raise the limit if you trust the model". `subject`: "the
// file has".
Status beyond_memory_limit(const std::string& subject, int64_t bytes, int64_t limit);

// Memory that a model holds, counted for the process as long as this lives.
class MemoryShare {
 public:
  // Fails if all models of the process would then hold more than `limit` bytes: "SUBJECT 300.0 MiB, and the other
  // models of this process hold 900.0 MiB, …".
  static Result<MemoryShare> take(const std::string& subject, int64_t bytes, int64_t limit);
  MemoryShare() = default;
  ~MemoryShare();
  MemoryShare(MemoryShare&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

 private:
  explicit MemoryShare(int64_t bytes) : bytes_(bytes) {}
  int64_t bytes_ = 0;
};

// Reads the directory of a ZIP archive in memory, which may follow other data, such as a model. The archive is
// untrusted: every offset and size is checked before it is used.
// A member as the directory states it. The numbers are unchecked.
struct ZipEntry {
  static constexpr uint16_t kStored = 0, kDeflated = 8;                  // methods
  static constexpr uint16_t kEncrypted = 1 << 0, kSizesFollow = 1 << 3;  // flags
  std::string_view name;                                                 // in the archive, any bytes
  uint16_t flags = 0, method = kStored;
  uint32_t crc32 = 0;                    // of the decompressed contents
  uint64_t stored_bytes = 0, bytes = 0;  // in the archive, and decompressed
  uint64_t offset = 0;                   // of its header, from the start of the archive
};

class ZipDirectory {
 public:
  static constexpr size_t kMostEntries = 1000;
  // Returns nothing if `file` does not end with an archive. `file` must outlive this.
  static std::optional<ZipDirectory> find(std::span<const std::byte> file);

  // The valid entries, up to the first invalid one, at most kMostEntries.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  // The number that the archive states.
  size_t stated_entries() const { return stated_entries_; }
  // The next `bytes` bytes of the member: all of it with entry.stored_bytes. They are inside `file`. The error has no
  // subject: "is outside the file".
  Result<std::span<const std::byte>> contents(const ZipEntry& entry, uint64_t bytes) const;
  // All of the member, decompressed if it is deflated: at most `most` bytes. For short texts. Such an error, too.
  Result<std::vector<std::byte>> unpacked(const ZipEntry& entry, size_t most) const;
  // Fails if the header of the member differs from the entry, with such an error.
  Status check_header(const ZipEntry& entry) const;

 private:
  ZipDirectory() = default;
  Result<std::span<const std::byte>> member(const ZipEntry& entry) const;

  std::span<const std::byte> file_;
  size_t archive_begin_ = 0;  // base of offsets: usually the start of the file, sometimes of the archive
  size_t stated_entries_ = 0;
  std::vector<ZipEntry> entries_;
};

}  // namespace sightglass
