#include <algorithm>

#include "gpu_engine/files.h"

namespace sightglass {
namespace {

using Bytes = std::span<const std::byte>;

// Records of the ZIP format (APPNOTE.TXT): signature, and size without names and comments.
constexpr uint32_t kMemberSignature = 0x04034b50, kEntrySignature = 0x02014b50, kEndSignature = 0x06054b50;
constexpr size_t kMemberBytes = 30, kEntryBytes = 46, kEndBytes = 22;
constexpr size_t kLongestComment = 65535;

// A little-endian number. The caller has checked the range.
template <typename T>
T number(Bytes bytes, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(bytes[at + i]) << (8 * i)));
  }
  return value;
}

bool begins_with(Bytes bytes, uint32_t signature, size_t size) {
  return bytes.size() >= size && number<uint32_t>(bytes, 0) == signature;
}

std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Reads the entry at the start of `rest` and removes it. Returns nothing if it is invalid.
std::optional<ZipEntry> take_entry(Bytes& rest) {
  if (!begins_with(rest, kEntrySignature, kEntryBytes)) return std::nullopt;
  const size_t name_bytes = number<uint16_t>(rest, 28);
  const size_t entry_bytes = kEntryBytes + name_bytes + number<uint16_t>(rest, 30) + number<uint16_t>(rest, 32);
  if (entry_bytes > rest.size()) return std::nullopt;
  ZipEntry entry;
  entry.flags = number<uint16_t>(rest, 8);
  entry.method = number<uint16_t>(rest, 10);
  entry.crc32 = number<uint32_t>(rest, 16);
  entry.stored_bytes = number<uint32_t>(rest, 20);
  entry.bytes = number<uint32_t>(rest, 24);
  entry.offset = number<uint32_t>(rest, 42);
  entry.name = text(rest.subspan(kEntryBytes, name_bytes));
  rest = rest.subspan(entry_bytes);
  return entry;
}

}  // namespace

// Searches backward for the last record: a comment with any contents may follow it.
std::optional<ZipDirectory> ZipDirectory::find(Bytes file) {
  const size_t farthest = std::min(file.size(), kEndBytes + kLongestComment);
  for (size_t back = kEndBytes; back <= farthest; ++back) {
    const Bytes end = file.last(back);
    if (!begins_with(end, kEndSignature, kEndBytes) || number<uint16_t>(end, 20) != back - kEndBytes) continue;
    const size_t end_at = file.size() - back;
    const size_t size = number<uint32_t>(end, 12), offset = number<uint32_t>(end, 16);
    if (size > end_at || offset > end_at - size) return std::nullopt;
    ZipDirectory directory;
    directory.file_ = file;
    directory.archive_begin_ = end_at - size - offset;
    directory.stated_entries_ = number<uint16_t>(end, 10);
    Bytes rest = file.subspan(end_at - size, size);
    for (size_t i = 0; i < std::min(directory.stated_entries_, kMostEntries); ++i) {
      const std::optional<ZipEntry> entry = take_entry(rest);
      if (!entry) break;
      directory.entries_.push_back(*entry);
    }
    return directory;
  }
  return std::nullopt;
}

// From its header to the end of the file.
Result<Bytes> ZipDirectory::member(const ZipEntry& entry) const {
  if (entry.offset > file_.size() - archive_begin_) return invalid_model("is outside the file");
  const Bytes member = file_.subspan(archive_begin_ + entry.offset);
  if (!begins_with(member, kMemberSignature, kMemberBytes)) return invalid_model("is not at its offset");
  return member;
}

Result<Bytes> ZipDirectory::contents(const ZipEntry& entry, uint64_t bytes) const {
  SIGHTGLASS_ASSIGN_OR_RETURN(const Bytes member, this->member(entry));
  const size_t header = kMemberBytes + number<uint16_t>(member, 26) + number<uint16_t>(member, 28);
  if (header > member.size() || bytes > member.size() - header) return invalid_model("is outside the file");
  return member.subspan(header, bytes);
}

Status ZipDirectory::check_header(const ZipEntry& entry) const {
  SIGHTGLASS_ASSIGN_OR_RETURN(const Bytes member, this->member(entry));
  const size_t name_bytes = number<uint16_t>(member, 26);
  bool same = name_bytes <= member.size() - kMemberBytes &&
              text(member.subspan(kMemberBytes, name_bytes)) == entry.name &&
              number<uint16_t>(member, 6) == entry.flags && number<uint16_t>(member, 8) == entry.method;
  if ((entry.flags & ZipEntry::kSizesFollow) == 0) {
    same = same && number<uint32_t>(member, 14) == entry.crc32 && number<uint32_t>(member, 18) == entry.stored_bytes &&
           number<uint32_t>(member, 22) == entry.bytes;
  }
  return same ? Status() : invalid_model("has a header that contradicts the directory");
}

}  // namespace sightglass
