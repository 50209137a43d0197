// The fake driver does what it is meant to do, and the engine works on it: each context has settings of its own.
#include <GLES3/gl32.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "common/headless_gl.h"
#include "gpu_engine/device_family.h"
#include "gpu_engine/internals.h"
#include "ops/op_case.h"
#include "sightglass/gl_objects.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

std::unique_ptr<HeadlessGl> context_with(const std::string& settings) {
  setenv("SIGHTGLASS_FAKE_DRIVER", settings.c_str(), 1);
  auto headless = HeadlessGl::create(interop::GlFlavour::kEs31);
  EXPECT_TRUE(headless.ok()) << headless.status().message();
  return headless.ok() ? std::move(*headless) : nullptr;
}

GLuint program_of(const GlApi& gl, const std::string& statement) {
  const std::string source =
      "#version 310 es\nlayout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer Numbers { highp int a, b; };\n"
      "void main() { " +
      statement + " }\n";
  const char* text = source.c_str();
  const GLuint shader = gl.CreateShader(GL_COMPUTE_SHADER), program = gl.CreateProgram();
  gl.ShaderSource(shader, 1, &text, nullptr);
  gl.CompileShader(shader);
  gl.AttachShader(program, shader);
  gl.LinkProgram(program);
  gl.DeleteShader(shader);
  return program;
}

// Runs a = 1 and then b = a + 1, and returns b.
int second_number(const HeadlessGl& headless, bool with_barrier) {
  const GlApi& gl = headless.gl();
  const GLuint first = program_of(gl, "a = 1;"), second = program_of(gl, "b = a + 1;");
  GLuint buffer = 0;
  constexpr std::array<int, 2> kZeros{};
  gl.GenBuffers(1, &buffer);
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
  gl.BufferData(GL_SHADER_STORAGE_BUFFER, sizeof(kZeros), kZeros.data(), GL_DYNAMIC_READ);
  gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
  gl.UseProgram(first);
  gl.DispatchCompute(1, 1, 1);
  if (with_barrier) gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  gl.UseProgram(second);
  gl.DispatchCompute(1, 1, 1);
  gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  const auto* numbers =
      static_cast<const int*>(gl.MapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof(kZeros), GL_MAP_READ_BIT));
  const int b = numbers != nullptr ? numbers[1] : -1;
  gl.UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
  gl.DeleteBuffers(1, &buffer);
  gl.DeleteProgram(first);
  gl.DeleteProgram(second);
  EXPECT_EQ(gl.GetError(), static_cast<GLenum>(GL_NO_ERROR));
  return b;
}

TEST(FakeDriver, DispatchesWithoutABarrierAreReordered) {
  EXPECT_EQ(second_number(*context_with(""), false), 2) << "the driver below executes in order";
  const auto headless = context_with("reorder");
  EXPECT_EQ(second_number(*headless, false), 1);
  EXPECT_EQ(second_number(*headless, true), 2);
}

TEST(FakeDriver, FencesCompleteLateAndIfFlushed) {
  const auto headless = context_with("late-fences");
  const GlApi& gl = headless->gl();
  const GLsync fence = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(gl.ClientWaitSync(fence, 0, 0), static_cast<GLenum>(GL_TIMEOUT_EXPIRED)) << "never flushed";
  gl.Flush();
  EXPECT_NE(gl.ClientWaitSync(fence, 0, 0), static_cast<GLenum>(GL_TIMEOUT_EXPIRED));
  gl.DeleteSync(fence);
  const GLsync next = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  EXPECT_EQ(gl.ClientWaitSync(next, GL_SYNC_FLUSH_COMMANDS_BIT, 0), static_cast<GLenum>(GL_TIMEOUT_EXPIRED));
  EXPECT_NE(gl.ClientWaitSync(next, 0, 1'000'000'000), static_cast<GLenum>(GL_TIMEOUT_EXPIRED));
  gl.DeleteSync(next);
  const GLsync last = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.Finish();
  EXPECT_NE(gl.ClientWaitSync(last, 0, 0), static_cast<GLenum>(GL_TIMEOUT_EXPIRED)) << "finished";
  gl.DeleteSync(last);
}

TEST(FakeDriver, ReportsWhatNvidiaReports) {
  const auto headless = context_with("nvidia");
  const DeviceInfo& device = headless->device();
  EXPECT_STREQ(device_family(device.vendor, device.renderer).name, "NVIDIA") << device.renderer;
  EXPECT_EQ(device.limits.uniform_offset_alignment, 256);
  EXPECT_EQ(device.limits.compute_storage_blocks, 16);
  const GlApi& gl = headless->gl();
  GLuint buffer = 0;
  gl.GenBuffers(1, &buffer);
  gl.BindBuffer(GL_UNIFORM_BUFFER, buffer);
  gl.BufferData(GL_UNIFORM_BUFFER, 1024, nullptr, GL_STATIC_DRAW);
  gl.BindBufferRange(GL_UNIFORM_BUFFER, 0, buffer, 256, 256);
  EXPECT_EQ(gl.GetError(), static_cast<GLenum>(GL_NO_ERROR));
  gl.BindBufferRange(GL_UNIFORM_BUFFER, 0, buffer, 64, 256);
  EXPECT_EQ(gl.GetError(), static_cast<GLenum>(GL_INVALID_VALUE));
  gl.DeleteBuffers(1, &buffer);
}

// A pooled convolution with a constant: several dispatches and allocations.
std::shared_ptr<const Plan> small_plan(const HeadlessGl& headless) {
  CaseBuilder builder(3);
  const Padding2d same{PaddingMode::kSame, 0, 0, 0, 0};
  const ValueId data = builder.input({1, 16, 16, 8});
  const ValueId a =
      builder.node(OpType::kConv2d, Conv2dAttr{same}, {data, builder.constant({8, 3, 3, 8})}, Activation::kRelu);
  builder.node(OpType::kAdd, {}, {a, data});
  auto plan = build_plan(model_from_graph(builder.build("small").graph).value(), headless.device().limits, {});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return plan.ok() ? *plan : nullptr;
}

// Creates a session, runs it, and reads its output.
Status run_once(const HeadlessGl& headless, const std::shared_ptr<const Plan>& plan) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, Session::create(headless.gl(), plan));
  const std::vector<std::byte> input(size_t{16} * 16 * 8 * sizeof(float));
  SIGHTGLASS_RETURN_IF_ERROR(session->write_input(0, input));
  SIGHTGLASS_RETURN_IF_ERROR(session->run());
  std::vector<std::byte> output(input.size());
  return session->read_output(0, output);
}

TEST(FakeDriver, ALostContextIsAnError) {
  for (int nth = 1; nth <= 3; ++nth) {
    const auto headless = context_with("lost-at=" + std::to_string(nth));
    const auto plan = small_plan(*headless);
    Status status;
    const auto start = std::chrono::steady_clock::now();
    for (int run = 0; run < 3 && status.ok(); ++run) status = run_once(*headless, plan);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    ASSERT_FALSE(status.ok()) << nth;
    EXPECT_NE(status.message().find("GL_CONTEXT_LOST"), std::string::npos) << status.message();
  }
}

TEST(FakeDriver, EachAllocationMayFail) {
  Status status = resource_exhausted("none failed yet");
  int nth = 0;
  while (!status.ok() && nth < 100) {
    const auto headless = context_with("no-memory-at=" + std::to_string(++nth));
    const auto plan = small_plan(*headless);
    status = run_once(*headless, plan);
    if (status.ok()) break;
    EXPECT_EQ(status.code(), ErrorCode::kResourceExhausted) << nth << ": " << status.message();
    EXPECT_TRUE(run_once(*headless, plan).ok()) << nth << ": the next attempt in the same context";
    EXPECT_EQ(headless->gl().GetError(), static_cast<GLenum>(GL_NO_ERROR)) << nth;
  }
  std::printf("%d allocations failed\n", nth - 1);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_GE(nth, 4);
}

}  // namespace
}  // namespace sightglass::test
