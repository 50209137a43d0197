#include "gpu_engine/device_family.h"

#include <algorithm>
#include <cctype>

namespace sightglass {

namespace {

// A family, and the spellings of its drivers in GL_RENDERER and GL_VENDOR: words or word prefixes in any case,
// separated by '|'. '#' is a digit.
struct Row {
  DeviceFamily family;
  std::string_view renderers, vendors = {};
};

constexpr ConvTile k4x4 = kLargestConvTile, k4x2{4, 2}, k2x4{2, 4}, k2x2{2, 2}, k4x1{4, 1};

// For 32 bits, then for 16: the tiles of 1x1 and of larger kernels, and whether to use buffer textures. The software
// renderers were measured. The others follow from registers, spills and threads that compilers report; without such a
// report (Qualcomm), from another driver for the same GPU.
constexpr KernelDefaults kLlvmpipe{{k4x4, k4x4, true}, {k4x4, k4x4, true}, 4};
constexpr KernelDefaults kOtherSoftware{{k4x4, k4x4}, {k4x4, k4x4}, 4};
// 4x4 spills hundreds of registers on a Mali-G52 and exceeds all registers of a Raspberry Pi.
constexpr KernelDefaults kFewRegisters{{k2x2, k2x2}, {k4x1, k2x2}, 1};
// The Mesa driver emulates the unpacking of 16-bit floats, which texture units do in hardware.
constexpr KernelDefaults kFreedreno{{k4x2, k4x2}, {k2x2, k2x2, true}, 2};
// Textures have their own cache.
constexpr KernelDefaults kAdreno{{k4x2, k4x2, true}, {k2x2, k2x2, true}, 2};
// Larger tiles halve the invocations per thread (Intel), or leave one wave to hide latency (AMD).
constexpr KernelDefaults kDesktop{{k2x4, k2x2}, {k2x4, k2x2}, 2};

// Software renderers first, and drivers before the GPUs that they share with other drivers: a name may match both.
constexpr Row kRows[] = {
    // Silently ends all loops of an invocation after 65,535 iterations in total.
    {{"llvmpipe", true, 65535, kLlvmpipe}, "llvmpipe|lavapipe"},
    {{"software", true, 0, kOtherSoftware},
     "softpipe|swrast|swr|software rasterizer|software renderer|swiftshader|microsoft basic render"},
    {{"freedreno", false, 0, kFreedreno}, "fd###|turnip", "freedreno"},
    {{"Adreno", false, 0, kAdreno}, "adreno", "qualcomm"},
    {{"Mali", false, 0, kFewRegisters}, "mali|immortalis", "arm|panfrost"},
    {{"VideoCore", false, 0, kFewRegisters}, "v3d|vc4|videocore", "broadcom"},
    {{"PowerVR"}, "powervr", "imagination"},
    {{"Apple"}, "apple", "apple|asahi"},
    {{"NVIDIA"}, "nvidia|geforce|quadro|nv#|nvc#|nvd#|nve#|nvf#", "nvidia|nouveau"},
    {{"AMD", false, 0, kDesktop}, "amd|radeon|ati radeon", "amd|advanced micro devices|ati technologies"},
    {{"Intel", false, 0, kDesktop}, "intel", "intel"},
};
constexpr DeviceFamily kUnknown{"unknown"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whether `text` begins with `spelling`, in lowercase.
bool begins_with(std::string_view text, std::string_view spelling) {
  const auto same = [](char c, char wanted) {
    return wanted == '#' ? is_digit(c) : std::tolower(static_cast<unsigned char>(c)) == wanted;
  };
  return text.size() >= spelling.size() && std::equal(spelling.begin(), spelling.end(), text.begin(),
                                                      [&](char wanted, char c) { return same(c, wanted); });
}

bool has_word(std::string_view text, std::string_view spelling) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool word = i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0;
    if (word && begins_with(text.substr(i), spelling)) return true;
  }
  return false;
}

bool has_any(std::string_view text, std::string_view spellings) {
  while (!spellings.empty()) {
    const size_t end = std::min(spellings.find('|'), spellings.size());
    if (has_word(text, spellings.substr(0, end))) return true;
    spellings.remove_prefix(std::min(end + 1, spellings.size()));
  }
  return false;
}

}  // namespace

const DeviceFamily& device_family(std::string_view vendor, std::string_view renderer) {
  for (const Row& row : kRows) {
    if (has_any(renderer, row.renderers) || has_any(vendor, row.vendors)) return row.family;
  }
  return kUnknown;
}

bool has_sound_buffer_textures(std::string_view renderer) { return !has_word(renderer, "virgl"); }

}  // namespace sightglass
