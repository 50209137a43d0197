// The integer division of shaders/lib/grid.glsl.
#include <algorithm>
#include <random>
#include <vector>

#include "harness/gl_test.h"
#include "runtime/arena.h"
#include "sightglass/gl_objects.h"
#include "sightglass/shader_source.h"

namespace sightglass::test {
namespace {

constexpr const char* kMain = R"(
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { ivec2 operands[]; };
layout(std430, binding = 1) writeonly buffer Results { ivec4 results[]; };
void main() {
  int i = INVOCATION_X;
  if (i >= operands.length()) return;
  ivec2 v = operands[i];
  results[i] = ivec4(quotient(v.x, v.y), remainder(v.x, v.y), column_row(v.x, v.y));
}
)";

using GridTest = GlTest;

// Float quotients are most likely to be wrong at multiples and their neighbors.
std::vector<std::array<GLint, 2>> operands() {
  constexpr int64_t kMost = int64_t{1} << 30;
  std::vector<std::array<GLint, 2>> result;
  const auto add = [&](int64_t a, int64_t b) {
    if (a >= 0 && a <= kMost) result.push_back({static_cast<GLint>(a), static_cast<GLint>(b)});
  };
  std::minstd_rand random(1);
  for (const int64_t b :
       {1, 2, 3, 4, 5, 6, 7, 8, 13, 33, 65, 127, 257, 1000, 1920, 4095, 65535, 1 << 20, (1 << 24) + 1, 1 << 30}) {
    for (const int64_t a : {kMost, int64_t{1} << 24, (int64_t{1} << 24) + 1, int64_t{1} << 21}) add(a, b);
    for (int i = 0; i < 2000; ++i) {
      const int64_t most = kMost >> (i % 30);
      const int64_t multiple = random() % (most / b + 1) * b;
      for (const int64_t beside : {-1, 0, 1}) add(multiple + beside, b);
      add(static_cast<int64_t>(random()) % most, b);
    }
  }
  return result;
}

TEST_F(GridTest, IntegersAreDividedExactly) {
  const ShaderFiles shaders = engine_shaders();
  const auto library = std::ranges::find(shaders, "lib/grid.glsl", &EmbeddedShader::name);
  ASSERT_NE(library, shaders.end());
  const std::string text =
      "#version 310 es\nprecision highp float;\nprecision highp int;\n" + std::string(library->text) + kMain;
  const char* const source = text.c_str();
  const GLuint shader = gl().CreateShader(GL_COMPUTE_SHADER);
  gl().ShaderSource(shader, 1, &source, nullptr);
  gl().CompileShader(shader);
  const GLuint program = gl().CreateProgram();
  gl().AttachShader(program, shader);
  gl().LinkProgram(program);
  gl().DeleteShader(shader);
  GLint linked = 0;
  gl().GetProgramiv(program, GL_LINK_STATUS, &linked);
  ASSERT_EQ(linked, GL_TRUE);

  const std::vector<std::array<GLint, 2>> pairs = operands();
  const auto count = static_cast<int64_t>(pairs.size());
  const GlBuffer in = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, count * 8, pairs.data(), GL_STATIC_DRAW);
  const GlBuffer out = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, count * 16, nullptr, GL_STREAM_READ);
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, in.id());
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, out.id());
  gl().UseProgram(program);
  gl().DispatchCompute(static_cast<GLuint>((count + 63) / 64), 1, 1);
  gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, out.id());
  const auto* results = static_cast<const std::array<GLint, 4>*>(
      gl().MapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, count * 16, GL_MAP_READ_BIT));
  ASSERT_NE(results, nullptr);
  int wrong = 0;
  for (size_t i = 0; i < pairs.size() && wrong < 5; ++i) {
    const auto [a, b] = pairs[i];
    const std::array<GLint, 4> expected{a / b, a % b, a % b, a / b};
    EXPECT_EQ(results[i], expected) << a << " by " << b;
    wrong += results[i] == expected ? 0 : 1;
  }
  std::printf("%zu divisions\n", pairs.size());
  gl().UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
  gl().UseProgram(0);
  gl().DeleteProgram(program);
}

}  // namespace
}  // namespace sightglass::test
