#include "tflite/model_file.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gpu_engine/files.h"

namespace sightglass::tflite {
namespace {

// Flatbuffer offsets have 32 bits, one of which is reserved.
constexpr size_t kMaxFlatbufferBytes = (size_t{1} << 31) - 1;
// The deepest path is model, subgraph, operator, options: far below this.
constexpr uint32_t kMaxDepth = 16;
constexpr uint32_t kMaxTables = 1'000'000;
constexpr uint32_t kSchemaVersion = 3;

}  // namespace

Result<ModelFile> ModelFile::open(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  constexpr size_t kHeaderBytes = sizeof(flatbuffers::uoffset_t) + flatbuffers::kFileIdentifierLength;
  if (bytes.size() < kHeaderBytes) {
    return invalid_model("not a TensorFlow Lite model: only " + std::to_string(bytes.size()) + " bytes long");
  }
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float) != 0) {
    return invalid_argument("the address of the model must be a multiple of 4");
  }
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (!schema::ModelBufferHasIdentifier(data)) {
    if (const char* kind = file_kind({reinterpret_cast<const char*>(data), bytes.size()})) {
      return invalid_model(std::string("not a TensorFlow Lite model: this is ") + kind);
    }
    const std::string_view found(reinterpret_cast<const char*>(data) + sizeof(flatbuffers::uoffset_t),
                                 flatbuffers::kFileIdentifierLength);
    return invalid_model("not a TensorFlow Lite model: file identifier is " + quote(found) + ", not 'TFL3'");
  }
  // Beyond this follows plain data, to which buffers refer by offset.
  const size_t verified_bytes = std::min(bytes.size(), kMaxFlatbufferBytes - 1);
  flatbuffers::Verifier verifier(data, verified_bytes, kMaxDepth, kMaxTables);
  if (!schema::VerifyModelBuffer(verifier)) {
    return invalid_model("damaged: offsets or sizes point outside the file of " + std::to_string(bytes.size()) +
                         " bytes, or it has too many parts");
  }

  ModelFile file;
  file.bytes_ = bytes;
  file.owner_ = std::move(owner);
  file.model_ = schema::GetModel(data);
  file.budget_ = 4 * bytes.size() + (size_t{1} << 20);
  if (file.model_->version() != kSchemaVersion) {
    return unsupported("format version " + std::to_string(file.model_->version()) + ", but only version " +
                       std::to_string(kSchemaVersion) + " can be read: convert the model with a newer converter");
  }
  const auto* subgraphs = file.model_->subgraphs();
  if (subgraphs == nullptr || subgraphs->size() == 0) return invalid_model("has no subgraph");
  file.subgraph_ = subgraphs->Get(0);
  return file;
}

Status ModelFile::choose(const std::string& signature) {
  if (signature.empty()) return {};
  constexpr uint32_t kMostNamed = 16;
  const auto* signatures = model_->signature_defs();
  const uint32_t count = signatures == nullptr ? 0 : signatures->size();
  std::string names;
  for (uint32_t i = 0; i < count; ++i) {
    const schema::SignatureDef& entry = *signatures->Get(i);
    const std::string_view key = entry.signature_key() == nullptr ? "" : entry.signature_key()->string_view();
    if (key == signature) {
      if (entry.subgraph_index() >= model_->subgraphs()->size()) {
        return invalid_model("its signature " + quote(signature) + " is that of subgraph " +
                             std::to_string(entry.subgraph_index()) + ", but there are " +
                             std::to_string(model_->subgraphs()->size()));
      }
      subgraph_ = model_->subgraphs()->Get(entry.subgraph_index());
      return {};
    }
    if (i < kMostNamed) names += (i > 0 ? ", " : "") + quote(key);
  }
  return invalid_argument("signature " + quote(signature) + " not found; " +
                          (count == 0 ? "the file has none" : "signatures are " + names) +
                          (count > kMostNamed ? ", …" : ""));
}

Result<std::span<const std::byte>> ModelFile::buffer(uint32_t index) const {
  const auto* buffers = model_->buffers();
  const uint32_t count = buffers == nullptr ? 0 : buffers->size();
  if (index >= count) {
    return invalid_model("buffer " + std::to_string(index) + " does not exist: there are " + std::to_string(count));
  }
  const schema::Buffer& buffer = *buffers->Get(index);
  if (buffer.offset() > 1) {
    if (buffer.offset() > bytes_.size() || buffer.size() > bytes_.size() - buffer.offset()) {
      return invalid_model("buffer " + std::to_string(index) + " is outside the file");
    }
    if (buffer.offset() % alignof(float) != 0) {
      return invalid_model("buffer " + std::to_string(index) + " begins at an odd address");
    }
    return bytes_.subspan(buffer.offset(), buffer.size());
  }
  if (buffer.data() == nullptr) return std::span<const std::byte>();
  return std::as_bytes(std::span(buffer.data()->data(), buffer.data()->size()));
}

Status ModelFile::charge(size_t bytes) {
  if (bytes > budget_) return invalid_model("damaged: its parts overlap and reference far more bytes than it has");
  budget_ -= bytes;
  return {};
}

namespace {

using namespace std::string_view_literals;

struct Kind {
  size_t offset;
  std::string_view signature;
  const char* name;
};
constexpr Kind kKinds[] = {
    {0, "\xff\xd8\xff"sv, "a JPEG image"},
    {0, "\x89PNG\r\n\x1a\n"sv, "a PNG image"},
    {0, "GIF8"sv, "a GIF image"},
    {8, "WEBP"sv, "a WebP image"},
    {4, "ftyp"sv, "an MP4 video"},
    {0, "\x1a\x45\xdf\xa3"sv, "a Matroska or WebM video"},
    {0, "PK\x03\x04"sv, "a ZIP archive; if it is a MediaPipe .task bundle, unpack the .tflite file in it"},
    {0, "\x1f\x8b"sv, "a gzip archive; unpack the .tflite file in it"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file, such as Keras writes; convert it to TensorFlow Lite"},
    {0, "version https://git-lfs"sv, "a Git LFS pointer; run `git lfs pull`"},
    {0, "%PDF-"sv, "a PDF document"},
    {0,
     "\x7f"
     "ELF"sv,
     "a program or library"},
};

// Typical server response for a missing file.
bool is_web_page(std::string_view bytes) {
  const size_t begin = std::min(bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf"), bytes.size());
  bytes.remove_prefix(begin);
  const auto starts = [bytes](std::string_view word) {
    return bytes.size() >= word.size() && std::equal(word.begin(), word.end(), bytes.begin(), [](char a, char b) {
             return a == std::tolower(static_cast<unsigned char>(b));
           });
  };
  return starts("<!doctype html") || starts("<html");
}

}  // namespace

const char* file_kind(std::string_view bytes) {
  for (const Kind& kind : kKinds) {
    if (bytes.size() >= kind.offset + kind.signature.size() &&
        bytes.substr(kind.offset, kind.signature.size()) == kind.signature) {
      return kind.name;
    }
  }
  if (is_web_page(bytes)) return "a web page; download the model file itself";
  return nullptr;
}

namespace {

Status wrong_attachment(std::string_view name, const std::string& what) {
  return invalid_model("its attached file " + quote(name) + " " + what);
}

}  // namespace

Result<std::span<const std::byte>> attached_file(std::span<const std::byte> file, std::string_view name) {
  const std::optional<ZipDirectory> directory = ZipDirectory::find(file);
  if (!directory) return wrong_attachment(name, "is missing: nothing is attached");
  const auto entry = std::ranges::find(directory->entries(), name, &ZipEntry::name);
  if (entry == directory->entries().end()) return wrong_attachment(name, "is missing");
  if (entry->method != ZipEntry::kStored) return wrong_attachment(name, "is compressed; attach it with `zip -0`");
  const auto contents = directory->contents(*entry, entry->bytes);
  if (!contents.ok()) return wrong_attachment(name, contents.status().message());
  return *contents;
}

}  // namespace sightglass::tflite
