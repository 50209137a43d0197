#include "harness/gl_state.h"

#include <utility>

#include "sightglass/device.h"

namespace sightglass::test {

namespace {

struct Value {
  const char* name;
  GLenum id;
  size_t count;
};

constexpr Value kValues[] = {
    {"GL_ACTIVE_TEXTURE", GL_ACTIVE_TEXTURE, 1},
    {"GL_ARRAY_BUFFER_BINDING", GL_ARRAY_BUFFER_BINDING, 1},
    {"GL_ATOMIC_COUNTER_BUFFER_BINDING", GL_ATOMIC_COUNTER_BUFFER_BINDING, 1},
    {"GL_BLEND", GL_BLEND, 1},
    {"GL_BLEND_DST_RGB", GL_BLEND_DST_RGB, 1},
    {"GL_BLEND_SRC_RGB", GL_BLEND_SRC_RGB, 1},
    {"GL_COLOR_CLEAR_VALUE", GL_COLOR_CLEAR_VALUE, 4},
    {"GL_COLOR_WRITEMASK", GL_COLOR_WRITEMASK, 4},
    {"GL_COPY_READ_BUFFER_BINDING", 0x8F36, 1},
    {"GL_COPY_WRITE_BUFFER_BINDING", 0x8F37, 1},
    {"GL_CULL_FACE", GL_CULL_FACE, 1},
    {"GL_CURRENT_PROGRAM", GL_CURRENT_PROGRAM, 1},
    {"GL_DEPTH_FUNC", GL_DEPTH_FUNC, 1},
    {"GL_DEPTH_TEST", GL_DEPTH_TEST, 1},
    {"GL_DEPTH_WRITEMASK", GL_DEPTH_WRITEMASK, 1},
    {"GL_DISPATCH_INDIRECT_BUFFER_BINDING", GL_DISPATCH_INDIRECT_BUFFER_BINDING, 1},
    {"GL_DITHER", GL_DITHER, 1},
    {"GL_DRAW_FRAMEBUFFER_BINDING", GL_DRAW_FRAMEBUFFER_BINDING, 1},
    {"GL_DRAW_INDIRECT_BUFFER_BINDING", GL_DRAW_INDIRECT_BUFFER_BINDING, 1},
    {"GL_ELEMENT_ARRAY_BUFFER_BINDING", GL_ELEMENT_ARRAY_BUFFER_BINDING, 1},
    {"GL_FRONT_FACE", GL_FRONT_FACE, 1},
    {"GL_PACK_ALIGNMENT", GL_PACK_ALIGNMENT, 1},
    {"GL_PACK_ROW_LENGTH", GL_PACK_ROW_LENGTH, 1},
    {"GL_PIXEL_PACK_BUFFER_BINDING", GL_PIXEL_PACK_BUFFER_BINDING, 1},
    {"GL_PIXEL_UNPACK_BUFFER_BINDING", GL_PIXEL_UNPACK_BUFFER_BINDING, 1},
    {"GL_PRIMITIVE_RESTART_FIXED_INDEX", GL_PRIMITIVE_RESTART_FIXED_INDEX, 1},
    {"GL_PROGRAM_PIPELINE_BINDING", GL_PROGRAM_PIPELINE_BINDING, 1},
    {"GL_RASTERIZER_DISCARD", GL_RASTERIZER_DISCARD, 1},
    {"GL_READ_FRAMEBUFFER_BINDING", GL_READ_FRAMEBUFFER_BINDING, 1},
    {"GL_RENDERBUFFER_BINDING", GL_RENDERBUFFER_BINDING, 1},
    {"GL_SCISSOR_BOX", GL_SCISSOR_BOX, 4},
    {"GL_SCISSOR_TEST", GL_SCISSOR_TEST, 1},
    {"GL_SHADER_STORAGE_BUFFER_BINDING", GL_SHADER_STORAGE_BUFFER_BINDING, 1},
    {"GL_STENCIL_TEST", GL_STENCIL_TEST, 1},
    {"GL_UNIFORM_BUFFER_BINDING", GL_UNIFORM_BUFFER_BINDING, 1},
    {"GL_UNPACK_ALIGNMENT", GL_UNPACK_ALIGNMENT, 1},
    {"GL_UNPACK_ROW_LENGTH", GL_UNPACK_ROW_LENGTH, 1},
    {"GL_VERTEX_ARRAY_BINDING", GL_VERTEX_ARRAY_BINDING, 1},
    {"GL_VIEWPORT", GL_VIEWPORT, 4},
};

constexpr Value kIndexed[] = {
    {"GL_SHADER_STORAGE_BUFFER_BINDING", GL_SHADER_STORAGE_BUFFER_BINDING, 4},
    {"GL_UNIFORM_BUFFER_BINDING", GL_UNIFORM_BUFFER_BINDING, 12},
    {"GL_IMAGE_BINDING_NAME", GL_IMAGE_BINDING_NAME, 4},
};

std::string text(const std::vector<GLint>& values) {
  std::string out;
  for (const GLint value : values) out += (out.empty() ? "" : " ") + std::to_string(value);
  return out;
}

}  // namespace

GlState snapshot_gl_state(const GlApi& gl) {
  GlState state;
  for (const Value& value : kValues) {
    std::vector<GLint> numbers(value.count);
    gl.GetIntegerv(value.id, numbers.data());
    state[value.name] = std::move(numbers);
  }
  for (const Value& value : kIndexed) {
    std::vector<GLint> numbers(value.count);
    for (size_t i = 0; i < value.count; ++i) gl.GetIntegeri_v(value.id, static_cast<GLuint>(i), &numbers[i]);
    state[std::string(value.name) + "[]"] = std::move(numbers);
  }
  GLint active = 0;
  gl.GetIntegerv(GL_ACTIVE_TEXTURE, &active);
  constexpr GLuint kUnits = 16;
  const auto device = query_device(gl);
  const bool buffer_textures = device.ok() && device->limits.max_buffer_texels > 0;
  for (GLuint unit = 0; unit < kUnits; ++unit) {
    gl.ActiveTexture(GL_TEXTURE0 + unit);
    std::vector<GLint> numbers(5);
    gl.GetIntegerv(GL_TEXTURE_BINDING_2D, &numbers[0]);
    gl.GetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &numbers[1]);
    gl.GetIntegerv(GL_TEXTURE_BINDING_3D, &numbers[2]);
    gl.GetIntegerv(GL_SAMPLER_BINDING, &numbers[3]);
    if (buffer_textures) gl.GetIntegerv(GL_TEXTURE_BINDING_BUFFER, &numbers[4]);
    state["texture unit " + std::to_string(unit) + " (2D, 2D array, 3D, sampler, buffer)"] = std::move(numbers);
  }
  gl.ActiveTexture(static_cast<GLenum>(active));
  return state;
}

std::string difference(const GlState& before, const GlState& after) {
  std::string out;
  for (const auto& [name, values] : before) {
    const auto found = after.find(name);
    const std::vector<GLint> now = found != after.end() ? found->second : std::vector<GLint>{};
    if (now != values) out += name + ": " + text(values) + " -> " + text(now) + "\n";
  }
  return out;
}

void disturb_gl_state(const GlApi& gl) {
  gl.Enable(GL_SCISSOR_TEST);
  gl.Enable(GL_CULL_FACE);
  gl.Enable(GL_DEPTH_TEST);
  gl.Enable(GL_BLEND);
  gl.BlendFuncSeparate(GL_DST_COLOR, GL_ZERO, GL_ONE, GL_ONE);
  gl.BlendEquationSeparate(GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT);
  gl.DepthFunc(GL_NEVER);
  gl.DepthMask(GL_FALSE);
  gl.ColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
  gl.Viewport(3, 4, 5, 6);
}

}  // namespace sightglass::test
