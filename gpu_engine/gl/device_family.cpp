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

constexpr ConvTile k16x4{16, 4}, k8x2{8, 2}, k4x4{4, 4}, k4x2{4, 2}, k2x4{2, 4}, k2x2{2, 2}, k4x1{4, 1}, k2x1{2, 1};

// For 32 bits, then for 16: the tiles of 1x1 and of larger kernels, and whether to use buffer textures. Then the tile
// of integers, the size of that of the camera texture, the rows of depthwise kernels, and the use of 16-bit floats. The
// software renderers were measured. The others follow from registers, spills and threads that compilers report
// (docs/performance/compilers.md); without such a report (Qualcomm), from another driver for the same GPU.
// Processors convert 16-bit floats one instruction at a time, and calculate in 32 bits.
constexpr KernelDefaults::Half kHalf, kNoHalf{false, false, false};
constexpr KernelDefaults kLlvmpipe{.fp32 = {k8x2, k8x2, true},
                                   .fp16 = {k8x2, k8x2, true},
                                   .requantized = k8x2,
                                   .texture_tile = 16,
                                   .depthwise_rows = 4,
                                   .depthwise_pointwise_rows = 4,
                                   .half = kNoHalf,
                                   .conv_group = 8,
                                   .large = k16x4,
                                   .depthwise_columns = 2,
                                   .resize_columns = 4,
                                   .narrow_weights = false};
constexpr KernelDefaults kOtherSoftware{{k4x4, k4x4}, {k4x4, k4x4}, k4x4, 16, 4, 4, kNoHalf};
// 4x4 spills hundreds of registers of a Mali-G52. With more than one row, half the threads fit.
// Windows with products of 16 bits spill.
constexpr KernelDefaults kMali{{k2x2, k2x2}, {k4x1, k2x2}, k2x1, 2, 1, 1, {true, true, false}};
// 4x4 exceeds all registers of a Raspberry Pi, and the addresses of a window take those of half a tile.
constexpr KernelDefaults kVideoCore{{k2x2, k2x1}, {k2x2, k2x1}, k2x1, 2, 2, 1, kHalf};
// Code that reads buffer textures is smaller, in half the registers; above all with 16-bit floats, which texture units
// unpack and the Mesa driver otherwise emulates. Some windows do not fit into a buffer texture.
constexpr KernelDefaults kAdreno{{k4x2, k4x1, true}, {k2x2, k2x2, true}, k2x2, 8, 2, 1, kHalf};
// Larger tiles and more rows halve the invocations per thread.
constexpr KernelDefaults kIntel{{k2x2, k2x2}, {k2x2, k2x2}, k2x2, 8, 2, 1, kHalf};
// Larger tiles leave one wave to hide latency.
constexpr KernelDefaults kAmd{{k2x4, k2x2}, {k2x4, k2x2}, k2x2, 8, 4, 2, kHalf};
// By reading only (docs/decisions/kernels.md): no compiler reports registers, and nothing was measured. A driver may
// calculate `mediump` in 16 bits, but nothing shows that this is faster.
constexpr KernelDefaults kNvidia{{k2x2, k2x2}, {k2x2, k2x2}, k2x2, 2, 1, 1, {true, false, false}};

// Software renderers first, and drivers before the GPUs that they share with other drivers: a name may match both.
constexpr double kGiga = 1e9;
constexpr Row kRows[] = {
    // Silently ends all loops of an invocation after 65,535 iterations in total.
    {{"llvmpipe", true, 65535, kLlvmpipe, true, 5 * kGiga}, "llvmpipe|lavapipe"},
    {{"software", true, 0, kOtherSoftware, false, 2 * kGiga},
     "softpipe|swrast|swr|software rasterizer|software renderer|swiftshader|microsoft basic render"},
    {{"freedreno", false, 0, kAdreno}, "fd###|turnip", "freedreno"},
    {{"Adreno", false, 0, kAdreno}, "adreno", "qualcomm"},
    {{"Mali", false, 0, kMali, false, 10 * kGiga}, "mali|immortalis", "arm|panfrost"},
    {{"VideoCore", false, 0, kVideoCore, false, 5 * kGiga}, "v3d|vc4|videocore", "broadcom"},
    {{"PowerVR"}, "powervr", "imagination"},
    {{"Apple", false, 0, {}, false, 200 * kGiga}, "apple", "apple|asahi"},
    {{"NVIDIA", false, 0, kNvidia, false, 100 * kGiga},
     "nvidia|geforce|quadro|nv#|nvc#|nvd#|nve#|nvf#",
     "nvidia|nouveau"},
    {{"AMD", false, 0, kAmd, false, 100 * kGiga},
     "amd|radeon|ati radeon",
     "amd|advanced micro devices|ati technologies"},
    {{"Intel", false, 0, kIntel, false, 50 * kGiga}, "intel", "intel"},
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
