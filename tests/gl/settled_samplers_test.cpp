// llvmpipe compiles the programs of a model once, whatever samples textures between runs, and in bounded time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "gpu_engine/build_programs.h"
#include "gpu_engine/device_family.h"
#include "gpu_engine/internals.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "runtime/arena.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

class SettledSamplersTest : public GlTest {
 protected:
  // Otherwise the driver loads what an earlier run of this test compiled.
  static void SetUpTestSuite() { setenv("MESA_SHADER_CACHE_DISABLE", "true", 1); }

  double milliseconds(Session& session) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(session.run().ok());
    gl().Finish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  // Samples textures with the filter NEAREST, as many as a kernel has.
  void sample_others() {
    constexpr const char* kSource = R"(#version 310 es
      layout(local_size_x = 1) in;
      layout(binding = 0) uniform highp sampler2D u_0;
      layout(binding = 1) uniform highp sampler2D u_1;
      layout(binding = 2) uniform highp sampler2D u_2;
      layout(std430, binding = 0) buffer Result { highp vec4 result; };
      void main() {
        result = textureLod(u_0, vec2(0.5), 0.0) + textureLod(u_1, vec2(0.5), 0.0) + textureLod(u_2, vec2(0.5), 0.0);
      }
    )";
    const GLuint shader = gl().CreateShader(GL_COMPUTE_SHADER), program = gl().CreateProgram();
    gl().ShaderSource(shader, 1, &kSource, nullptr);
    gl().CompileShader(shader);
    gl().AttachShader(program, shader);
    gl().LinkProgram(program);
    const GlSampler nearest = make_sampler(gl(), GL_NEAREST);
    const GlBuffer result = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 16, nullptr, GL_DYNAMIC_COPY);
    gl().UseProgram(program);
    for (const GLuint unit : {0U, 1U, 2U}) gl().BindSampler(unit, nearest.id());
    gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, result.id());
    gl().DispatchCompute(1, 1, 1);
    gl().Finish();
    gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
    for (const GLuint unit : {0U, 1U, 2U}) gl().BindSampler(unit, 0);
    gl().UseProgram(0);
    gl().DeleteProgram(program);
    gl().DeleteShader(shader);
  }
};

TEST_F(SettledSamplersTest, OtherProgramsDoNotMakeTheDriverCompileAgain) {
  DeviceLimits limits = device().limits;
  limits.compiles_for_samplers = device_family(device().vendor, device().renderer).compiles_for_samplers;
  if (!limits.compiles_for_samplers) GTEST_SKIP() << "the driver does not compile for samplers";
  CaseBuilder builder(5);
  const ValueId data = builder.input({1, 64, 64, 16});
  builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}}, {data, builder.constant({32, 3, 3, 16})});
  const auto model = value_of(model_from_graph(builder.build("convolution").graph));
  const auto plan = value_of(Plan::build(model, limits, {}));
  const GlState before = snapshot_gl_state(gl());
  auto session = value_of(Session::create(gl(), plan, {.warm_up = false}));

  const double first = milliseconds(*session), usual = milliseconds(*session);
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
  sample_others();
  const double after_others = milliseconds(*session);
  std::printf("first run %.1f ms, second %.1f ms, after other programs %.1f ms\n", first, usual, after_others);
  ASSERT_GT(first - usual, 20) << "the driver loaded the program instead of compiling it";
  EXPECT_LT(after_others - usual, (first - usual) / 2);
}

// Milliseconds of this process until a program has been compiled and run.
double processor_time(const GlApi& gl, const ShaderKey& key) {
  const GlBuffer memory = make_buffer(gl, GL_SHADER_STORAGE_BUFFER, 1 << 16, nullptr, GL_DYNAMIC_COPY);
  for (GLuint i = 0; i < kStorageBlocks; ++i) gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, i, memory.id());
  gl.BindBufferBase(GL_UNIFORM_BUFFER, kParamsBlock, memory.id());
  const std::clock_t begin = std::clock();
  const GlProgram program = value_of(build_program(gl, {key}, {engine_shaders()}, nullptr));
  gl.UseProgram(program.id());
  gl.DispatchCompute(1, 1, 1);
  const double time = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  gl.UseProgram(0);
  for (GLuint i = 0; i < kStorageBlocks; ++i) gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, i, 0);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, kParamsBlock, 0);
  return time;
}

// A loop over the tile that stays a loop once took LLVM 15 seconds: sums at a variable index become a tree of branches.
// The largest tile takes LLVM 15 as long as five of the smallest, LLVM 19 as long as 35.
TEST_F(SettledSamplersTest, TheTimeToCompileATileIsBoundedByItsSize) {
  if (!device_family(device().vendor, device().renderer).software) GTEST_SKIP() << "tiles of software renderers";
  for (const char* pointwise : {"", "POINTWISE"}) {
    const auto tile = [&](const char* pixels, const char* slices) {
      ShaderKey key{"conv2d.comp", {{"LOCAL_X", "8"}, {"LOCAL_Z", "1"}, {"PIXELS", pixels}, {"SLICES", slices}}};
      if (*pointwise != 0) key.defines.push_back({pointwise, "1"});
      key.defines.insert(key.defines.end(), {{"DYNAMIC", "1"}, {"ACTIVATION", "6"}});
      if (device().limits.max_buffer_texels > 0) key.defines.push_back({kBufferTextures, "1"});
      return processor_time(gl(), key);
    };
    const double smallest = tile("1", "1"), medium = tile("4", "2"), usual = tile("8", "2"), largest = tile("16", "4");
    std::printf("tiles of 1, 8, 16 and 64: %.0f, %.0f, %.0f and %.0f ms\n", smallest, medium, usual, largest);
    ASSERT_GT(smallest, 10) << "the driver loaded the program instead of compiling it";
    EXPECT_LT(medium, 8 * smallest);
    EXPECT_LT(usual, 8 * smallest);
    EXPECT_LT(largest, 64 * smallest);
  }
}

}  // namespace
}  // namespace sightglass::test
