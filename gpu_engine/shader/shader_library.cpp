#include "gpu_engine/shader_library.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace sightglass {

namespace {

std::optional<std::string_view> find_shader(std::string_view name) {
  for (const EmbeddedShader& shader : embedded_shaders()) {
    if (shader.name == name) return shader.text;
  }
  return std::nullopt;
}

// Replaces include lines, keeping the driver's line numbers right: each file has its own source string number.
class Assembler {
 public:
  Status append(const std::string& name) {
    if (std::ranges::find(files_, name) != files_.end()) return {};
    const std::optional<std::string_view> text = find_shader(name);
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
      SG_RETURN_IF_ERROR(append(std::string(rest.substr(0, rest.find('"')))).with_context(name));
      out_ += "#line " + std::to_string(line_number + 1) + " " + number + "\n";
    }
    return {};
  }
  std::string out_;
  std::vector<std::string> files_;
};

Result<GlShader> compile(const GlApi& gl, GLenum stage, const ShaderKey& key) {
  SG_ASSIGN_OR_RETURN(const std::string source, assemble_shader(key));
  GlShader shader(gl, gl.CreateShader(stage));
  const char* text = source.c_str();
  gl.ShaderSource(shader.id(), 1, &text, nullptr);
  gl.CompileShader(shader.id());
  GLint ok = GL_FALSE;
  gl.GetShaderiv(shader.id(), GL_COMPILE_STATUS, &ok);
  if (ok == GL_TRUE) return shader;
  GLint length = 0;
  gl.GetShaderiv(shader.id(), GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<size_t>(std::max(length, 1)), '\0');
  gl.GetShaderInfoLog(shader.id(), static_cast<GLsizei>(log.size()), nullptr, log.data());
  return device_error("shader " + key.name() + " does not compile on this driver: " + log.c_str());
}

Result<GlProgram> link(const GlApi& gl, const std::vector<GlShader>& shaders, const std::string& name) {
  GlProgram program(gl, gl.CreateProgram());
  for (const GlShader& shader : shaders) gl.AttachShader(program.id(), shader.id());
  gl.LinkProgram(program.id());
  GLint ok = GL_FALSE;
  gl.GetProgramiv(program.id(), GL_LINK_STATUS, &ok);
  if (ok == GL_TRUE) return program;
  GLint length = 0;
  gl.GetProgramiv(program.id(), GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<size_t>(std::max(length, 1)), '\0');
  gl.GetProgramInfoLog(program.id(), static_cast<GLsizei>(log.size()), nullptr, log.data());
  return device_error("program " + name + " does not link on this driver: " + log.c_str());
}

}  // namespace

std::string ShaderKey::name() const {
  std::string name = shader;
  for (const ShaderDefine& define : defines) name += " " + define.name + "=" + define.value;
  return name;
}

Result<std::string> assemble_shader(const ShaderKey& key) {
  Assembler assembler;
  assembler.out_ = "#version 310 es\n";
  for (const ShaderDefine& define : key.defines) assembler.out_ += "#define " + define.name + " " + define.value + "\n";
  assembler.out_ +=
      "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp image2D;\n";
  SG_RETURN_IF_ERROR(assembler.append(key.shader));
  return std::move(assembler.out_);
}

Result<GlProgram> build_compute_program(const GlApi& gl, const ShaderKey& compute) {
  std::vector<GlShader> shaders;
  SG_ASSIGN_OR_RETURN(GlShader shader, compile(gl, GL_COMPUTE_SHADER, compute));
  shaders.push_back(std::move(shader));
  return link(gl, shaders, compute.name());
}

Result<GlProgram> build_render_program(const GlApi& gl, const ShaderKey& vertex, const ShaderKey& fragment) {
  std::vector<GlShader> shaders;
  SG_ASSIGN_OR_RETURN(GlShader vertex_shader, compile(gl, GL_VERTEX_SHADER, vertex));
  SG_ASSIGN_OR_RETURN(GlShader fragment_shader, compile(gl, GL_FRAGMENT_SHADER, fragment));
  shaders.push_back(std::move(vertex_shader));
  shaders.push_back(std::move(fragment_shader));
  return link(gl, shaders, vertex.name() + " + " + fragment.name());
}

}  // namespace sightglass
