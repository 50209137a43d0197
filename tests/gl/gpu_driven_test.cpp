// Data that shaders and sessions exchange without the CPU: outputs as buffers, input positions from buffers, and runs
// that depend on a flag on the GPU.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "gl/counting_gl.h"
#include "gpu_engine/model_internals.h"
#include "gpu_engine/plan_internals.h"
#include "gpu_engine/session_internals.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "ops/op_case.h"
#include "plan/plan_data.h"
#include "ref/ref_ops.h"
#include "runtime/buffers.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr GLsizeiptr kAlignment = 256;

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

  std::vector<float> read(const BufferRange& range) const {
    std::vector<float> numbers(static_cast<size_t>(range.size) / sizeof(float));
    gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, range.buffer);
    const void* mapped = gl().MapBufferRange(GL_SHADER_STORAGE_BUFFER, range.offset, range.size, GL_MAP_READ_BIT);
    EXPECT_NE(mapped, nullptr);
    if (mapped != nullptr) std::memcpy(numbers.data(), mapped, static_cast<size_t>(range.size));
    gl().UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    return numbers;
  }
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

std::vector<float> real_numbers(const HostTensor& tensor, const Quantization& quantization) {
  std::vector<float> numbers;
  const float scale = quantization.empty() ? 1 : quantization.scale[0];
  const auto zero = quantization.zero_point.empty() ? 0 : static_cast<float>(quantization.zero_point[0]);
  const auto elements = static_cast<size_t>(tensor.shape.elements());
  for (size_t i = 0; i < elements; ++i) {
    float v = 0;
    switch (tensor.type) {
      case DataType::kFloat32:
        v = tensor.as<float>()[i];
        break;
      case DataType::kInt8:
        v = tensor.as<int8_t>()[i];
        break;
      case DataType::kUInt8:
        v = tensor.as<uint8_t>()[i];
        break;
      case DataType::kInt32:
        v = static_cast<float>(tensor.as<int32_t>()[i]);
        break;
      default:
        v = tensor.as<uint8_t>()[i];
    }
    numbers.push_back((v - zero) * scale);
  }
  return numbers;
}

// A graph that forwards its input, negated if that is exact, so that the reference is trivially correct.
TEST_F(GpuDrivenTest, OutputsOfEveryShapeAreTightlyPacked) {
  for (const Shape& shape :
       {Shape{1, 5, 7, 1}, Shape{1, 5, 7, 3}, Shape{2, 3, 5, 4}, Shape{3, 2, 3, 5}, Shape{1, 9, 4, 13},
        Shape{2, 6, 5, 16}, Shape{1, 1001}, Shape{7}, Shape{2, 3, 2, 3, 6}, Shape{1, 2254, 12}}) {
    CaseBuilder builder(5);
    builder.node(OpType::kNeg, {}, {builder.input(shape)});
    const OpCase op = builder.build("negated");
    for (const DeviceLimits& limits : every_limits()) {
      for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
        ForcedPlanOptions options;
        options.precision = precision;
        for (const int32_t sentinel_bytes : {0, 64}) {
          options.sentinel_bytes = sentinel_bytes;
          const auto planned = plan(op, limits, options);
          const auto run = session(planned);
          EXPECT_GE(planned->memory().output_bytes, shape.elements() * 4);
          ASSERT_TRUE(run->write_input(0, op.inputs[0].data).ok());
          ASSERT_TRUE(run->run().ok());
          const std::vector<float> got = output(*run);
          ASSERT_EQ(got.size(), static_cast<size_t>(shape.elements()));
          for (size_t i = 0; i < got.size(); ++i) {
            const float in = op.inputs[0].as<float>()[i];
            const float expected = precision == Precision::kFp32 ? -in : -half_to_float(float_to_half(in));
            ASSERT_EQ(got[i], expected) << shape.to_string() << ", element " << i;
          }
          if (sentinel_bytes > 0) {
            EXPECT_TRUE(check_sentinels(*run).ok());
          }
        }
      }
    }
  }
}

// The copy is on the GPU: from an output buffer of one session to the input buffer of another one.
TEST_F(GpuDrivenTest, InputsOfEveryShapeAreReadFromABuffer) {
  for (const Shape& shape : {Shape{1, 146, 2}, Shape{1, 5, 7, 3}, Shape{2, 3, 5, 4}, Shape{3, 2, 3, 5}, Shape{1, 1001},
                             Shape{7}, Shape{2, 6, 5, 16}}) {
    CaseBuilder builder(5);
    builder.node(OpType::kNeg, {}, {builder.input(shape)});
    const OpCase op = builder.build("negated");
    for (const DeviceLimits& limits : every_limits()) {
      for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
        ForcedPlanOptions options;
        options.precision = precision;
        options.sentinel_bytes = precision == Precision::kFp32 ? 64 : 0;
        const auto first = session(plan(op, limits));
        options.inputs.resize(1);
        options.inputs[0].source = InputSpec::Source::kBuffer;
        const auto second = session(plan(op, limits, options));
        ASSERT_TRUE(first->write_input(0, op.inputs[0].data).ok());
        EXPECT_FALSE(second->write_input(0, op.inputs[0].data).ok());
        EXPECT_FALSE(first->input_buffer(0).ok());
        const auto from = first->output_buffer(0), to = second->input_buffer(0);
        ASSERT_TRUE(from.ok() && to.ok());
        ASSERT_EQ(from->size, to->size);
        EXPECT_EQ(to->offset % kAlignment, 0);
        ASSERT_TRUE(first->run().ok());
        gl().BindBuffer(GL_COPY_READ_BUFFER, from->buffer);
        gl().BindBuffer(GL_COPY_WRITE_BUFFER, to->buffer);
        gl().CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from->offset, to->offset, to->size);
        gl().BindBuffer(GL_COPY_READ_BUFFER, 0);
        gl().BindBuffer(GL_COPY_WRITE_BUFFER, 0);
        // The second run reads the same buffer, which runs do not change.
        for (int run = 0; run < 2; ++run) ASSERT_TRUE(second->run().ok());
        const std::vector<float> got = output(*second);
        ASSERT_EQ(got.size(), static_cast<size_t>(shape.elements()));
        for (size_t i = 0; i < got.size(); ++i) {
          const float in = op.inputs[0].as<float>()[i];
          const float expected = precision == Precision::kFp32 ? in : half_to_float(float_to_half(in));
          ASSERT_EQ(got[i], expected) << shape.to_string() << ", element " << i;
        }
        if (options.sentinel_bytes > 0) {
          EXPECT_TRUE(check_sentinels(*second).ok());
        }
      }
    }
  }
}

TEST_F(GpuDrivenTest, IntegersAreNotReadFromABuffer) {
  CaseBuilder builder(7);
  builder.node(OpType::kReshape, ReshapeAttr{Shape{15}}, {builder.input(Shape{1, 3, 5}, Fill::kRamp, DataType::kInt32)},
               Activation::kNone, DataType::kInt32);
  const auto model = model_from_graph(builder.build("integers").graph);
  ASSERT_TRUE(model.ok());
  PlanOptions options;
  options.inputs.resize(1);
  options.inputs[0].source = InputSpec::Source::kBuffer;
  const auto planned = Plan::build(*model, device().limits, options);
  ASSERT_FALSE(planned.ok());
  EXPECT_NE(planned.status().message().find("through the host"), std::string::npos) << planned.status().message();
}

TEST_F(GpuDrivenTest, OtherTypesBecomeRealNumbers) {
  std::vector<OpCase> cases;
  for (const int channels : {1, 3, 13, 16}) {
    const Shape shape{1, 3, 5, channels};
    for (const Quantized& type :
         {Quantized{DataType::kInt8, {0.05f}, -7}, Quantized{DataType::kUInt8, {0.0078125f}, 128}}) {
      CaseBuilder builder(6);
      builder.node(OpType::kReshape, ReshapeAttr{shape}, {builder.input(shape, type)}, type);
      cases.push_back(builder.build("quantized"));
    }
    CaseBuilder integers(7);
    integers.node(OpType::kReshape, ReshapeAttr{shape}, {integers.input(shape, Fill::kRamp, DataType::kInt32)},
                  Activation::kNone, DataType::kInt32);
    cases.push_back(integers.build("integers"));
    CaseBuilder booleans(8);
    booleans.node(OpType::kReshape, ReshapeAttr{shape}, {booleans.input(shape, Fill::kUniform, DataType::kBool)},
                  Activation::kNone, DataType::kBool);
    cases.push_back(booleans.build("booleans"));
  }
  for (const OpCase& op : cases) {
    for (const DeviceLimits& limits : every_limits()) {
      const auto planned = plan(op, limits);
      const auto run = session(planned);
      ASSERT_TRUE(run->write_input(0, op.inputs[0].data).ok());
      ASSERT_TRUE(run->run().ok());
      const std::vector<float> expected = real_numbers(op.inputs[0], planned->model().outputs()[0].quantization);
      EXPECT_EQ(output(*run), expected) << op.name << " " << op.inputs[0].shape.to_string();
    }
  }
}

// A model with two outputs, one of which the node of the other output also reads.
OpCase two_outputs() {
  CaseBuilder builder(9);
  const ValueId in = builder.input({1, 9, 7, 5});
  const ValueId a = builder.node(OpType::kRelu, {}, {in});
  builder.node(OpType::kAdd, {}, {a, in});
  OpCase op = builder.build("two outputs");
  op.graph.outputs.insert(op.graph.outputs.begin(), a);
  return op;
}

TEST_F(GpuDrivenTest, SeveralOutputsAreSeparateAndMixWithOthers) {
  const OpCase op = two_outputs();
  const auto expected = ref::run(op.graph, op.inputs);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  const auto both = session(plan(op, device().limits));
  ASSERT_TRUE(both->write_input(0, op.inputs[0].data).ok());
  const GlState before = snapshot_gl_state(gl());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(both->run().ok());
    for (size_t o = 0; o < 2; ++o) {
      const auto numbers = expected->at(o).as<float>();
      EXPECT_EQ(output(*both, o), std::vector<float>(numbers.begin(), numbers.end()))
          << "output " << o << ", run " << i;
    }
  }
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
  HostTensor host(DataType::kFloat32, {1, 9, 7, 5});
  EXPECT_FALSE(both->read_output(0, host.data).ok()) << "planned as a buffer";
  EXPECT_FALSE(both->output_texture(0).ok()) << "planned as a buffer";
  EXPECT_FALSE(both->output_buffer(2).ok()) << "no such output";

  const auto model = model_from_graph(op.graph);
  ASSERT_TRUE(model.ok());
  ForcedPlanOptions options;
  options.outputs.resize(2);
  options.outputs[1].target = OutputSpec::Target::kBuffer;
  const auto mixed_plan = build_plan(*model, device().limits, options);
  ASSERT_TRUE(mixed_plan.ok()) << mixed_plan.status().message();
  const auto mixed = session(*mixed_plan);
  ASSERT_TRUE(mixed->write_input(0, op.inputs[0].data).ok());
  ASSERT_TRUE(mixed->run().ok());
  ASSERT_TRUE(mixed->read_output(0, host.data).ok());
  EXPECT_EQ(host.data, expected->at(0).data);
  EXPECT_EQ(output(*mixed, 1).front(), expected->at(1).as<float>()[0]);
  EXPECT_FALSE(mixed->output_buffer(0).ok()) << "planned for the host";
  // With a run in parts, buffers are available after the last part.
  ASSERT_LT(*mixed->run_part(1e-9), 1);
  while (*mixed->run_part(1e-9) < 1) {
  }
  EXPECT_EQ(output(*mixed, 1).front(), expected->at(1).as<float>()[0]);
}

// The position comes from a block that a shader has just written, and differs from run to run.
TEST_F(GpuDrivenTest, ShadersSetTheInputPosition) {
  constexpr int kSize = 8;
  GlTexture texture = make_texture(gl(), GL_RGBA8, kSize, kSize);
  std::vector<uint8_t> pixels;
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      pixels.insert(pixels.end(), {static_cast<uint8_t>(20 * x), static_cast<uint8_t>(20 * y), 7, 255});
    }
  }
  gl().BindTexture(GL_TEXTURE_2D, texture.id());
  gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  gl().BindTexture(GL_TEXTURE_2D, 0);
  const FrameRef frame = TextureRef{texture.id(), GL_TEXTURE_2D, kSize, kSize};

  for (const bool convolution : {false, true}) {
    CaseBuilder builder(10);
    const ValueId data = builder.input({1, 4, 4, 3});
    if (convolution) {
      builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                   {data, builder.constant({5, 3, 3, 3}), builder.constant({5})});
    } else {
      builder.node(OpType::kRelu, {}, {data});
    }
    const OpCase op = builder.build("place");
    ForcedPlanOptions options;
    options.inputs.resize(1);
    options.inputs[0].source = InputSpec::Source::kTexture;
    for (const DeviceLimits& limits : every_limits()) {
      const auto run = session(plan(op, limits, options));
      // The third block of the buffer is used. The shader sets the offset of its first row.
      const FrameBlock block = frame_block(frame, InputTransform{{0.5f, 0, 0, 0, 0.5f, 0}});
      std::vector<std::byte> contents(kAlignment * 2 + sizeof(FrameBlock));
      std::memcpy(contents.data() + kAlignment * 2, &block, sizeof(block));
      const GlBuffer places =
          make_buffer(gl(), GL_UNIFORM_BUFFER, static_cast<int64_t>(contents.size()), contents.data(), GL_DYNAMIC_COPY);
      const GlProgram step = small_program("data[128 + 2] = floatBitsToUint(uintBitsToFloat(data[128 + 2]) + 0.125);");
      ASSERT_FALSE(run->set_input_frame(0, frame, 0).ok());
      ASSERT_FALSE(run->set_input_frame(0, frame, places.id(), 4).ok()) << "not aligned";
      ASSERT_FALSE(run->set_input_frame(1, frame, places.id()).ok()) << "no such input";
      ASSERT_TRUE(run->set_input_frame(0, frame, places.id(), kAlignment * 2).ok());
      std::vector<std::vector<float>> from_buffer, from_cpu;
      for (int i = 0; i < 4; ++i) {
        dispatch(step, places.id());
        const GlState before = snapshot_gl_state(gl());
        ASSERT_TRUE(run->run().ok());
        EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
        from_buffer.push_back(output(*run));
      }
      for (int i = 0; i < 4; ++i) {
        const InputTransform moved{{0.5f, 0, 0.125f * static_cast<float>(i + 1), 0, 0.5f, 0}};
        ASSERT_TRUE(run->set_input_frame(0, frame, moved).ok());
        ASSERT_TRUE(run->run().ok());
        from_cpu.push_back(output(*run));
      }
      EXPECT_EQ(from_buffer, from_cpu);
      EXPECT_NE(from_buffer[0], from_buffer[1]);
      if (!convolution) {
        EXPECT_NEAR(from_buffer[2][0], 60 / 255.0, 1e-6) << "three pixels from the left";
      }
    }
  }
}

// Adds its input to its state, and outputs the sum.
OpCase running_sum() {
  OpCase op;
  Graph& graph = op.graph;
  graph.name = "running sum";
  const auto value = [&graph](const char* name) {
    Value v;
    v.name = name;
    v.shape = {1, 2, 3, 5};
    return graph.add_value(std::move(v));
  };
  const ValueId in = value("in"), sum = value("sum"), next = value("next");
  Node add;
  add.op = OpType::kAdd;
  add.inputs = {in, sum};
  add.outputs = {next};
  graph.add_node(add);
  graph.inputs = {in};
  graph.outputs = {next};
  graph.states = {{sum, next, std::nullopt}};
  op.inputs = {HostTensor::from_floats({1, 2, 3, 5}, std::vector<float>(30, 1.0f))};
  return op;
}

TEST_F(GpuDrivenTest, TheFlagGatesARunAndItsState) {
  const OpCase op = running_sum();
  for (const DeviceLimits& limits : every_limits()) {
    const auto run = session(plan(op, limits));
    ASSERT_TRUE(run->write_input(0, op.inputs[0].data).ok());
    // Counts, and enables every third run. The CPU only issues commands.
    const GLuint zeros[65] = {};
    const GlBuffer flags = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, sizeof(zeros), zeros, GL_DYNAMIC_COPY);
    const GlProgram step = small_program("data[0] += 1u; data[64] = data[0] % 3u == 0u ? 5u : 0u;");
    float sum = 0;
    for (int frame = 1; frame <= 10; ++frame) {
      dispatch(step, flags.id());
      const GlState before = snapshot_gl_state(gl());
      ASSERT_TRUE(run->run_if(flags.id(), kAlignment).ok());
      EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
      if (frame % 3 == 0) sum += 1;
      if (frame >= 3) {
        EXPECT_EQ(output(*run), std::vector<float>(30, sum)) << "frame " << frame;
      }
    }
    // Runs without a flag continue from there.
    ASSERT_TRUE(run->run().ok());
    EXPECT_EQ(output(*run), std::vector<float>(30, sum + 1));
  }
}

TEST_F(GpuDrivenTest, AGatedRunIsIdenticalAndOnlyDispatches) {
  CaseBuilder builder(12);
  const ValueId in = builder.input({1, 33, 31, 3});
  const ValueId a = builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 2, 2, 1, 1},
                                 {in, builder.constant({13, 3, 3, 3}), builder.constant({13})}, Activation::kRelu);
  builder.node(OpType::kSoftmax, SoftmaxAttr{}, {a});
  const OpCase op = builder.build("gated");
  const GLuint numbers[2] = {0, 1};
  for (const DeviceLimits& limits : every_limits()) {
    const auto planned = plan(op, limits);
    auto made = Session::create(counting_gl(gl()), planned, {.gated = true});
    ASSERT_TRUE(made.ok()) << made.status().message();
    Session& run = **made;
    ASSERT_TRUE(run.write_input(0, op.inputs[0].data).ok());
    ASSERT_TRUE(run.run().ok());
    const std::vector<float> plain = output(run);
    ASSERT_TRUE(run.write_input(0, std::vector<std::byte>(op.inputs[0].data.size())).ok());
    const GlBuffer off = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, numbers, GL_STATIC_DRAW);
    const GlBuffer on = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, numbers + 1, GL_STATIC_DRAW);
    ASSERT_TRUE(run.run_if(off.id()).ok());
    EXPECT_EQ(output(run), plain) << "the output of the previous run";
    ASSERT_TRUE(run.run_if(on.id()).ok());
    EXPECT_NE(output(run), plain) << "the output for zeros";
    ASSERT_TRUE(run.write_input(0, op.inputs[0].data).ok());
    ASSERT_LT(*run.run_part(1e-9), 1);
    gl_calls().clear();
    ASSERT_TRUE(run.run_if(on.id()).ok());
    EXPECT_EQ(gl_calls()["DispatchComputeIndirect"], planned->dispatches());
    EXPECT_EQ(gl_calls()["DispatchCompute"], 1);
    for (const char* name :
         {"BufferSubData", "BufferData", "MapBufferRange", "Finish", "ClientWaitSync", "GenBuffers"}) {
      EXPECT_EQ(gl_calls()[name], 0) << name;
    }
    EXPECT_EQ(output(run), plain);
    ASSERT_LT(*run.run_part(1e-9), 1) << "the run in parts was aborted";
  }
}

// The first part reads the flag. Later changes affect only the next run.
TEST_F(GpuDrivenTest, TheFlagGatesARunInParts) {
  CaseBuilder builder(13);
  ValueId last = builder.input({1, 9, 7, 5});
  for (int i = 0; i < 4; ++i) {
    last = builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                        {last, builder.constant({5, 3, 3, 5}), builder.constant({5})}, Activation::kRelu);
  }
  const OpCase op = builder.build("parts");
  for (const DeviceLimits& limits : every_limits()) {
    const auto run = session(plan(op, limits));
    ASSERT_TRUE(run->write_input(0, op.inputs[0].data).ok());
    ASSERT_TRUE(run->run().ok());
    const std::vector<float> plain = output(*run);
    ASSERT_TRUE(run->write_input(0, std::vector<std::byte>(op.inputs[0].data.size())).ok());
    for (const GLuint wanted : {0U, 1U}) {
      const GLuint numbers[2] = {wanted, 1 - wanted};
      const GlBuffer flag = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, numbers, GL_STATIC_DRAW);
      const GlBuffer other = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, numbers + 1, GL_STATIC_DRAW);
      int parts = 1;
      double progress = *run->run_part_if(1e-9, flag.id());
      EXPECT_LT(progress, 1);
      for (; progress < 1; ++parts) {
        const GlState before = snapshot_gl_state(gl());
        progress = parts % 2 == 0 ? *run->run_part(1e-9) : *run->run_part_if(1e-9, other.id());
        EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
      }
      EXPECT_GE(parts, 3);
      EXPECT_EQ(output(*run) == plain, wanted == 0) << "the output of the previous run, or for zeros";
    }
    // The next run in parts has no flag.
    ASSERT_TRUE(run->write_input(0, op.inputs[0].data).ok());
    while (*run->run_part(1e-9) < 1) {
    }
    EXPECT_EQ(output(*run), plain);
  }
}

TEST_F(GpuDrivenTest, FlagsAreRejectedIfUnsupported) {
  const OpCase op = running_sum();
  const GLuint one = 1;
  const GlBuffer flag = make_buffer(gl(), GL_SHADER_STORAGE_BUFFER, 4, &one, GL_STATIC_DRAW);
  auto plain = Session::create(gl(), plan(op, device().limits));
  ASSERT_TRUE(plain.ok());
  EXPECT_NE((*plain)->run_if(flag.id()).message().find("gated"), std::string::npos);
  const auto gated = session(plan(op, device().limits));
  EXPECT_FALSE(gated->run_if(0).ok());
  EXPECT_FALSE(gated->run_if(flag.id(), 2).ok());
  EXPECT_FALSE(gated->run_part_if(1, 0).ok());
  EXPECT_FALSE(gated->run_part_if(0, flag.id()).ok());

  ForcedPlanOptions options;
  options.fallback = Fallback::kCpu;
  options.hidden_operators = {"ADD"};
  const auto on_cpu = session(plan(two_outputs(), device().limits, options));
  const Status refused = on_cpu->run_if(flag.id());
  EXPECT_EQ(refused.code(), ErrorCode::kUnsupported);
  EXPECT_NE(refused.message().find("ADD"), std::string::npos) << refused.message();
}

TEST_F(GpuDrivenTest, AbandonDeletesNothing) {
  auto made = Session::create(counting_gl(gl()), plan(running_sum(), device().limits), {.gated = true});
  ASSERT_TRUE(made.ok());
  gl_calls().clear();
  (*made)->abandon();
  made->reset();
  for (const auto& [name, calls] : gl_calls()) ADD_FAILURE() << name << " × " << calls;
}

}  // namespace
}  // namespace sightglass::test
