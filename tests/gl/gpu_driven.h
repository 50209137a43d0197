// A fixture for data that shaders and sessions exchange without the CPU.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu_engine/internals.h"
#include "harness/gl_test.h"
#include "harness/read_buffer.h"
#include "ops/op_case.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"

namespace sightglass::test {

inline constexpr GLsizeiptr kAlignment = 256;  // of the ranges of outputs

class GpuDrivenTest : public GlTest {
 protected:
  // The real limits, and those that OpenGL ES 3.1 guarantees, with short rows of work groups.
  std::vector<DeviceLimits> every_limits() const {
    DeviceLimits least = limits_for_half().clamped_to_minimum();
    least.workgroup_count[0] = 3;
    return {limits_for_half(), least};
  }

  std::shared_ptr<const Plan> plan(const OpCase& op, const DeviceLimits& limits, ForcedPlanOptions options = {}) {
    const auto model = model_from_graph(op.graph);
    EXPECT_TRUE(model.ok()) << model.status().message();
    options.outputs.resize((*model)->outputs().size());
    for (OutputSpec& spec : options.outputs) spec.target = OutputSpec::Target::kBuffer;
    const auto made = build_plan(*model, limits, options);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return *made;
  }

  std::unique_ptr<Session> session(const std::shared_ptr<const Plan>& plan) {
    SessionOptions options;
    options.gated = true;
    auto made = Session::create(gl(), plan, options);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return std::move(*made);
  }

  std::vector<float> read(const BufferRange& range) const { return read_buffer<float>(gl(), range); }
  std::vector<float> output(const Session& session, size_t index = 0) const {
    const Result<BufferRange> range = session.output_buffer(index);
    EXPECT_TRUE(range.ok()) << range.status().message();
    EXPECT_EQ(range->offset % kAlignment, 0);
    return read(*range);
  }

  // Runs `main` with a buffer of unsigned integers at binding 0, in one work group of one invocation.
  GlProgram small_program(const std::string& main) {
    const std::string text =
        "#version 310 es\nlayout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer Data { uint data[]; };\n"
        "void main() { " +
        main + " }\n";
    const char* const source = text.c_str();
    const GlShader shader(gl(), gl().CreateShader(GL_COMPUTE_SHADER));
    gl().ShaderSource(shader.id(), 1, &source, nullptr);
    gl().CompileShader(shader.id());
    GlProgram program(gl(), gl().CreateProgram());
    gl().AttachShader(program.id(), shader.id());
    gl().LinkProgram(program.id());
    GLint linked = 0;
    gl().GetProgramiv(program.id(), GL_LINK_STATUS, &linked);
    EXPECT_EQ(linked, GL_TRUE);
    return program;
  }
  // There is no barrier after it: readers of the buffer must issue one.
  void dispatch(const GlProgram& program, GLuint buffer) {
    gl().UseProgram(program.id());
    gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    gl().DispatchCompute(1, 1, 1);
    gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
    gl().UseProgram(0);
  }
};

// A model with two outputs, one of which the node of the other output also reads.
inline OpCase two_outputs() {
  CaseBuilder builder(9);
  const ValueId in = builder.input({1, 9, 7, 5});
  const ValueId a = builder.node(OpType::kRelu, {}, {in});
  builder.node(OpType::kAdd, {}, {a, in});
  OpCase op = builder.build("two outputs");
  op.graph.outputs.insert(op.graph.outputs.begin(), a);
  return op;
}

}  // namespace sightglass::test
