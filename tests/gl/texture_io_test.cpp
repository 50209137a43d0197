// Textures as model inputs and outputs: kernels sample the values that the reference computes from the same pixels.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "plan/plan_data.h"
#include "ref/ref_ops.h"
#include "sightglass/device.h"
#include "sightglass/gl_objects.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

// An 8-bit RGBA image, rows from top to bottom.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;

  static Picture random(int width, int height, uint64_t seed) {
    Random random(seed);
    Picture p{width, height, {}};
    for (int i = 0; i < width * height * 4; ++i) p.pixels.push_back(static_cast<uint8_t>(random.pick(0, 255)));
    return p;
  }
  float sample(int x, int y, int c) const {
    return static_cast<float>(pixels[static_cast<size_t>((y * width + x) * 4 + c)]) / 255.0f;
  }
};

class TextureIoTest : public GlTest {
 protected:
  GlTexture upload(const Picture& p, GLenum format = GL_RGBA8) {
    GlTexture texture = make_texture(gl(), format, p.width, p.height);
    gl().BindTexture(GL_TEXTURE_2D, texture.id());
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, p.width, p.height, GL_RGBA, GL_UNSIGNED_BYTE, p.pixels.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
    return texture;
  }

  // Runs a one-input model on the picture and returns its output.
  HostTensor run(const OpCase& op, const Picture& picture, const InputSpec& spec, const InputTransform& transform,
                 std::string* kernels = nullptr, GLenum format = GL_RGBA8) {
    const auto model = value_of(model_from_graph(op.graph));
    ForcedPlanOptions options;
    options.inputs = {spec};
    options.sentinel_bytes = 64;
    const auto plan = value_of(build_plan(model, limits_for_sampling(), options));
    auto session = value_of(Session::create(gl(), plan));
    const GlTexture texture = upload(picture, format);
    EXPECT_TRUE(
        session->set_input_texture(0, {texture.id(), GL_TEXTURE_2D, picture.width, picture.height}, transform).ok());
    EXPECT_TRUE(session->run().ok());
    HostTensor got(DataType::kFloat32, plan->model().outputs()[0].shape);
    EXPECT_TRUE(session->read_output(0, got.data).ok());
    EXPECT_TRUE(check_sentinels(*session).ok());
    if (kernels != nullptr) {
      for (const Step& step : data_of(*plan).steps) *kernels += step.kernel + "\n";
    }
    return got;
  }
};

InputSpec texture_spec() {
  InputSpec spec;
  spec.source = InputSpec::Source::kTexture;
  return spec;
}

// The tensor that the image becomes, pixel by pixel, if the sizes are equal.
HostTensor as_tensor(const Picture& p, int channels, const InputSpec& spec) {
  HostTensor tensor(DataType::kFloat32, {1, p.height, p.width, channels});
  size_t i = 0;
  for (int y = 0; y < p.height; ++y) {
    for (int x = 0; x < p.width; ++x) {
      for (int c = 0; c < channels; ++c, ++i) {
        const auto lane = static_cast<size_t>(c);
        tensor.as<float>()[i] = p.sample(x, y, c) * spec.scale[lane] + spec.offset[lane];
      }
    }
  }
  return tensor;
}

TEST_F(TextureIoTest, FirstConvolutionSamplesTheTexture) {
  uint64_t seed = 1;
  for (const int out : {1, 4, 13, 16, 32}) {
    for (const auto& [kernel, stride, dilation] : {std::tuple{3, 2, 1}, {1, 1, 1}, {5, 1, 2}}) {
      for (const PaddingMode mode : {PaddingMode::kSame, PaddingMode::kValid}) {
        InputSpec spec = texture_spec();
        spec.scale = {2.0f, 1.5f, 0.5f, 1.0f};
        spec.offset = {-1.0f, 0.25f, 3.0f, 0.0f};
        const Picture picture = Picture::random(31, 22, seed);
        CaseBuilder builder(seed++);
        const ValueId data = builder.input({1, 22, 31, 3});
        const ValueId weights = builder.constant({out, kernel, kernel, 3});
        builder.node(OpType::kConv2d, Conv2dAttr{{mode}, stride, stride, dilation, dilation},
                     {data, weights, builder.constant({out})}, Activation::kHardSwish);
        const OpCase op = builder.build("first convolution");
        const auto expected = value_of(ref::run(op.graph, {as_tensor(picture, 3, spec)}));
        std::string kernels;
        const Comparison figures = compare(expected.at(0), run(op, picture, spec, {}, &kernels));
        EXPECT_NE(kernels.find("conv2d_texture.comp"), std::string::npos) << kernels;
        EXPECT_LE(figures.nmse, 1e-9) << to_string(figures);
        std::printf("%d channels, kernel %d: NMSE %.2e\n", out, kernel, figures.nmse);
      }
    }
  }
}

TEST_F(TextureIoTest, LoadPassForOtherFirstOperators) {
  for (const int channels : {2, 3, 4}) {
    InputSpec spec = texture_spec();
    spec.scale = {2, 3, 4, 5};
    spec.offset = {-1, -2, -3, -4};
    const Picture picture = Picture::random(13, 9, 50);
    CaseBuilder builder(51);
    builder.node(OpType::kTanh, {}, {builder.input({1, 9, 13, channels})});
    const OpCase op = builder.build("load pass");
    const auto expected = value_of(ref::run(op.graph, {as_tensor(picture, channels, spec)}));
    const Comparison figures = compare(expected.at(0), run(op, picture, spec, {}));
    EXPECT_LE(figures.nmse, 1e-9) << to_string(figures);
  }
}

// A model that forwards its input, to inspect the result of the transform.
OpCase identity_case(int height, int width) {
  CaseBuilder builder(60);
  builder.node(OpType::kRelu, {}, {builder.input({1, height, width, 3})});
  return builder.build("identity");
}

// Models are trained on nonlinear colors, and programs such as OBS Studio store these in sRGB textures.
TEST_F(TextureIoTest, SrgbTexturesAreReadAsStored) {
  if (!has_extension(gl(), "GL_EXT_texture_sRGB_decode")) GTEST_SKIP() << "the driver always converts sRGB textures";
  const Picture picture = Picture::random(13, 9, 54);
  const HostTensor got = run(identity_case(9, 13), picture, texture_spec(), {}, nullptr, GL_SRGB8_ALPHA8);
  const Comparison figures = compare(as_tensor(picture, 3, texture_spec()), got);
  std::printf("NMSE %.2e\n", figures.nmse);
  EXPECT_LE(figures.nmse, 1e-9) << to_string(figures);
}

// Models with byte inputs that are not quantized, such as MoveNet.
TEST_F(TextureIoTest, IntegersAreRoundedToNearest) {
  InputSpec spec = texture_spec();
  spec.scale = {255, 255, 255, 255};
  const Picture picture = Picture::random(13, 9, 52);
  CaseBuilder builder(53);
  builder.node(OpType::kCast, {}, {builder.input({1, 9, 13, 3}, Fill::kRamp, DataType::kUInt8)}, Activation::kNone,
               DataType::kFloat32);
  const HostTensor got = run(builder.build("bytes"), picture, spec, {});
  const HostTensor expected = as_tensor(picture, 3, spec);
  for (size_t i = 0; i < got.as<float>().size(); ++i) {
    ASSERT_EQ(got.as<float>()[i], std::round(expected.as<float>()[i])) << i;
  }
}

TEST_F(TextureIoTest, EveryOrientation) {
  // 4 × 2 pixels, all different: for each orientation, the indices of the stored pixels.
  Picture picture{4, 2, {}};
  for (int i = 0; i < 8; ++i) picture.pixels.insert(picture.pixels.end(), {static_cast<uint8_t>(30 * i), 0, 0, 255});
  const std::pair<Orientation, std::vector<int>> expected[] = {
      {Orientation::kIdentity, {0, 1, 2, 3, 4, 5, 6, 7}},  {Orientation::kRotate180, {7, 6, 5, 4, 3, 2, 1, 0}},
      {Orientation::kMirror, {3, 2, 1, 0, 7, 6, 5, 4}},    {Orientation::kFlip, {4, 5, 6, 7, 0, 1, 2, 3}},
      {Orientation::kRotate90, {4, 0, 5, 1, 6, 2, 7, 3}},  {Orientation::kRotate270, {3, 7, 2, 6, 1, 5, 0, 4}},
      {Orientation::kTranspose, {0, 4, 1, 5, 2, 6, 3, 7}}, {Orientation::kAntiTranspose, {7, 3, 6, 2, 5, 1, 4, 0}}};
  for (const auto& [orientation, pixels] : expected) {
    const bool upright = orientation == Orientation::kRotate90 || orientation == Orientation::kRotate270 ||
                         orientation == Orientation::kTranspose || orientation == Orientation::kAntiTranspose;
    const int width = upright ? 2 : 4, height = upright ? 4 : 2;
    const HostTensor got = run(identity_case(height, width), picture, texture_spec(),
                               make_input_transform(4, 2, width, height, Fit::kStretch, orientation));
    std::vector<int> seen;
    for (size_t i = 0; i < 8; ++i) seen.push_back(static_cast<int>(std::lround(got.as<float>()[i * 3] * 255) / 30));
    EXPECT_EQ(seen, pixels) << "orientation " << static_cast<int>(orientation);
  }
}

TEST_F(TextureIoTest, Letterbox) {
  Picture picture{8, 4, std::vector<uint8_t>(8 * 4 * 4, 255)};
  InputSpec spec = texture_spec();
  spec.padding = {0.5f, 0.25f, 0.0f, 1.0f};
  const HostTensor got = run(identity_case(8, 8), picture, spec, make_input_transform(8, 4, 8, 8, Fit::kLetterbox));
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 8; ++x) {
      const float green = got.as<float>()[(y * 8 + x) * 3 + 1];
      EXPECT_FLOAT_EQ(green, y < 2 || y >= 6 ? 0.25f : 1.0f) << x << ", " << y;
    }
  }
}

TEST_F(TextureIoTest, LetterboxPixelsAreInsideTheTensorForTheFirstConvolution) {
  // The letterbox bars are tensor pixels with the padding color. The padding of the convolution is zero. The fused
  // kernel must distinguish them.
  const Picture picture = Picture::random(16, 8, 70);
  InputSpec spec = texture_spec();
  spec.scale = {2, 2, 2, 1};
  spec.offset = {-1, -1, -1, 0};
  spec.padding = {0.5f, 0.25f, 0.75f, 1.0f};
  const InputTransform transform = make_input_transform(16, 8, 16, 16, Fit::kLetterbox);

  HostTensor tensor(DataType::kFloat32, {1, 16, 16, 3});
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) {
      for (int c = 0; c < 3; ++c) {
        const bool bar = y < 4 || y >= 12;
        const float sample = bar ? spec.padding[static_cast<size_t>(c)] : picture.sample(x, y - 4, c);
        tensor.as<float>()[static_cast<size_t>((y * 16 + x) * 3 + c)] = sample * 2 - 1;
      }
    }
  }
  CaseBuilder builder(71);
  const ValueId data = builder.input({1, 16, 16, 3});
  builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
               {data, builder.constant({8, 3, 3, 3}), builder.constant({8})});
  const OpCase op = builder.build("letterboxed convolution");
  const auto expected = value_of(ref::run(op.graph, {tensor}));
  const Comparison figures = compare(expected.at(0), run(op, picture, spec, transform));
  EXPECT_LE(figures.nmse, 1e-9) << to_string(figures);
}

TEST_F(TextureIoTest, CropAndMirror) {
  const Picture picture = Picture::random(16, 8, 80);
  const CropRect crop{0.25f, 0.5f, 0.5f, 0.5f};
  const HostTensor got = run(identity_case(4, 8), picture, texture_spec(),
                             make_input_transform(16, 8, 8, 4, Fit::kStretch, Orientation::kMirror, crop));
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) {
      const float value = got.as<float>()[static_cast<size_t>((y * 8 + x) * 3)];
      EXPECT_NEAR(value, picture.sample(15 - (4 + x), 4 + y, 0), 1e-6) << x << ", " << y;
    }
  }
}

TEST_F(TextureIoTest, TextureParametersOfTheCallerAreKept) {
  const Picture picture = Picture::random(8, 8, 90);
  const GlTexture texture = upload(picture);
  const OpCase op = identity_case(8, 8);
  const auto model = model_from_graph(op.graph);
  ForcedPlanOptions options;
  options.inputs = {texture_spec()};
  const auto plan = value_of(build_plan(*model, device().limits, options));
  auto session = value_of(Session::create(gl(), plan));
  // With the default, GL_NEAREST_MIPMAP_LINEAR, a texture with one level is incomplete unless our sampler is bound.
  ASSERT_TRUE(session->set_input_texture(0, {texture.id(), GL_TEXTURE_2D, 8, 8}).ok());
  ASSERT_TRUE(session->run().ok());
  HostTensor got(DataType::kFloat32, {1, 8, 8, 3});
  ASSERT_TRUE(session->read_output(0, got.data).ok());
  EXPECT_NEAR(got.as<float>()[0], picture.sample(0, 0, 0), 1e-6);
}

TEST_F(TextureIoTest, InputsThatCannotBeTextures) {
  CaseBuilder builder(95);
  builder.node(OpType::kRelu, {}, {builder.input({1, 8, 8, 5})});
  const OpCase op = builder.build("five channels");
  const auto model = model_from_graph(op.graph);
  ForcedPlanOptions options;
  options.inputs = {texture_spec()};
  expect_failure(build_plan(*model, device().limits, options), {"1x8x8x5", "input0"});
}

class TextureOutputTest : public TextureIoTest {
 protected:
  // The contents of the output texture, as floats, for a model that forwards `logits`.
  std::vector<float> stored(const HostTensor& logits, const OutputSpec& spec) {
    CaseBuilder builder(1);
    const ValueId input = builder.input(logits.shape);
    builder.node(OpType::kMul, {}, {input, builder.constant({1}, Fill::kOneHot)});
    const OpCase op = builder.build("store");
    const auto model = model_from_graph(op.graph);
    ForcedPlanOptions options;
    options.outputs = {spec};
    const auto plan = value_of(build_plan(*model, device().limits, options));
    auto session = value_of(Session::create(gl(), plan));
    EXPECT_TRUE(session->write_input(0, logits.data).ok());
    EXPECT_TRUE(session->run().ok());
    const auto texture = value_of(session->output_texture(0));
    return read_texture(texture);
  }
};

TEST_F(TextureOutputTest, Probabilities) {
  Random random(5);
  for (const int classes : {1, 2, 5, 21, 130}) {
    const HostTensor logits = HostTensor::from_floats({1, 3, 4, classes}, fill(Fill::kWide, 12 * classes, random));
    for (const auto activation : {OutputActivation::kNone, OutputActivation::kSigmoid, OutputActivation::kSoftmax}) {
      for (const bool listed : {false, true}) {
        OutputSpec spec;
        spec.target = OutputSpec::Target::kTexture;
        spec.conversion = OutputSpec::Conversion::kProbability;
        spec.activation = activation;
        spec.format = TextureFormat::kRgba32f;
        if (listed) spec.classes = {classes - 1};
        const std::vector<float> got = stored(logits, spec);
        double worst = 0;
        for (int pixel = 0; pixel < 12; ++pixel) {
          double total = 0, sum = 0;
          for (int c = 0; c < classes; ++c) {
            const double v = logits.as<float>()[static_cast<size_t>(pixel * classes + c)];
            const double p = activation == OutputActivation::kSigmoid   ? 1 / (1 + std::exp(-v))
                             : activation == OutputActivation::kSoftmax ? std::exp(v)
                                                                        : v;
            total += p;
            const bool foreground = listed ? c == classes - 1 : classes == 1 || c > 0;
            if (foreground) sum += p;
          }
          if (activation == OutputActivation::kSoftmax) sum /= total;
          worst = std::max(worst, std::abs(std::clamp(sum, 0.0, 1.0) - got[static_cast<size_t>(pixel) * 4]));
        }
        EXPECT_LE(worst, 1e-5) << classes << " classes, activation " << static_cast<int>(activation);
      }
    }
  }
}

TEST_F(TextureOutputTest, Copy) {
  Random random(6);
  const HostTensor values = HostTensor::from_floats({1, 3, 4, 4}, fill(Fill::kPositive, 48, random));
  OutputSpec spec;
  spec.target = OutputSpec::Target::kTexture;
  spec.format = TextureFormat::kRgba16f;
  const std::vector<float> got = stored(values, spec);
  for (size_t i = 0; i < 48; ++i) EXPECT_NEAR(got[i], values.as<float>()[i], 1e-3);
}

TEST_F(TextureOutputTest, ClassesThatDoNotExist) {
  CaseBuilder builder(7);
  builder.node(OpType::kRelu, {}, {builder.input({1, 4, 4, 3})});
  const OpCase op = builder.build("three classes");
  ForcedPlanOptions options;
  options.outputs.resize(1);
  options.outputs[0].target = OutputSpec::Target::kTexture;
  options.outputs[0].conversion = OutputSpec::Conversion::kProbability;
  options.outputs[0].classes = {3};
  expect_failure(build_plan(*model_from_graph(op.graph), device().limits, options), {"class 3"});
}

}  // namespace
}  // namespace sightglass::test
