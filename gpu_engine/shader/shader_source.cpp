#include "sightglass/shader_source.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "gpu_engine/quoted.h"
#include "sightglass/frame_kind.h"

namespace sightglass {

namespace {

std::optional<std::string_view> find_shader(const ShaderSources& sources, std::string_view name) {
  for (const ShaderFiles& files : sources) {
    const auto found = std::ranges::find(files, name, &EmbeddedShader::name);
    if (found != files.end()) return found->text;
  }
  return std::nullopt;
}

// Replaces include lines and keeps the line numbers of the driver correct: each file has its own source string number.
class Assembler {
 public:
  explicit Assembler(const ShaderSources& sources) : sources_(sources) {}

  Status append(const std::string& name) {
    if (std::ranges::find(files_, name) != files_.end()) return {};
    const std::optional<std::string_view> text = find_shader(sources_, name);
    if (!text) return not_found("no shader '" + name + "' is embedded");
    const std::string number = std::to_string(files_.size());
    files_.push_back(name);
    out_ += "#line 1 " + number + "\n";
    size_t line_number = 1;
    for (size_t pos = 0; pos < text->size(); ++line_number) {
      const size_t end = std::min(text->find('\n', pos), text->size());
      const std::string_view line = text->substr(pos, end - pos);
      pos = end + 1;
      constexpr std::string_view kInclude = "#include \"";
      if (!line.starts_with(kInclude)) {
        out_.append(line).append("\n");
        continue;
      }
      const std::string_view rest = line.substr(kInclude.size());
      SIGHTGLASS_RETURN_IF_ERROR(append(std::string(rest.substr(0, rest.find('"')))).with_context(name));
      out_ += "#line " + std::to_string(line_number + 1) + " " + number + "\n";
    }
    return {};
  }
  const ShaderSources& sources_;
  std::string out_;
  std::vector<std::string> files_;
};

}  // namespace

std::string ShaderKey::name() const {
  std::string name = shader;
  for (const ShaderDefine& define : defines) name += " " + define.name + "=" + define.value;
  return name;
}

Result<std::string> assemble_shader(const ShaderKey& key, const ShaderSources& sources) try {
  Assembler assembler(sources);
  assembler.out_ = "#version 310 es\n";
  const auto defines = [&key](std::string_view name) {
    return std::ranges::any_of(key.defines, [name](const ShaderDefine& define) { return define.name == name; });
  };
  if (defines(kBufferTextures)) assembler.out_ += "#extension GL_EXT_texture_buffer : require\n";
  if (defines(frame_define(FrameKind::kExternal))) {
    assembler.out_ += "#extension GL_OES_EGL_image_external_essl3 : require\n";
  }
  for (const ShaderDefine& define : key.defines) assembler.out_ += "#define " + define.name + " " + define.value + "\n";
  assembler.out_ +=
      "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp image2D;\n";
  SIGHTGLASS_RETURN_IF_ERROR(assembler.append(key.shader));
  return std::move(assembler.out_);
} catch (...) {
  return status_of_exception(key.shader, "assemble it");
}

}  // namespace sightglass
