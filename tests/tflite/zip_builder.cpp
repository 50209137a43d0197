#include "zip_builder.h"

#include <zlib.h>

#include <algorithm>

namespace sightglass::test {
namespace {

constexpr uint16_t kDeflated = 8;

void put(std::vector<std::byte>& bytes, uint64_t number, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i < sizeof number ? number >> (8 * i) : 0));
}
void put(std::vector<std::byte>& bytes, const std::string& text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

std::string deflated(const std::string& text) {
  std::string packed(text.size() + text.size() / 1000 + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// As it is in the archive.
struct Packed {
  const Attached& member;
  std::string stored = member.deflates ? deflated(member.contents) : member.contents;
  uint16_t method = member.deflates ? kDeflated : member.method;
  uint32_t crc32 = member.crc32.value_or(static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(member.contents.data()), member.contents.size())));
  size_t bytes = member.stated_bytes.value_or(static_cast<uint32_t>(member.contents.size()));
  size_t offset = 0;
};

// The part that both headers of a member have.
void put_common(std::vector<std::byte>& file, const Packed& packed) {
  put(file, packed.member.flags, 2);
  put(file, packed.method, 2);
  put(file, 0, 4);  // time, date
  put(file, packed.crc32, 4);
  put(file, packed.stored.size(), 4);
  put(file, packed.bytes, 4);
  put(file, packed.member.name.size(), 2);
}

}  // namespace

void attach(std::vector<std::byte>& file, const std::vector<Attached>& members, bool from_archive) {
  const size_t origin = from_archive ? file.size() : 0;
  std::vector<Packed> all;
  for (const Attached& member : members) {
    Packed packed{member};
    packed.offset = file.size() - origin;
    put(file, 0x04034b50, 4);
    put(file, 20, 2);
    put_common(file, packed);
    put(file, 0, 2);
    put(file, member.name);
    put(file, packed.stored);
    all.push_back(std::move(packed));
  }
  const size_t directory = file.size();
  for (const Packed& packed : all) {
    put(file, 0x02014b50, 4);
    put(file, 20, 2);
    put(file, 20, 2);
    put_common(file, packed);
    put(file, 0, 12);  // extra field, comment, disk, attributes
    put(file, packed.offset, 4);
    put(file, packed.member.name);
  }
  const size_t size = file.size() - directory;
  put(file, 0x06054b50, 4);
  put(file, 0, 4);
  put(file, members.size(), 2);
  put(file, members.size(), 2);
  put(file, size, 4);
  put(file, directory - origin, 4);
  put(file, 0, 2);
}

std::vector<std::byte> zip(const std::vector<Attached>& members) {
  std::vector<std::byte> file;
  attach(file, members);
  return file;
}

}  // namespace sightglass::test
