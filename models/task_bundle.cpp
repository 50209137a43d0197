#include "task_bundle.h"

#include <glib.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "element_names.h"
#include "gpu_engine/files.h"
#include "gpu_engine/quoted.h"
#include "sightglass/status.h"

namespace sightglass {

// Decompresses members of ZIP archives (RFC 1951), and computes their checksums.

namespace {

// zlib counts in 32 bits.
uInt next_part(size_t left) { return static_cast<uInt>(std::min<size_t>(left, std::numeric_limits<uInt>::max())); }

struct Stream : z_stream {
  Stream() : z_stream{} {
    constexpr int kRaw = -MAX_WBITS;  // without a header
    is_ready = inflateInit2(this, kRaw) == Z_OK;
  }
  ~Stream() {
    if (is_ready) inflateEnd(this);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  bool is_ready;
};

}  // namespace

// Allocates `bytes` bytes and fills them. Fails if the data are not a deflate stream of exactly this size. The error
// has no subject: "is damaged: …".
Result<std::vector<std::byte>> inflate(std::span<const std::byte> data, size_t bytes) {
  Stream stream;
  if (!stream.is_ready) return resource_exhausted("cannot be decompressed: out of memory");
  std::vector<std::byte> result(bytes);
  std::byte none{};  // zlib requires an address even for no bytes
  size_t read = 0, written = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const uInt in = next_part(data.size() - read), out = next_part(bytes - written);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data() + read));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(bytes > 0 ? result.data() + written : &none);
    stream.avail_out = out;
    state = ::inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  if (state == Z_MEM_ERROR) return resource_exhausted("cannot be decompressed: out of memory");
  if (state == Z_BUF_ERROR && written == bytes && read < data.size()) {
    return invalid_model("is damaged: it decompresses to more than the stated " + std::to_string(bytes) + " bytes");
  }
  if (state != Z_STREAM_END) return invalid_model("is damaged: its compressed data are invalid or truncated");
  if (written != bytes) {
    return invalid_model("is damaged: it decompresses to " + std::to_string(written) + " bytes, not the stated " +
                         std::to_string(bytes));
  }
  return result;
}

// CRC-32, as ZIP archives use it.
uint32_t crc32_of(std::span<const std::byte> data) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kBundleSuffix = ".task";
// Deflate compresses at most by this factor, apart from a few bytes.
constexpr uint64_t kMostCompression = 1032, kCompressionSlack = 64;
// A bundle may decompress to this many bytes for each of its own, and to any small number. Weights hardly compress.
constexpr uint64_t kMostGrowth = 32, kSmall = uint64_t{64} << 20;

std::string_view file_name(std::string_view member) { return member.substr(member.rfind('/') + 1); }

// Why the name is unusable; null if it is fine.
const char* defect_of(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > TaskBundle::kLongestName) return "is too long";
  if (name.front() == '/' || name.find('\\') != name.npos) return "is not a relative path";
  if (std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; })) return "has control characters";
  if (g_utf8_validate(name.data(), static_cast<gssize>(name.size()), nullptr) == FALSE) return "is not UTF-8";
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part.empty() || part == "." || part == "..") return "is not a plain path";
    name.remove_prefix(std::min(part.size() + 1, name.size()));
  }
  return nullptr;
}

Status check_entry(const ZipDirectory& directory, const ZipEntry& entry) {
  if ((entry.flags & ZipEntry::kEncrypted) != 0) return unsupported("is encrypted");
  if (entry.method != ZipEntry::kStored && entry.method != ZipEntry::kDeflated) {
    return unsupported("is compressed by method " + std::to_string(entry.method) + ", but only deflate is supported");
  }
  if (entry.method == ZipEntry::kStored && entry.stored_bytes != entry.bytes) {
    return invalid_model("states " + std::to_string(entry.bytes) + " bytes, but is stored in " +
                         std::to_string(entry.stored_bytes));
  }
  if (entry.method == ZipEntry::kDeflated) {
    if (entry.bytes > TaskBundle::kMostBytes) {
      return resource_exhausted("states " + std::to_string(entry.bytes) +
                                " bytes; the maximum of a compressed one is " + std::to_string(TaskBundle::kMostBytes));
    }
    if (entry.bytes > kMostCompression * entry.stored_bytes + kCompressionSlack) {
      return invalid_model("states " + std::to_string(entry.bytes) + " bytes, more than its " +
                           std::to_string(entry.stored_bytes) + " compressed bytes can contain");
    }
  }
  SIGHTGLASS_RETURN_IF_ERROR(directory.check_header(entry));
  return directory.contents(entry, entry.stored_bytes).status();
}

Status cannot_open(const std::string& reason) {
  return invalid_model("cannot open the bundle: " + reason + "; download it again");
}
Status cannot_open(const std::string& member, const Status& reason) {
  return {reason.code(), "cannot open the bundle: its member " + quote(member) + " " + reason.message() +
                             "; download it again, or pack it with `zip`"};
}

std::optional<std::string> subject_of(std::string_view member) {
  constexpr std::string_view kSuffix = "_landmarks_detector.tflite";
  const std::string_view file = file_name(member);
  if (!file.ends_with(kSuffix) || file.size() == kSuffix.size()) return std::nullopt;
  return std::string(file.substr(0, file.size() - kSuffix.size()));
}

}  // namespace

const char* BundledTask::element() const {
  if (subject == "pose") return elements::kPose.element;
  if (subject == "face" || subject == "hand") return elements::kInfer.element;
  return nullptr;
}

Result<FileContents> TaskBundle::Source::contents() const {
  std::vector<std::byte> contents;
  if (method == ZipEntry::kDeflated) {
    SIGHTGLASS_ASSIGN_OR_RETURN(contents, inflate(stored, static_cast<size_t>(bytes)));
  } else {
    contents.assign(stored.begin(), stored.end());  // models must be aligned
  }
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(contents));
  FileContents result{*kept, kept};
  if (crc32_of(result.bytes) != crc32) return invalid_model("is damaged: its checksum differs from the stated one");
  return result;
}

// Padding may precede the first member, and models with attached files end like archives.
bool TaskBundle::is_bundle(const std::string& path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok()) return false;
  std::array<char, 8> beginning{};
  const Result<size_t> count = file->read(std::as_writable_bytes(std::span(beginning)));
  if (!count.ok()) return false;
  const std::string_view text(beginning.data(), *count);
  if (text.substr(std::min<size_t>(4, text.size())) == "TFL3") return false;
  if (path.ends_with(kBundleSuffix) || text.starts_with("PK\x03\x04")) return true;
  const Result<FileContents> whole = read_file(path, kLargestFile);
  return whole.ok() && ZipDirectory::find(whole->bytes).has_value();
}

Result<TaskBundle> TaskBundle::open(const std::string& path) {
  Result<FileContents> file = read_file(path, kLargestFile);
  if (!file.ok()) return file.status().with_context(path);
  return open(*std::move(file), path);
}

Result<TaskBundle> TaskBundle::open(std::span<const std::byte> bytes, const std::string& name) {
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  return open(FileContents{*copy, copy}, name);
}

Result<TaskBundle> TaskBundle::open(const FileContents& file, const std::string& name) {
  TaskBundle bundle;
  bundle.name_ = name;
  bundle.most_inflated_ = std::min(kMostBytes, kSmall + kMostGrowth * file.bytes.size());
  const Status status = bundle.add_members(file, "");
  if (!status.ok()) return status.with_context(name);
  return bundle;
}

Status TaskBundle::add_members(const FileContents& archive, const std::string& folder) {
  const std::optional<ZipDirectory> directory = ZipDirectory::find(archive.bytes);
  if (!directory) return cannot_open("it is not a ZIP archive, or it is truncated");
  if (directory->entries().size() != directory->stated_entries()) {
    return cannot_open("its directory is damaged, only " + std::to_string(directory->entries().size()) + " of " +
                       std::to_string(directory->stated_entries()) + " entries are valid");
  }
  std::vector<Source> sources;
  for (const ZipEntry& entry : directory->entries()) {
    if (entry.name.ends_with('/') && entry.bytes == 0 && entry.stored_bytes == 0) continue;  // a directory
    const char* defect = defect_of(entry.name);
    const Status valid = defect != nullptr ? invalid_model("has an unusable name, which " + std::string(defect))
                                           : check_entry(*directory, entry);
    if (!valid.ok()) return cannot_open(folder + std::string(entry.name), valid);
    sources.push_back({archive.owner, *directory->contents(entry, entry.stored_bytes), entry.method, entry.crc32,
                       entry.bytes, folder + std::string(entry.name)});
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_apart(sources));
  for (const Source& source : sources) SIGHTGLASS_RETURN_IF_ERROR(add_member(source));
  return {};
}

// Members that share bytes could decompress to many times the size of the file.
Status TaskBundle::check_apart(const std::vector<Source>& sources) {
  std::vector<std::pair<const std::byte*, const std::byte*>> places;
  for (const Source& source : sources) {
    const Bytes stored = source.stored;
    if (!stored.empty()) places.emplace_back(stored.data(), stored.data() + stored.size());
  }
  std::ranges::sort(places);
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i].first < places[i - 1].second) return cannot_open("its members overlap");
  }
  return {};
}

// Adds the members of a bundle inside this one in its place, one level deep. All that is compressed counts, at every
// level and whether it is ever read: an application may read every member.
Status TaskBundle::add_member(const Source& source) {
  if (members_.size() == kMostMembers)
    return cannot_open("it has more than " + std::to_string(kMostMembers) + " members");
  if (std::ranges::find(members_, source.name, &Member::name) != members_.end()) {
    return cannot_open(source.name, invalid_model("exists twice"));
  }
  if (source.method == ZipEntry::kDeflated) inflated_bytes_ += source.bytes;
  if (inflated_bytes_ > most_inflated_) {
    return cannot_open(source.name, resource_exhausted("is too large: the maximum of all compressed members of this "
                                                       "bundle is " +
                                                       std::to_string(most_inflated_) + " bytes"));
  }
  const bool is_inside = source.name.find(std::string(kBundleSuffix) + "/") != std::string::npos;
  if (!source.name.ends_with(kBundleSuffix) || is_inside) {
    members_.push_back({source.name, source.bytes});
    sources_.push_back(source);
    return {};
  }
  Result<FileContents> contents = source.contents();
  if (!contents.ok()) return cannot_open(source.name, contents.status());
  return add_members(*contents, source.name + "/").with_context(source.name);
}

std::vector<TaskBundle::Member> TaskBundle::models() const {
  std::vector<Member> models;
  std::ranges::copy_if(members_, std::back_inserter(models), &Member::is_model);
  return models;
}

std::vector<BundledTask> TaskBundle::tasks() const {
  std::vector<BundledTask> tasks;
  const auto find = [&](const std::string& name) {
    return std::ranges::find(members_, name, &Member::name) == members_.end() ? std::string() : name;
  };
  for (const Member& member : members_) {
    const std::optional<std::string> subject = subject_of(member.name);
    if (!subject) continue;
    const std::string folder = member.name.substr(0, member.name.size() - file_name(member.name).size());
    tasks.push_back({*subject, member.name, find(folder + *subject + "_detector.tflite"),
                     find(folder + *subject + "_blendshapes.tflite")});
  }
  return tasks;
}

std::string TaskBundle::list_models() const {
  constexpr size_t kMostListed = 20;
  std::vector<Member> listed = models();
  if (listed.empty()) listed = members_;
  if (listed.empty()) return "nothing";
  std::string text;
  for (size_t i = 0; i < std::min(listed.size(), kMostListed); ++i) {
    text += (i == 0 ? "" : ", ") + printable(listed[i].name);
  }
  return listed.size() > kMostListed ? text + ", …" : text;
}

Result<FileContents> TaskBundle::read(std::string_view member) const {
  const auto source = std::ranges::find(sources_, member, &Source::name);
  if (source == sources_.end()) {
    return not_found(name_ + ": the bundle has no member " + quote(member) + "; it has " + list_models());
  }
  Result<FileContents> contents = source->contents();
  if (!contents.ok()) {
    return Status(contents.status().code(), name_ + ": the member " + quote(member) + " " +
                                                contents.status().message() + "; download the bundle again");
  }
  return contents;
}

}  // namespace sightglass
