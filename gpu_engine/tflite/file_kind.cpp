#include "tflite/file_kind.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace sightglass::tflite {
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

}  // namespace sightglass::tflite
