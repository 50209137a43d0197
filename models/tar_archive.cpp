#include "tar_archive.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "gpu_engine/files.h"
#include "gpu_engine/quoted.h"

namespace sightglass {

namespace {

constexpr size_t kBlock = 512;
// Far above any package with models. They end the work on an archive that never ends.
constexpr int64_t kMostBytes = int64_t{1} << 30;  // decompressed
constexpr int kMostEntries = 20'000;
constexpr int64_t kLongestName = 4096;

// The fields of a header block: offset and length.
struct Field {
  size_t offset, length;
};
constexpr Field kName{0, 100}, kSize{124, 12}, kChecksum{148, 8}, kPrefix{345, 155};
constexpr size_t kType = 156, kMagic = 257;
constexpr char kRegular = '0', kOldRegular = '\0', kLongNameOfGnu = 'L', kAttributesOfPax = 'x', kGlobalOfPax = 'g';

using Block = std::array<char, kBlock>;

std::string_view text_of(const Block& block, Field field) {
  const std::string_view text(block.data() + field.offset, field.length);
  return text.substr(0, text.find('\0'));
}

// An octal number, with blanks around it. Base-256 numbers, for files of 8 GB and more, are rejected.
std::optional<int64_t> number_of(const Block& block, Field field) {
  std::string_view text = text_of(block, field);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return {};
    number = number * 8 + (c - '0');  // at most 12 digits of 3 bits
  }
  return number;
}

bool has_checksum(const Block& block) {
  int64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const bool is_checksum = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.length;
    sum += is_checksum ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return number_of(block, kChecksum) == sum;
}

std::string_view below_top(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  const size_t slash = name.find('/');
  return slash == name.npos ? std::string_view() : name.substr(slash + 1);
}

// The value of `path` in "LENGTH KEY=VALUE\n" records.
std::optional<std::string> path_of_pax(std::string_view records) {
  std::optional<std::string> path;
  while (!records.empty()) {
    size_t length = 0, digits = 0;
    while (digits < records.size() && digits < 5 && records[digits] >= '0' && records[digits] <= '9') {
      length = length * 10 + static_cast<size_t>(records[digits++] - '0');
    }
    if (digits == 0 || length <= digits + 1 || length > records.size()) return path;
    std::string_view record = records.substr(digits + 1, length - digits - 1);
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.starts_with("path=")) path = std::string(record.substr(5));
    records.remove_prefix(length);
  }
  return path;
}

class TarReader {
 public:
  static Result<TarReader> open(const std::string& path) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const InputFile file, InputFile::open(path));
    const int descriptor = ::dup(file.descriptor());  // closed with the stream
    if (descriptor < 0) return resource_exhausted("no more files can be opened");
    TarReader reader;
    reader.stream_.reset(::gzdopen(descriptor, "rb"));
    if (reader.stream_ != nullptr) return reader;
    ::close(descriptor);
    return resource_exhausted("cannot be decompressed: out of memory");
  }

  Status fill(std::span<TarMember> members) {
    std::vector<bool> found(members.size());
    for (int entries = 0;; ++entries) {
      if (entries == kMostEntries) return invalid_model("has more than " + std::to_string(kMostEntries) + " members");
      SIGHTGLASS_ASSIGN_OR_RETURN(const bool more, next());
      if (!more) break;
      const std::string_view name = below_top(name_);
      const auto wanted = std::ranges::find_if(members, [&](const TarMember& one) { return one.name == name; });
      if (!name.empty() && wanted != members.end() && is_regular_) {
        const auto index = static_cast<size_t>(wanted - members.begin());
        if (found[index]) return invalid_model("has the member " + quote(name) + " twice");
        SIGHTGLASS_ASSIGN_OR_RETURN(wanted->contents, contents(wanted->most_bytes));
        found[index] = true;
      }
      SIGHTGLASS_RETURN_IF_ERROR(skip());
      if (std::ranges::find(found, false) == found.end()) return {};
    }
    const auto missing = std::ranges::find(found, false) - found.begin();
    return not_found("has no member " + members[static_cast<size_t>(missing)].name);
  }

 private:
  struct Close {
    void operator()(gzFile stream) const { ::gzclose(stream); }
  };

  Status read(char* into, size_t bytes) {
    total_ += static_cast<int64_t>(bytes);
    if (total_ > kMostBytes) return invalid_model("decompresses to more than " + std::to_string(kMostBytes) + " bytes");
    if (bytes == 0) return {};
    const int count = ::gzread(stream_.get(), into, static_cast<unsigned>(bytes));
    if (count >= 0 && static_cast<size_t>(count) == bytes) return {};
    return invalid_model("is damaged: its compressed data are invalid or truncated");
  }

  // Moves to the next member. False: the archive ends.
  Result<bool> next() {
    std::optional<std::string> long_name;
    for (;;) {
      Block block;
      SIGHTGLASS_RETURN_IF_ERROR(read(block.data(), block.size()));
      if (std::ranges::all_of(block, [](char c) { return c == '\0'; })) return false;
      const std::optional<int64_t> size = number_of(block, kSize);
      if (!size || !has_checksum(block)) return invalid_model("is damaged: a header of a member is invalid");
      left_ = *size;
      const char type = block[kType];
      if (type == kLongNameOfGnu || type == kAttributesOfPax) {
        SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, contents(kLongestName));
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (type == kLongNameOfGnu) long_name = std::string(text.substr(0, text.find('\0')));
        if (type == kAttributesOfPax) {
          if (auto path = path_of_pax(text)) long_name = std::move(path);
        }
        SIGHTGLASS_RETURN_IF_ERROR(skip());
        continue;
      }
      if (type == kGlobalOfPax) {
        SIGHTGLASS_RETURN_IF_ERROR(skip());
        continue;
      }
      const bool is_ustar = std::string_view(block.data() + kMagic, 5) == "ustar";
      const std::string_view prefix = is_ustar ? text_of(block, kPrefix) : std::string_view();
      name_ = prefix.empty() ? "" : std::string(prefix) + "/";
      name_ += text_of(block, kName);
      if (long_name) name_ = *long_name;
      is_regular_ = type == kRegular || type == kOldRegular;
      return true;
    }
  }

  // The contents of the current member, once.
  Result<std::vector<std::byte>> contents(int64_t most_bytes) {
    if (left_ > most_bytes) {
      return invalid_model("has a member of " + std::to_string(left_) + " bytes, more than the expected " +
                           std::to_string(most_bytes));
    }
    std::vector<std::byte> bytes(static_cast<size_t>(left_));
    SIGHTGLASS_RETURN_IF_ERROR(read(reinterpret_cast<char*>(bytes.data()), bytes.size()));
    const size_t padding = (kBlock - bytes.size() % kBlock) % kBlock;
    Block rest;
    SIGHTGLASS_RETURN_IF_ERROR(read(rest.data(), padding));
    left_ = 0;
    return bytes;
  }

  // What is left of the current member.
  Status skip() {
    Block block;
    for (; left_ > 0; left_ -= static_cast<int64_t>(kBlock)) {
      SIGHTGLASS_RETURN_IF_ERROR(read(block.data(), block.size()));
    }
    left_ = 0;
    return {};
  }

  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> stream_;
  int64_t total_ = 0, left_ = 0;  // bytes: read, and of the current member
  std::string name_;
  bool is_regular_ = false;
};

}  // namespace

Status read_tar_members(const std::string& path, std::span<TarMember> members) {
  Result<TarReader> reader = TarReader::open(path);
  return (reader.ok() ? reader->fill(members) : reader.status()).with_context(path);
}

}  // namespace sightglass
