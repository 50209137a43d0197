// Data that shaders and sessions exchange without the CPU: outputs as buffers, and input positions from buffers.
#include "gl/gpu_driven.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/gl_state.h"
#include "harness/value_of.h"
#include "ref/ref_ops.h"
#include "runtime/arena.h"

namespace sightglass::test {
namespace {

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
  const auto model = value_of(model_from_graph(builder.build("integers").graph));
  PlanOptions options;
  options.inputs.resize(1);
  options.inputs[0].source = InputSpec::Source::kBuffer;
  expect_failure(Plan::build(model, device().limits, options), {"through the host"});
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

TEST_F(GpuDrivenTest, SeveralOutputsAreSeparateAndMixWithOthers) {
  const OpCase op = two_outputs();
  const auto expected = value_of(ref::run(op.graph, op.inputs));
  const auto both = session(plan(op, device().limits));
  ASSERT_TRUE(both->write_input(0, op.inputs[0].data).ok());
  const GlState before = snapshot_gl_state(gl());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(both->run().ok());
    for (size_t o = 0; o < 2; ++o) {
      const auto numbers = expected.at(o).as<float>();
      EXPECT_EQ(output(*both, o), std::vector<float>(numbers.begin(), numbers.end()))
          << "output " << o << ", run " << i;
    }
  }
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
  HostTensor host(DataType::kFloat32, {1, 9, 7, 5});
  EXPECT_FALSE(both->read_output(0, host.data).ok()) << "planned as a buffer";
  EXPECT_FALSE(both->output_texture(0).ok()) << "planned as a buffer";
  EXPECT_FALSE(both->output_buffer(2).ok()) << "no such output";

  const auto model = value_of(model_from_graph(op.graph));
  ForcedPlanOptions options;
  options.outputs.resize(2);
  options.outputs[1].target = OutputSpec::Target::kBuffer;
  const auto mixed_plan = value_of(build_plan(model, device().limits, options));
  const auto mixed = session(mixed_plan);
  ASSERT_TRUE(mixed->write_input(0, op.inputs[0].data).ok());
  ASSERT_TRUE(mixed->run().ok());
  ASSERT_TRUE(mixed->read_output(0, host.data).ok());
  EXPECT_EQ(host.data, expected.at(0).data);
  EXPECT_EQ(output(*mixed, 1).front(), expected.at(1).as<float>()[0]);
  EXPECT_FALSE(mixed->output_buffer(0).ok()) << "planned for the host";
  // With a run in parts, buffers are available after the last part.
  ASSERT_LT(*mixed->run_part(1e-9), 1);
  while (*mixed->run_part(1e-9) < 1) {
  }
  EXPECT_EQ(output(*mixed, 1).front(), expected.at(1).as<float>()[0]);
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

// Images of one input are parts of one frame: against the reference, and against runs on one part after another.
class FramePartsTest : public GpuDrivenTest {
 protected:
  static constexpr int kSide = 24, kHeight = 5, kWidth = 7;
  void SetUp() override {
    GpuDrivenTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Random random(12);
    for (int i = 0; i < kSide * kSide * 4; ++i) pixels_.push_back(static_cast<uint8_t>(random.pick(0, 255)));
    texture_ = make_texture(gl(), GL_RGBA8, kSide, kSide);
    gl().BindTexture(GL_TEXTURE_2D, texture_.id());
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kSide, kSide, GL_RGBA, GL_UNSIGNED_BYTE, pixels_.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
    frame_ = TextureRef{texture_.id(), GL_TEXTURE_2D, kSide, kSide};
  }
  void TearDown() override {
    texture_ = {};
    GpuDrivenTest::TearDown();
  }

  // A part with the size of an image, at these pixels.
  static InputTransform part_at(int x, int y) {
    const auto of = [](int pixels) { return static_cast<float>(pixels) / kSide; };
    return {{of(kWidth), 0, of(x), 0, of(kHeight), of(y)}};
  }
  GlBuffer places_of(const std::vector<InputTransform>& parts) {
    FramePartsBlock block;
    block.frame = frame_block(frame_, parts[0]);
    for (size_t i = 0; i < parts.size(); ++i) block.places.at(i) = frame_block(frame_, parts[i]).place;
    return make_buffer(gl(), GL_UNIFORM_BUFFER, sizeof(block), &block, GL_DYNAMIC_COPY);
  }
  static OpCase case_of(int images, int channels, bool convolution) {
    CaseBuilder builder(20);
    const ValueId data = builder.input({images, kHeight, kWidth, channels});
    if (convolution) {
      builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                   {data, builder.constant({5, 3, 3, channels}), builder.constant({5})});
    } else {
      builder.node(OpType::kTanh, {}, {data});
    }
    return builder.build("parts");
  }
  static ForcedPlanOptions options_of(bool parts) {
    ForcedPlanOptions options;
    options.inputs.resize(1);
    options.inputs[0].source = InputSpec::Source::kTexture;
    options.inputs[0].parts = parts;
    options.inputs[0].scale = {2, 3, 4, 5};
    options.inputs[0].offset = {-1, -2, -3, -4};
    options.inputs[0].padding = {0.5F, 0.25F, 0.75F, 1};
    options.sentinel_bytes = 64;
    return options;
  }
  float sample(int x, int y, int c, const InputSpec& spec) const {
    const bool inside = x >= 0 && y >= 0 && x < kSide && y < kSide;
    const auto lane = static_cast<size_t>(c);
    if (!inside) return spec.padding[lane];
    const size_t pixel = static_cast<size_t>(y) * kSide + static_cast<size_t>(x);
    return static_cast<float>(pixels_[4 * pixel + lane]) / 255;
  }

  std::vector<uint8_t> pixels_;
  GlTexture texture_;
  FrameRef frame_;
};

TEST_F(FramePartsTest, LikeTheReference) {
  for (const int images : {1, 2, 4, kMostFrameParts}) {
    std::vector<std::array<int, 2>> corners;
    std::vector<InputTransform> parts;
    for (int i = 0; i < images; ++i) {
      // The second one is outside of the frame, and the fourth one partly.
      corners.push_back(i == 1 ? std::array{-kSide, 0} : std::array{i % 4 == 3 ? kSide - 3 : i, (2 * i) % 17});
      parts.push_back(part_at(corners.back()[0], corners.back()[1]));
    }
    const GlBuffer places = places_of(parts);
    for (const int channels : {3, 4}) {
      for (const bool convolution : {false, true}) {
        SCOPED_TRACE(std::to_string(images) + " images of " + std::to_string(channels) + " channels");
        const OpCase op = case_of(images, channels, convolution);
        const ForcedPlanOptions options = options_of(true);
        HostTensor input(DataType::kFloat32, {images, kHeight, kWidth, channels});
        size_t next = 0;
        for (const auto& [left, top] : corners) {
          for (int i = 0; i < kHeight * kWidth * channels; ++i) {
            const int pixel = i / channels, c = i % channels;
            const float v = sample(left + pixel % kWidth, top + pixel / kWidth, c, options.inputs[0]);
            const auto lane = static_cast<size_t>(c);
            input.as<float>()[next++] = v * options.inputs[0].scale[lane] + options.inputs[0].offset[lane];
          }
        }
        const auto expected = value_of(ref::run(op.graph, {input}));
        for (const DeviceLimits& limits : every_limits()) {
          const auto run = session(plan(op, limits, options));
          ASSERT_TRUE(run->set_input_frame(0, frame_, places.id()).ok());
          ASSERT_TRUE(run->run().ok());
          const std::vector<float> got = output(*run);
          const Comparison figures = compare(expected.at(0), HostTensor::from_floats(expected.at(0).shape, got));
          EXPECT_LE(figures.nmse, 1e-9) << to_string(figures);
          EXPECT_TRUE(check_sentinels(*run).ok());
        }
      }
    }
  }
}

// Larger, smaller, turned, and mirrored parts.
TEST_F(FramePartsTest, LikeOneAfterAnother) {
  const std::vector<InputTransform> parts{{{1, 0, 0, 0, 1, 0}},
                                          {{0.3F, 0.1F, 0.2F, -0.1F, 0.3F, 0.4F}},
                                          {{-0.5F, 0, 0.75F, 0, 0.125F, 0.5F}},
                                          {{0.05F, 0, 0.5F, 0, 0.05F, 0.5F}},
                                          {{2, 0, -0.5F, 0, 2, -0.5F}}};
  const auto images = static_cast<int>(parts.size());
  const GlBuffer places = places_of(parts);
  for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
    ForcedPlanOptions options = options_of(true);
    options.precision = precision;
    const auto all = session(plan(case_of(images, 3, false), device().limits, options));
    const auto one = session(plan(case_of(1, 3, false), device().limits, options));
    ASSERT_TRUE(all->set_input_frame(0, frame_, places.id()).ok());
    ASSERT_TRUE(all->run().ok());
    const std::vector<float> got = output(*all);
    const size_t numbers = got.size() / parts.size();
    for (size_t i = 0; i < parts.size(); ++i) {
      ASSERT_TRUE(one->set_input_frame(0, frame_, parts[i]).ok());
      ASSERT_TRUE(one->run().ok());
      const auto first = got.begin() + static_cast<std::ptrdiff_t>(i * numbers);
      EXPECT_EQ(output(*one), std::vector<float>(first, first + static_cast<std::ptrdiff_t>(numbers))) << i;
    }
  }
}

TEST_F(FramePartsTest, WhatCannotBe) {
  const auto error_of = [&](int images, bool parts) {
    return build_plan(value_of(model_from_graph(case_of(images, 3, false).graph)), device().limits, options_of(parts))
        .status()
        .message();
  };
  EXPECT_NE(error_of(2, false).find("it must hold one image of"), std::string::npos) << error_of(2, false);
  EXPECT_NE(error_of(17, true).find("it must hold up to 16 images of"), std::string::npos) << error_of(17, true);
  const auto run = session(plan(case_of(2, 3, false), device().limits, options_of(true)));
  EXPECT_EQ(run->set_input_frame(0, frame_).message(), "input 0 holds 2 images, whose positions must be in a buffer");
}

}  // namespace
}  // namespace sightglass::test
