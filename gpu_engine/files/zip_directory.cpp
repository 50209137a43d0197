#include <algorithm>
#include <array>

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

// Decompresses data in the DEFLATE format (RFC 1951). The longest codes have 15 bits.
class Inflater {
 public:
  Inflater(Bytes data, size_t bytes) : data_(data), most_(bytes) {}

  // Exactly as many bytes as expected. Returns nothing if the data are damaged or have another size.
  std::optional<std::vector<std::byte>> run() {
    bool is_last = false;
    while (!is_last && !failed_) {
      is_last = bits(1) != 0;
      const uint32_t type = bits(2);
      if (type == 0) {
        copy_stored();
      } else if (type == 1) {
        set_fixed_codes();
        decode_block();
      } else if (type == 2 && read_codes()) {
        decode_block();
      } else {
        failed_ = true;
      }
    }
    if (failed_ || out_.size() != most_) return std::nullopt;
    return std::move(out_);
  }

 private:
  static constexpr size_t kLongest = 15, kLiterals = 288, kDistances = 30;
  static constexpr uint32_t kBad = UINT32_MAX;

  // A canonical Huffman code: the number of codes of each length, and the symbols in the order of their codes.
  struct Code {
    std::array<uint32_t, kLongest + 1> counts{};
    std::array<uint16_t, kLiterals> symbols{};

    explicit Code(std::span<const uint8_t> lengths = {}) {
      std::array<uint32_t, kLongest + 2> first{};
      for (const uint8_t length : lengths) ++counts[length];
      counts[0] = 0;
      for (size_t length = 1; length <= kLongest; ++length) first[length + 1] = first[length] + counts[length];
      for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
        if (lengths[symbol] != 0) symbols[first[lengths[symbol]]++] = static_cast<uint16_t>(symbol);
      }
    }
  };

  uint32_t bits(uint32_t count) {
    while (count_ < count) {
      if (at_ == data_.size()) {
        failed_ = true;
        return 0;
      }
      held_ |= std::to_integer<uint32_t>(data_[at_++]) << count_;
      count_ += 8;
    }
    const uint32_t value = held_ & ((1U << count) - 1);
    held_ >>= count;
    count_ -= count;
    return value;
  }

  uint32_t symbol_of(const Code& code) {
    uint32_t value = 0, first = 0, index = 0;
    for (size_t length = 1; length <= kLongest && !failed_; ++length) {
      value |= bits(1);
      const uint32_t count = code.counts[length];
      if (value - first < count) return code.symbols[index + value - first];
      index += count;
      first = (first + count) << 1;
      value <<= 1;
    }
    failed_ = true;
    return kBad;
  }

  void copy_stored() {
    held_ = count_ = 0;  // the rest of the byte
    const uint32_t size = bits(16);
    if (bits(16) != (size ^ 0xffffU) || failed_ || size > data_.size() - at_ || size > most_ - out_.size()) {
      failed_ = true;
      return;
    }
    const Bytes stored = data_.subspan(at_, size);
    out_.insert(out_.end(), stored.begin(), stored.end());
    at_ += size;
  }

  void set_fixed_codes() {
    std::array<uint8_t, kLiterals> lengths{};
    for (size_t i = 0; i < kLiterals; ++i) {
      lengths[i] = static_cast<uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
    }
    literals_ = Code(lengths);
    const std::array<uint8_t, kDistances> five = [] {
      std::array<uint8_t, kDistances> all{};
      all.fill(5);
      return all;
    }();
    distances_ = Code(five);
  }

  bool read_codes() {
    static constexpr std::array<uint8_t, 19> kOrder{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const size_t literals = bits(5) + 257, distances = bits(5) + 1, lengths_of_lengths = bits(4) + 4;
    if (failed_ || literals > kLiterals || distances > kDistances) return false;
    std::array<uint8_t, kOrder.size()> of_lengths{};
    for (size_t i = 0; i < lengths_of_lengths; ++i) of_lengths[kOrder[i]] = static_cast<uint8_t>(bits(3));
    const Code code(of_lengths);
    std::array<uint8_t, kLiterals + kDistances> lengths{};
    for (size_t i = 0; i < literals + distances;) {
      const uint32_t symbol = symbol_of(code);
      if (failed_) return false;
      if (symbol < 16) {
        lengths[i++] = static_cast<uint8_t>(symbol);
        continue;
      }
      if (symbol == 16 && i == 0) return false;
      const uint8_t repeated = symbol == 16 ? lengths[i - 1] : 0;
      const size_t times = symbol == 16 ? 3 + bits(2) : symbol == 17 ? 3 + bits(3) : 11 + bits(7);
      if (times > literals + distances - i) return false;
      std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), times, repeated);
      i += times;
    }
    literals_ = Code(std::span(lengths).first(literals));
    distances_ = Code(std::span(lengths).subspan(literals, distances));
    return !failed_;
  }

  void decode_block() {
    static constexpr std::array<uint16_t, 29> kLengths{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr std::array<uint8_t, 29> kLengthBits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    constexpr uint32_t kEnd = 256;
    while (!failed_) {
      const uint32_t symbol = symbol_of(literals_);
      if (failed_ || symbol == kEnd) return;
      if (symbol < kEnd) {
        if (out_.size() == most_) failed_ = true;
        if (!failed_) out_.push_back(static_cast<std::byte>(symbol));
        continue;
      }
      const size_t row = symbol - kEnd - 1;
      if (row >= kLengths.size()) {
        failed_ = true;
        return;
      }
      const size_t length = kLengths[row] + bits(kLengthBits[row]);
      const uint32_t distance = distance_of(symbol_of(distances_));
      if (failed_ || distance > out_.size() || length > most_ - out_.size()) {
        failed_ = true;
        return;
      }
      for (size_t i = 0; i < length; ++i) out_.push_back(out_[out_.size() - distance]);
    }
  }

  // Two symbols share each number of extra bits.
  uint32_t distance_of(uint32_t symbol) {
    if (failed_ || symbol < 4) return symbol + 1;
    const uint32_t extra = symbol / 2 - 1;
    return ((2 + symbol % 2) << extra) + 1 + bits(extra);
  }

  Bytes data_;
  size_t most_, at_ = 0;
  uint32_t held_ = 0, count_ = 0;
  bool failed_ = false;
  Code literals_, distances_;
  std::vector<std::byte> out_;
};

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

Result<std::vector<std::byte>> ZipDirectory::unpacked(const ZipEntry& entry, size_t most) const {
  if (entry.bytes > most) return invalid_model("is larger than " + std::to_string(most) + " bytes");
  if (entry.method != ZipEntry::kStored && entry.method != ZipEntry::kDeflated) {
    return invalid_model("is compressed with an unknown method");
  }
  const bool is_stored = entry.method == ZipEntry::kStored;
  SIGHTGLASS_ASSIGN_OR_RETURN(const Bytes stored, contents(entry, is_stored ? entry.bytes : entry.stored_bytes));
  if (is_stored) return std::vector<std::byte>(stored.begin(), stored.end());
  std::optional<std::vector<std::byte>> all = Inflater(stored, entry.bytes).run();
  if (!all) return invalid_model("is damaged");
  return std::move(*all);
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
