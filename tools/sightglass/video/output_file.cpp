#include "video/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "video/gst_setup.h"

namespace sightglass::video {

namespace {

// Replaces the file sink by one that writes to the descriptor.
Status write_to_descriptor(GstElement* pipeline, GstElement* file_sink, int descriptor) {
  const PadPtr pad(gst_element_get_static_pad(file_sink, "sink"));
  const PadPtr peer(gst_pad_get_peer(pad.get()));
  const TextPtr name(gst_element_get_name(file_sink));
  GstElement* const sink = gst_element_factory_make("fdsink", nullptr);
  if (sink == nullptr || peer == nullptr) return device_error("GStreamer's fdsink is missing; install GStreamer again");
  g_object_set(sink, "fd", descriptor, "sync", FALSE, nullptr);
  gst_pad_unlink(peer.get(), pad.get());
  gst_bin_remove(GST_BIN(pipeline), file_sink);
  gst_element_set_name(sink, name.get());
  gst_bin_add(GST_BIN(pipeline), sink);
  const PadPtr new_pad(gst_element_get_static_pad(sink, "sink"));
  if (gst_pad_link(peer.get(), new_pad.get()) == GST_PAD_LINK_OK) return {};
  return device_error("GStreamer cannot link its fdsink");
}

}  // namespace

Result<UnfinishedFile> UnfinishedFile::open(const std::string& name) {
  UnfinishedFile result;
  if (name.empty()) return result;
  SIGHTGLASS_ASSIGN_OR_RETURN(const OutputPlace place, find_output_place(name));
  if (place.in_place) {
    SIGHTGLASS_ASSIGN_OR_RETURN(result.descriptor_, open_in_place(place.path));
    return result;
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(auto file, AtomicFile::create_locked(place.path, FileAccess::kEveryone));
  if (!file) {
    return device_error(name + ": another process writes this file; wait until it ends, or choose another name");
  }
  if (place.mode) SIGHTGLASS_RETURN_IF_ERROR(file->set_permissions(*place.mode));
  result.file_.emplace(*std::move(file));
  return result;
}

Result<std::optional<UnfinishedFile>> UnfinishedFile::claim(const std::string& name) {
  struct stat info {};
  if (lstat(name.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
      return device_error(name + ": is not a regular file; remove it, or choose another directory");
    }
  } else if (errno != ENOENT) {
    return device_error(name + ": " + std::strerror(errno));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(auto file, AtomicFile::create_locked(name, FileAccess::kEveryone));
  std::optional<UnfinishedFile> result;
  if (!file) return result;
  result.emplace(UnfinishedFile());
  result->file_.emplace(*std::move(file));
  return result;
}

UnfinishedFile::~UnfinishedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Status UnfinishedFile::attach(GstElement* pipeline, const char* element) const {
  if (!file_ && descriptor_ < 0) return {};
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline), element));
  if (descriptor_ >= 0) return write_to_descriptor(pipeline, sink.get(), descriptor_);
  g_object_set(sink.get(), "location", file_->temporary_path().c_str(), nullptr);
  return {};
}

bool UnfinishedFile::seekable() const { return descriptor_ < 0 || ::lseek(descriptor_, 0, SEEK_CUR) >= 0; }

Status UnfinishedFile::finish() { return file_ ? file_->commit() : Status(); }

namespace {

constexpr uint64_t kUnknown = UINT64_MAX;

// Random access to the bytes of a file.
class Bytes {
 public:
  explicit Bytes(const std::string& path) : file_(path, std::ios::binary | std::ios::ate) {
    if (file_) size_ = static_cast<uint64_t>(file_.tellg());
  }
  uint64_t size() const { return size_; }

  // As many of the bytes as there are.
  std::string text(uint64_t at, size_t count) {
    std::string bytes(at < size_ ? static_cast<size_t>(std::min<uint64_t>(count, size_ - at)) : 0, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }
  // An unsigned number; 0 if it is beyond the end.
  uint64_t big_endian(uint64_t at, size_t count) { return number(text(at, count), count, false); }
  uint64_t little_endian(uint64_t at, size_t count) { return number(text(at, count), count, true); }

 private:
  static uint64_t number(std::string bytes, size_t count, bool reversed) {
    if (bytes.size() != count) return 0;
    if (reversed) std::reverse(bytes.begin(), bytes.end());
    uint64_t value = 0;
    for (const char c : bytes) value = value << 8U | static_cast<uint8_t>(c);
    return value;
  }
  std::ifstream file_;
  uint64_t size_ = 0;
};

// Each function returns where the part at `at` ends; nothing if there is no such part; kUnknown if it does not say.
using PartEnd = std::optional<uint64_t> (*)(Bytes& file, uint64_t at);

// MP4 and MOV.
std::optional<uint64_t> box_end(Bytes& file, uint64_t at) {
  constexpr std::array<std::string_view, 15> kTypes = {"ftyp", "moov", "mdat", "free", "skip", "wide", "moof", "mfra",
                                                       "styp", "sidx", "uuid", "meta", "emsg", "prft", "pnot"};
  if (std::find(kTypes.begin(), kTypes.end(), file.text(at + 4, 4)) == kTypes.end()) return {};
  const uint64_t size = file.big_endian(at, 4);
  if (size == 0) return kUnknown;
  if (size == 1) return at + std::max<uint64_t>(16, file.big_endian(at + 8, 8));
  return at + std::max<uint64_t>(8, size);
}

// A number of EBML with a length of its own; nothing if it is beyond the end.
struct EbmlSize {
  uint64_t value = 0;
  size_t bytes = 0;
};
std::optional<EbmlSize> ebml_size(Bytes& file, uint64_t at) {
  const auto first = static_cast<uint8_t>(file.big_endian(at, 1));
  if (first == 0) return {};
  size_t bytes = 1;
  while ((first << (bytes - 1) & 0x80U) == 0) ++bytes;
  const uint64_t mask = (uint64_t{1} << (7 * bytes)) - 1;
  const uint64_t value = file.big_endian(at, bytes) & mask;
  return EbmlSize{value == mask ? kUnknown : value, bytes};
}

// Matroska and WebM: the EBML header and the segment.
std::optional<uint64_t> ebml_end(Bytes& file, uint64_t at) {
  constexpr uint64_t kHeader = 0x1a45dfa3, kSegment = 0x18538067;
  const uint64_t id = file.big_endian(at, 4);
  if (id != kHeader && id != kSegment) return {};
  const auto size = ebml_size(file, at + 4);
  if (!size || size->value == kUnknown) return kUnknown;
  return at + 4 + size->bytes + size->value;
}

// AVI, in one part or in several.
std::optional<uint64_t> riff_end(Bytes& file, uint64_t at) {
  if (file.text(at, 4) != "RIFF") return {};
  const uint64_t size = file.little_endian(at + 4, 4);
  const bool unfinished = size == 0 || size == UINT32_MAX;
  return unfinished ? kUnknown : at + 8 + size;
}

std::optional<uint64_t> ogg_page_end(Bytes& file, uint64_t at) {
  constexpr size_t kHeader = 27;
  if (file.text(at, 4) != "OggS") return {};
  const size_t segments = static_cast<size_t>(file.big_endian(at + kHeader - 1, 1));
  uint64_t end = at + kHeader + segments;
  for (const char c : file.text(at + kHeader, segments)) end += static_cast<uint8_t>(c);
  return end;
}

std::optional<uint64_t> flv_tag_end(Bytes& file, uint64_t at) {
  constexpr uint64_t kHeader = 9, kTagHeader = 11, kSizeOfTag = 4;
  if (at == 0) return file.text(0, 3) == "FLV" ? std::optional(kHeader + kSizeOfTag) : std::nullopt;
  const uint64_t type = file.big_endian(at, 1);
  if (type != 8 && type != 9 && type != 18) return {};
  return at + kTagHeader + file.big_endian(at + 1, 3) + kSizeOfTag;
}

// Windows Media: objects that begin with an identifier of 16 bytes and a size.
std::optional<uint64_t> asf_object_end(Bytes& file, uint64_t at) {
  constexpr std::string_view kHeader("\x30\x26\xb2\x75\x8e\x66\xcf\x11", 8);
  if (at == 0 && file.text(0, kHeader.size()) != kHeader) return {};
  const uint64_t size = file.little_endian(at + 16, 8);
  if (size < 24) return {};
  return at + size;
}

std::optional<uint64_t> png_chunk_end(Bytes& file, uint64_t at) {
  constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
  if (at == 0) return file.text(0, kSignature.size()) == kSignature ? std::optional(kSignature.size()) : std::nullopt;
  if (file.text(at - 8, 4) == "IEND") return {};
  return at + 12 + file.big_endian(at, 4);
}

// Where a table of colors ends, whose size is in the flags.
uint64_t gif_table_end(uint64_t at, uint64_t flags) {
  return (flags & 0x80U) != 0 ? at + 3 * (uint64_t{2} << (flags & 7U)) : at;
}

std::optional<uint64_t> gif_block_end(Bytes& file, uint64_t at) {
  constexpr uint64_t kExtension = 0x21, kImage = 0x2c, kTrailer = 0x3b;
  if (at == 0)
    return file.text(0, 4) == "GIF8" ? std::optional(gif_table_end(13, file.big_endian(10, 1))) : std::nullopt;
  if (file.big_endian(at - 1, 1) == kTrailer && at == file.size()) return {};
  const uint64_t kind = file.big_endian(at, 1);
  if (kind == kTrailer) return at + 1;
  uint64_t part = 0;
  if (kind == kExtension) part = at + 2;
  if (kind == kImage) part = gif_table_end(at + 10, file.big_endian(at + 9, 1)) + 1;
  if (part == 0) return at < file.size() ? std::nullopt : std::optional(at + 2);
  while (const uint64_t bytes = file.big_endian(part, 1)) part += 1 + bytes;
  return part < file.size() ? part + 1 : part + 2;
}

std::string missing_text(uint64_t there, uint64_t expected) {
  return "ends early: " + std::to_string(there) + " of at least " + std::to_string(expected) + " bytes are there";
}

// JPEG has no sizes: its scan ends with a marker.
bool is_cut_jpeg(Bytes& file) {
  constexpr uint64_t kMarker = 0xffd8, kScan = 0xffda;
  if (file.big_endian(0, 2) != kMarker) return false;
  uint64_t at = 2;
  while (file.big_endian(at, 2) != kScan) {
    if (file.big_endian(at, 1) != 0xff) return at >= file.size();  // the decoder finds other damage
    at += 2 + file.big_endian(at + 2, 2);
  }
  constexpr size_t kBlock = 1U << 16U;
  for (; at < file.size(); at += kBlock - 1) {
    if (file.text(at, kBlock).find("\xff\xd9") != std::string::npos) return false;
  }
  return true;
}

}  // namespace

std::string describe_cut(const std::string& path) {
  Bytes file(path);
  for (const PartEnd part_end :
       {box_end, ebml_end, riff_end, ogg_page_end, flv_tag_end, asf_object_end, png_chunk_end, gif_block_end}) {
    uint64_t at = 0;
    std::optional<uint64_t> end = part_end(file, at);
    if (!end) continue;
    while (end && *end != kUnknown && *end > at && *end <= file.size()) {
      at = *end;
      end = part_end(file, at);
    }
    const bool cut = end && *end != kUnknown && *end > file.size() + 1;  // some writers count a byte of padding
    return cut ? missing_text(file.size(), *end) : std::string();
  }
  return is_cut_jpeg(file) ? "ends early: the end of the image is missing" : std::string();
}

namespace {

// The muxer uses the duration of the last buffer only. Which one is the last is not known, so each lasts until the end
// of everything before it.
GstPadProbeReturn on_encoded(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& end = *static_cast<GstClockTime*>(data);
  GstBuffer* const buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  if (!GST_BUFFER_PTS_IS_VALID(buffer) || !GST_BUFFER_DTS_IS_VALID(buffer)) return GST_PAD_PROBE_OK;
  const GstClockTime shown = GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : 0;
  end = std::max(end, GST_BUFFER_PTS(buffer) + shown);
  if (end > GST_BUFFER_DTS(buffer)) GST_BUFFER_DURATION(buffer) = end - GST_BUFFER_DTS(buffer);
  return GST_PAD_PROBE_OK;
}

}  // namespace

void keep_last_frames(GstElement* pipeline, const char* muxer) {
  const ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline), muxer));
  if (element == nullptr) return;
  const std::string_view factory = GST_OBJECT_NAME(gst_element_get_factory(element.get()));
  if (factory != "mp4mux" && factory != "qtmux") return;
  GList* const pads = element->sinkpads;
  for (GList* item = pads; item != nullptr; item = item->next) {
    auto* const pad = GST_PAD(item->data);
    if (!std::string_view(GST_PAD_NAME(pad)).starts_with("video_")) continue;
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_encoded, new GstClockTime(0),
                      [](gpointer end) { delete static_cast<GstClockTime*>(end); });
  }
}

}  // namespace sightglass::video
