#include "sightglass/program_cache.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "gpu_engine/files.h"
#include "shader/fnv_hash.h"
#include "sightglass/cache_folder.h"

namespace sightglass {

namespace {

namespace fs = std::filesystem;

// Start of a file; then come the key and the binary, and nothing else. Numbers are in native byte order: files of the
// other byte order have a different magic number.
struct Header {
  uint64_t magic = 0;
  uint32_t version = 0;
  uint32_t format = 0;
  uint64_t key_bytes = 0;
  uint64_t binary_bytes = 0;
  uint64_t checksum = 0;  // of the rest of the file
};
static_assert(sizeof(Header) == 40);

constexpr uint64_t kMagic = 0x4d41'5247'4f52'5053;
constexpr uint32_t kVersion = 1;
constexpr int64_t kLargestFile = int64_t{64} << 20;
constexpr const char* kSuffix = ".program";

uint64_t checksum(Header header, std::string_view key, const void* binary) {
  header.checksum = 0;
  return FnvHash()
      .add(&header, sizeof header)
      .add(key.data(), key.size())
      .add(binary, static_cast<size_t>(header.binary_bytes))
      .value();
}

// The whole file; empty if it cannot be read or has an implausible size.
std::optional<std::vector<std::byte>> read_all(InputFile& file) {
  if (file.size() > kLargestFile) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(file.size()));
  return file.read_exactly(bytes).ok() ? std::optional(std::move(bytes)) : std::nullopt;
}

Status write_file(const std::string& path, const Header& header, std::string_view key,
                  std::span<const std::byte> binary) {
  SIGHTGLASS_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path, FileAccess::kOwner));
  SIGHTGLASS_RETURN_IF_ERROR(file.append(std::as_bytes(std::span(&header, 1))));
  SIGHTGLASS_RETURN_IF_ERROR(file.append(key));
  SIGHTGLASS_RETURN_IF_ERROR(file.append(binary));
  return file.commit(Durability::kUnsynced);  // the checksum finds an incomplete file
}

enum class Verdict { kGood, kDamaged, kOther };

Verdict examine(const std::vector<std::byte>& file, std::string_view key, ProgramCache::Binary& binary) {
  Header header;
  if (file.size() < sizeof header) return Verdict::kDamaged;
  std::memcpy(&header, file.data(), sizeof header);
  if (header.magic != kMagic || header.version != kVersion) return Verdict::kDamaged;
  const size_t rest = file.size() - sizeof header;
  if (header.key_bytes > rest || header.binary_bytes != rest - header.key_bytes) return Verdict::kDamaged;
  const auto key_bytes = static_cast<size_t>(header.key_bytes);
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + sizeof header, key_bytes);
  const std::byte* data = file.data() + sizeof header + key_bytes;
  if (header.checksum != checksum(header, text, data)) return Verdict::kDamaged;
  if (text != key) return Verdict::kOther;
  binary.format = header.format;
  binary.bytes.assign(data, file.data() + file.size());
  return Verdict::kGood;
}

}  // namespace

ProgramCache::ProgramCache(std::string folder, int64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}

std::string ProgramCache::path_of(std::string_view key) const {
  std::array<char, 17> name{};
  std::snprintf(name.data(), name.size(), "%016llx",
                static_cast<unsigned long long>(FnvHash().add(key.data(), key.size()).value()));
  return folder_ + "/" + name.data() + kSuffix;
}

std::optional<ProgramCache::Binary> ProgramCache::find(std::string_view key, std::string* why_not) try {
  const auto explain = [why_not](const std::string& reason) {
    if (why_not != nullptr) *why_not = reason;
  };
  if (const Status usable = check_private_folder(folder_); usable.ok()) {
    const std::string path = path_of(key);
    Result<InputFile> file = InputFile::open(path);
    Binary binary;
    const auto bytes = file.ok() ? read_all(*file) : std::nullopt;
    const Verdict verdict = bytes ? examine(*bytes, key, binary) : Verdict::kDamaged;
    if (verdict == Verdict::kGood) {
      ++hits_;
      return binary;
    }
    const bool exists = file.status().code() != ErrorCode::kNotFound;
    if (verdict == Verdict::kDamaged && exists) unlink(path.c_str());
    explain(!exists                      ? "it is not in the cache"
            : verdict == Verdict::kOther ? path + " contains another program"
                                         : path + " is damaged and deleted");
  } else {
    explain(usable.message());
  }
  ++misses_;
  return std::nullopt;
} catch (...) {
  ++misses_;  // also if memory runs out
  return std::nullopt;
}

void ProgramCache::store(std::string_view key, const Binary& binary) try {
  Header header{kMagic, kVersion, binary.format, key.size(), binary.bytes.size(), 0};
  const auto total = static_cast<int64_t>(sizeof header + key.size() + binary.bytes.size());
  if (total > std::min(max_bytes_, kLargestFile)) return;
  header.checksum = checksum(header, key, binary.bytes.data());
  if (!make_private_folder(folder_).ok()) return;
  if (!write_file(path_of(key), header, key, binary.bytes).ok()) return;
  ++stored_;
  trim();
} catch (...) {
  // A program that was not stored is compiled next time.
}

void ProgramCache::remove(std::string_view key) try { unlink(path_of(key).c_str()); } catch (...) {
  // A remaining file is rejected again.
}

// Deletes the oldest files, including those that a crashed process left half written.
void ProgramCache::trim() const {
  struct Entry {
    fs::file_time_type time;
    int64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // another process may trim too
    if (it->path().filename().string().find(kSuffix) == std::string::npos) continue;
    const auto size = static_cast<int64_t>(it->file_size(gone));
    const fs::file_time_type time = it->last_write_time(gone);
    if (gone) continue;
    entries.push_back({time, size, it->path()});
    total += size;
  }
  if (total <= max_bytes_) return;
  std::ranges::sort(entries, {}, &Entry::time);
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) return;
    if (fs::remove(entry.path, error)) total -= entry.size;
  }
}

}  // namespace sightglass
