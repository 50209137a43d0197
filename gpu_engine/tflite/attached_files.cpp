#include "tflite/attached_files.h"

#include <algorithm>
#include <optional>
#include <string>

#include "tflite/model_file.h"

namespace sightglass::tflite {
namespace {

using Bytes = std::span<const std::byte>;

// Records of the ZIP format (APPNOTE.TXT): signature, size without names and comments, and offsets of numbers.
constexpr uint32_t kMemberSignature = 0x04034b50, kEntrySignature = 0x02014b50, kEndSignature = 0x06054b50;
constexpr size_t kMemberBytes = 30, kEntryBytes = 46, kEndBytes = 22;
constexpr size_t kLongestComment = 65535;
constexpr size_t kMostEntries = 1000;

// A little-endian number. The caller has checked the range.
uint64_t number(Bytes bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= std::to_integer<uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

bool begins_with(Bytes bytes, uint32_t signature, size_t size) {
  return bytes.size() >= size && number(bytes, 0, 4) == signature;
}

struct Directory {
  Bytes entries;
  size_t count = 0;
  size_t archive_begin = 0;  // base of offsets: usually the start of the file, sometimes of the archive
};

// Searches backward for the last record: a comment with any contents may follow it.
std::optional<Directory> find_directory(Bytes file) {
  const size_t farthest = std::min(file.size(), kEndBytes + kLongestComment);
  for (size_t back = kEndBytes; back <= farthest; ++back) {
    const Bytes end = file.last(back);
    if (!begins_with(end, kEndSignature, kEndBytes) || number(end, 20, 2) != back - kEndBytes) continue;
    const size_t end_at = file.size() - back;
    const size_t count = number(end, 10, 2), size = number(end, 12, 4), offset = number(end, 16, 4);
    if (size > end_at || offset > end_at - size) return std::nullopt;
    return Directory{file.subspan(end_at - size, size), count, end_at - size - offset};
  }
  return std::nullopt;
}

Status wrong(std::string_view name, const std::string& what) {
  return invalid_model("its attached file " + quote(name) + " " + what);
}

}  // namespace

Result<std::span<const std::byte>> attached_file(Bytes file, std::string_view name) {
  const std::optional<Directory> directory = find_directory(file);
  if (!directory) return wrong(name, "is missing: nothing is attached");
  Bytes rest = directory->entries;
  for (size_t i = 0; i < std::min(directory->count, kMostEntries); ++i) {
    if (!begins_with(rest, kEntrySignature, kEntryBytes)) break;
    const size_t name_bytes = number(rest, 28, 2);
    const size_t entry_bytes = kEntryBytes + name_bytes + number(rest, 30, 2) + number(rest, 32, 2);
    if (entry_bytes > rest.size()) break;
    const Bytes entry = rest.first(entry_bytes);
    rest = rest.subspan(entry_bytes);
    const Bytes entry_name = entry.subspan(kEntryBytes, name_bytes);
    if (!std::ranges::equal(entry_name, std::as_bytes(std::span(name)))) continue;

    if (number(entry, 10, 2) != 0) return wrong(name, "is compressed; attach it with `zip -0`");
    const size_t size = number(entry, 24, 4), offset = number(entry, 42, 4);
    if (offset > file.size() - directory->archive_begin) return wrong(name, "is outside the file");
    const Bytes member = file.subspan(directory->archive_begin + offset);
    if (!begins_with(member, kMemberSignature, kMemberBytes)) return wrong(name, "is not at its offset");
    const size_t header = kMemberBytes + number(member, 26, 2) + number(member, 28, 2);
    if (header > member.size() || size > member.size() - header) return wrong(name, "is outside the file");
    return member.subspan(header, size);
  }
  return wrong(name, "is missing");
}

}  // namespace sightglass::tflite
