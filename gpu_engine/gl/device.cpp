#include "sightglass/device.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "gpu_engine/device_family.h"
#include "gpu_engine/quoted.h"
#include "sightglass/device_limits.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

DeviceLimits DeviceLimits::typical() {
  DeviceLimits r;
  r.compute_storage_blocks = 8;
  r.storage_offset_alignment = 64;
  r.compute_image_units = 8;
  r.max_uniform_block_bytes = 65536;
  r.uniform_offset_alignment = 64;
  r.workgroup_invocations = 512;
  r.workgroup_size[0] = r.workgroup_size[1] = 512;
  r.shared_memory_bytes = 32768;
  r.max_texture_size = 8192;
  r.multiply_adds_per_second = 20e9;
  return r;
}

DeviceLimits DeviceLimits::clamped_to_minimum() const {
  const DeviceLimits minimum;
  DeviceLimits r = *this;
  r.compute_storage_blocks = std::min(compute_storage_blocks, minimum.compute_storage_blocks);
  r.max_storage_block_bytes = std::min(max_storage_block_bytes, minimum.max_storage_block_bytes);
  r.storage_offset_alignment = std::max(storage_offset_alignment, minimum.storage_offset_alignment);
  r.compute_image_units = std::min(compute_image_units, minimum.compute_image_units);
  r.max_uniform_block_bytes = std::min(max_uniform_block_bytes, minimum.max_uniform_block_bytes);
  r.uniform_offset_alignment = std::max(uniform_offset_alignment, minimum.uniform_offset_alignment);
  r.workgroup_invocations = std::min(workgroup_invocations, minimum.workgroup_invocations);
  for (int axis = 0; axis < 3; ++axis) {
    r.workgroup_size[axis] = std::min(workgroup_size[axis], minimum.workgroup_size[axis]);
    r.workgroup_count[axis] = std::min(workgroup_count[axis], minimum.workgroup_count[axis]);
  }
  r.shared_memory_bytes = std::min(shared_memory_bytes, minimum.shared_memory_bytes);
  r.max_texture_size = std::min(max_texture_size, minimum.max_texture_size);
  r.external_textures = false;
  r.max_buffer_texels = std::min(max_buffer_texels, minimum.max_buffer_texels);
  return r;
}

namespace {

// A family, and the spellings of its drivers in GL_RENDERER and GL_VENDOR: words or word prefixes in any case,
// separated by '|'. '#' is a digit.
struct Row {
  DeviceFamily family;
  std::string_view renderers, vendors = {};
};

constexpr ConvTile k16x4{16, 4}, k8x4{8, 4}, k8x2{8, 2}, k4x4{4, 4}, k4x2{4, 2}, k2x4{2, 4}, k2x2{2, 2}, k4x1{4, 1},
    k2x1{2, 1}, k1x2{1, 2};

// For 32 bits, then for 16: the tiles of 1x1 and of larger kernels, and whether to use buffer textures. Then the tile
// of integers, the size of that of the camera texture, the rows of depthwise kernels, and the use of 16-bit floats. The
// software renderers were measured. The others follow from registers, spills and threads that compilers report
// (docs/performance/compilers.md); without such a report (Qualcomm), from another driver for the same GPU.
// Processors convert 16-bit floats one instruction at a time, and calculate in 32 bits.
constexpr KernelDefaults::Half kHalf, kNoHalf{false, false, false};
// Taps of a convolution would sample pixels of the camera texture again, which processors interpolate by instructions.
constexpr KernelDefaults kLlvmpipe{.fp32 = {k8x2, k8x2, true},
                                   .fp16 = {k8x2, k8x2, true},
                                   .requantized = k8x4,
                                   .depthwise_rows = 4,
                                   .depthwise_pointwise_rows = 4,
                                   .half = kNoHalf,
                                   .texture_slices = 0,
                                   .conv_group = 8,
                                   .large = k16x4,
                                   .depthwise_columns = 2,
                                   .resize_columns = 4,
                                   .narrow_weights = false,
                                   .depthwise_pointwise_sums = 48};
constexpr KernelDefaults kOtherSoftware{{k4x4, k4x4}, {k4x4, k4x4}, k4x4, 16, 4, 4, kNoHalf};
// 4x4 spills hundreds of registers of a Mali-G52. With more than one row, half the threads fit.
// Windows with products of 16 bits spill, as do four slices of the camera texture.
constexpr KernelDefaults kMali{{k2x2, k2x2}, {k4x1, k2x2}, k2x1, 2, 1, 1, {true, true, false}, 3, 2};
// 4x4 exceeds all registers of a Raspberry Pi, and the addresses of a window take those of half a tile.
constexpr KernelDefaults kVideoCore{{k2x2, k2x1}, {k2x2, k2x1}, k1x2, 2, 2, 1, kHalf, 1, 1};
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

bool compiles_on_calling_thread(std::string_view renderer) {
  return begins_with(renderer, "llvmpipe") || begins_with(renderer, "v3d") || has_word(renderer, "panfrost");
}

namespace {

std::string gl_string(const GlApi& gl, GLenum name) {
  const auto* text = reinterpret_cast<const char*>(gl.GetString(name));
  return text == nullptr ? std::string() : std::string(text);
}

// Whether compute shaders of this context compile with buffer textures. OpenGL ES reports this. Of the desktop drivers
// that accept ES shaders, not all accept the extension, so the function compiles one. This starts the compiler of the
// driver, which takes several milliseconds that cached programs may not need.
bool has_buffer_textures(const GlApi& gl, bool es) {
  if (gl.TexBuffer == nullptr) return false;
  if (es) return has_extension(gl, "GL_EXT_texture_buffer");
  const char* text =
      "#version 310 es\n#extension GL_EXT_texture_buffer : require\nlayout(local_size_x = 1) in;\n"
      "layout(binding = 0) uniform highp samplerBuffer texels;\nlayout(std430, binding = 0) buffer Output { highp vec4 "
      "o; "
      "};\nvoid main() { o = texelFetch(texels, 0); }\n";
  const GlShader shader(gl, gl.CreateShader(GL_COMPUTE_SHADER));
  gl.ShaderSource(shader.id(), 1, &text, nullptr);
  gl.CompileShader(shader.id());
  GLint ok = GL_FALSE;
  gl.GetShaderiv(shader.id(), GL_COMPILE_STATUS, &ok);
  return ok == GL_TRUE;
}

DeviceLimits query_limits(const GlApi& gl, const std::string& vendor, const std::string& renderer, bool es) {
  const auto get = [&gl](GLenum name) {
    GLint value = 0;
    gl.GetIntegerv(name, &value);
    return value;
  };
  DeviceLimits limits;
  limits.compute_storage_blocks = get(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS);
  GLint64 block_bytes = 0;
  gl.GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &block_bytes);
  limits.max_storage_block_bytes = block_bytes;
  limits.storage_offset_alignment = get(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT);
  limits.compute_image_units = get(GL_MAX_COMPUTE_IMAGE_UNIFORMS);
  limits.max_uniform_block_bytes = get(GL_MAX_UNIFORM_BLOCK_SIZE);
  limits.uniform_offset_alignment = get(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
  limits.workgroup_invocations = get(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
  for (GLuint axis = 0; axis < 3; ++axis) {
    gl.GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_SIZE, axis, &limits.workgroup_size[axis]);
    gl.GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, axis, &limits.workgroup_count[axis]);
  }
  limits.shared_memory_bytes = get(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
  limits.max_texture_size = get(GL_MAX_TEXTURE_SIZE);
  if (has_sound_buffer_textures(renderer) && has_buffer_textures(gl, es)) {
    limits.max_buffer_texels = get(GL_MAX_TEXTURE_BUFFER_SIZE);
  }
  limits.external_textures = has_extension(gl, "GL_OES_EGL_image_external_essl3");
  const DeviceFamily& family = device_family(vendor, renderer);
  limits.max_loop_iterations = family.max_loop_iterations;
  limits.compiles_for_samplers = family.compiles_for_samplers;
  limits.kernels = family.kernels;
  limits.multiply_adds_per_second = family.multiply_adds_per_second;
  return limits;
}

std::string list(const int32_t (&by_axis)[3]) {
  return std::to_string(by_axis[0]) + "x" + std::to_string(by_axis[1]) + "x" + std::to_string(by_axis[2]);
}

void log_device(const DeviceInfo& info, const Log& log) {
  log.info([&] {
    return "device: " + info.renderer + " of " + info.vendor + ", " + info.version + ", family " +
           device_family(info.vendor, info.renderer).name;
  });
  log.info([&] {
    const DeviceLimits& limits = info.limits;
    return "limits: work groups of " + std::to_string(limits.workgroup_invocations) + " invocations, at most " +
           list(limits.workgroup_size) + ", " + list(limits.workgroup_count) + " of them, " +
           std::to_string(limits.shared_memory_bytes) + " bytes of shared memory; " +
           std::to_string(limits.compute_storage_blocks) + " storage blocks of " +
           std::to_string(limits.max_storage_block_bytes) + " bytes; textures of " +
           std::to_string(limits.max_texture_size) + " pixels; " +
           (limits.max_buffer_texels > 0 ? "buffer textures of " + std::to_string(limits.max_buffer_texels) + " texels"
                                         : std::string("no buffer textures")) +
           "; " + (limits.external_textures ? "" : "no ") + "external textures";
  });
}

}  // namespace

bool has_extension(const GlApi& gl, const char* name) {
  GLint count = 0;
  gl.GetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const auto* extension = reinterpret_cast<const char*>(gl.GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
    if (extension != nullptr && std::strcmp(extension, name) == 0) return true;
  }
  return false;
}

bool is_es(const GlApi& gl) { return gl_string(gl, GL_VERSION).starts_with("OpenGL ES"); }

bool has_timer_queries(const GlApi& gl) {
  if (gl.GenQueries == nullptr || gl.DeleteQueries == nullptr || gl.QueryCounter == nullptr ||
      gl.GetQueryObjectuiv == nullptr || gl.GetQueryObjectui64v == nullptr) {
    return false;
  }
  return !is_es(gl) || has_extension(gl, "GL_EXT_disjoint_timer_query");
}

std::string device_name(const DeviceInfo& device) {
  std::string name = device.vendor + " | " + device.renderer + " | " + device.version;
  std::ranges::replace(name, '\n', ' ');
  return name;
}

Result<DeviceInfo> query_device(const GlApi& gl, const Log& log) try {
  DeviceInfo info;
  info.vendor = gl_string(gl, GL_VENDOR);
  info.renderer = gl_string(gl, GL_RENDERER);
  info.version = gl_string(gl, GL_VERSION);
  if (info.version.empty()) return invalid_argument("no GL context is current on this thread; make one current");
  info.es = is_es(gl);
  const char* number = info.version.c_str() + (info.es ? std::strcspn(info.version.c_str(), "0123456789") : 0);
  std::sscanf(number, "%d.%d", &info.major, &info.minor);

  const auto at_least = [&info](int major, int minor) {
    return info.major > major || (info.major == major && info.minor >= minor);
  };
  const bool enough = info.es ? at_least(3, 1) : at_least(4, 5) || has_extension(gl, "GL_ARB_ES3_1_compatibility");
  if (!enough) {
    return unsupported("the GL context is '" + info.version + "' on '" + info.renderer +
                       "'; compute shaders need OpenGL ES 3.1, or desktop OpenGL 4.5 (or "
                       "GL_ARB_ES3_1_compatibility). With GStreamer, set GST_GL_API=gles2 for OpenGL ES");
  }
  info.limits = query_limits(gl, info.vendor, info.renderer, info.es);
  log_device(info, log);
  return info;
} catch (...) {
  return status_of_exception("the GL context", "query its limits");
}

}  // namespace sightglass
