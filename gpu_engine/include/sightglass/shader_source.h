// Shaders as text: embedded sources and their assembly (version, defines, includes). No GL.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

struct EmbeddedShader {
  std::string_view name;  // path below shaders/, without kernels/: "conv2d.comp", "lib/tensor.glsl"
  std::string_view text;
};
// Embedded files of one library; static.
using ShaderFiles = std::span<const EmbeddedShader>;
// Files from which shaders are assembled, of one or several libraries. Their names differ.
using ShaderSources = std::vector<ShaderFiles>;

// The kernels, the shaders that measure a device, and lib/, which shaders of other libraries may include.
ShaderFiles engine_shaders();

struct ShaderDefine {
  std::string name, value;
  auto operator<=>(const ShaderDefine&) const = default;  // NOLINT(modernize-use-nullptr): no pointer is here
};

// Define for variants that read buffers through buffer textures (shaders/lib/tensor.glsl).
inline constexpr const char* kBufferTextures = "BUFFER_TEXTURES";

// One variant of a shader. Equal keys make equal programs.
struct ShaderKey {
  std::string shader;  // name of the embedded file
  std::vector<ShaderDefine> defines;
  auto operator<=>(const ShaderKey&) const = default;  // NOLINT(modernize-use-nullptr): no pointer is here
  std::string name() const;  // "conv2d.comp PIXELS=4 SLICES=2", as messages, dumps and profiles show it
};

// The stages of a program. The file extension gives the stage: .comp, .vert or .frag.
using ProgramKey = std::vector<ShaderKey>;

// The text to compile: "#version 310 es", the extensions that defines require, the defines, default high precision,
// then the file with each `#include "path"` line replaced by the file it names (once each). The error names a file that
// is missing from `sources`.
Result<std::string> assemble_shader(const ShaderKey& key, const ShaderSources& sources);

}  // namespace sightglass
