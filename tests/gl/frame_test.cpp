// Model inputs that are planar frames or external textures: kernels sample the colors that the definition states. EGL
// makes external textures from 2D ones, if it can (EGL_KHR_gl_texture_2D_image).
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "plan/plan_data.h"
#include "ref/ref_ops.h"
#include "sightglass/frame_ref.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

std::array<double, 3> convert(const ColorMatrix& matrix, double first, double second, double third) {
  std::array<double, 3> rgb{};
  for (size_t i = 0; i < 3; ++i) {
    const float* row = matrix.m.data() + 4 * i;
    rgb[i] = row[0] * first + row[1] * second + row[2] * third + row[3];
  }
  return rgb;
}

void expect_color(const ColorMatrix& matrix, int y, int cb, int cr, const std::array<double, 3>& expected) {
  const auto rgb = convert(matrix, y / 255.0, cb / 255.0, cr / 255.0);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(rgb[i], expected[i], 1e-6) << y << " " << cb << " " << cr << ", " << i;
}

TEST(ColorMatrix, RangeLimits) {
  for (const LumaWeights& weights : {kBt601, kBt709, kBt2020, kSmpte240m, kFcc}) {
    const ColorMatrix limited = ycbcr_to_rgb(weights, SampleRange::kLimited);
    expect_color(limited, 16, 128, 128, {0, 0, 0});
    expect_color(limited, 235, 128, 128, {1, 1, 1});
    const ColorMatrix full = ycbcr_to_rgb(weights, SampleRange::kFull);
    expect_color(full, 0, 128, 128, {0, 0, 0});
    expect_color(full, 255, 128, 128, {1, 1, 1});
    // With maximum Cb and the luma of blue, the color is pure blue.
    const double luma = 16 + 219 * weights.kb;
    const auto blue = convert(limited, luma / 255, 240 / 255.0, (128 + 224 * -weights.kb / (2 - 2 * weights.kr)) / 255);
    EXPECT_NEAR(blue[0], 0, 1e-6);
    EXPECT_NEAR(blue[1], 0, 1e-6);
    EXPECT_NEAR(blue[2], 1, 1e-6);
  }
  // The textbook coefficients: 1.402, 0.344, 0.714, and 1.772.
  const ColorMatrix jpeg = ycbcr_to_rgb(kBt601, SampleRange::kFull);
  EXPECT_NEAR(jpeg.m[2], 1.402, 1e-4);
  EXPECT_NEAR(jpeg.m[5], -0.344136, 1e-4);
  EXPECT_NEAR(jpeg.m[6], -0.714136, 1e-4);
  EXPECT_NEAR(jpeg.m[9], 1.772, 1e-4);
  EXPECT_EQ(with_chroma_swapped(jpeg).m[1], jpeg.m[2]);
}

TEST(ColorMatrix, ReverseConversionIsTheInverse) {
  for (const LumaWeights& weights : {kBt601, kBt709, kBt2020, kSmpte240m, kFcc}) {
    for (const SampleRange range : {SampleRange::kLimited, SampleRange::kFull}) {
      const ColorMatrix there = rgb_to_ycbcr(weights, range), back = ycbcr_to_rgb(weights, range);
      for (const auto& [red, green, blue] : {std::array<double, 3>{0, 0, 0}, {1, 1, 1}, {1, 0, 0}, {0.2, 0.7, 0.4}}) {
        const auto samples = convert(there, red, green, blue);
        const auto rgb = convert(back, samples[0], samples[1], samples[2]);
        EXPECT_NEAR(rgb[0], red, 1e-6);
        EXPECT_NEAR(rgb[1], green, 1e-6);
        EXPECT_NEAR(rgb[2], blue, 1e-6);
      }
    }
  }
}

class FrameTest : public GlTest {
 public:
  static constexpr int kWidth = 24, kHeight = 14;

 protected:
  GlTexture upload(const std::vector<uint8_t>& samples, GLenum internal_format, GLenum format) {
    GlTexture texture = make_texture(gl(), internal_format, kWidth, kHeight);
    gl().BindTexture(GL_TEXTURE_2D, texture.id());
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kWidth, kHeight, format, GL_UNSIGNED_BYTE, samples.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
    return texture;
  }
};

// Reads a frame of FrameTest by the first convolution, or by a load pass.
OpCase reader_of_frames(bool convolution) {
  CaseBuilder builder(11);
  const ValueId data = builder.input({1, FrameTest::kHeight, FrameTest::kWidth, 3});
  if (convolution) {
    builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 2, 2, 1, 1},
                 {data, builder.constant({8, 3, 3, 3}), builder.constant({8})});
  } else {
    builder.node(OpType::kTanh, {}, {data});
  }
  return builder.build("frame");
}

// Chroma has as many samples as luma here, so that no filter interferes.
TEST_F(FrameTest, KernelsSamplePlanes) {
  Random random(7);
  std::array<std::vector<uint8_t>, 3> planes;
  for (auto& plane : planes) {
    for (int i = 0; i < kWidth * kHeight; ++i) plane.push_back(static_cast<uint8_t>(random.pick(60, 180)));
  }
  std::vector<uint8_t> both;
  for (size_t i = 0; i < planes[1].size(); ++i) both.insert(both.end(), {planes[1][i], planes[2][i]});
  const GlTexture y = upload(planes[0], GL_R8, GL_RED), cb = upload(planes[1], GL_R8, GL_RED),
                  cr = upload(planes[2], GL_R8, GL_RED), cbcr = upload(both, GL_RG8, GL_RG);

  for (const FrameKind kind : {FrameKind::kTwoPlanes, FrameKind::kThreePlanes}) {
    for (const bool convolution : {true, false}) {
      const OpCase op = reader_of_frames(convolution);
      FrameRef frame;
      frame.kind = kind;
      frame.textures = {y.id(), kind == FrameKind::kTwoPlanes ? cbcr.id() : cb.id(), cr.id()};
      frame.width = kWidth;
      frame.height = kHeight;
      frame.to_rgb = ycbcr_to_rgb(kBt709, SampleRange::kLimited);
      HostTensor rgb(DataType::kFloat32, {1, kHeight, kWidth, 3});
      for (size_t i = 0; i < planes[0].size(); ++i) {
        const auto color = convert(frame.to_rgb, planes[0][i] / 255.0, planes[1][i] / 255.0, planes[2][i] / 255.0);
        for (size_t c = 0; c < 3; ++c) {
          rgb.as<float>()[3 * i + c] = static_cast<float>(std::clamp(color[c], 0.0, 1.0));
        }
      }
      const auto expected = value_of(ref::run(op.graph, {rgb}));

      PlanOptions options;
      options.inputs.resize(1);
      options.inputs[0].source = InputSpec::Source::kTexture;
      options.inputs[0].frame = kind;
      const auto plan = value_of(Plan::build(*model_from_graph(op.graph), limits_for_sampling(), options));
      EXPECT_NE(data_of(*plan).steps[0].kernel.find(frame_define(kind)), std::string::npos)
          << data_of(*plan).steps[0].kernel;
      auto session = value_of(Session::create(gl(), plan));
      EXPECT_FALSE(session->set_input_texture(0, {y.id(), GL_TEXTURE_2D, kWidth, kHeight}).ok()) << "another kind";
      ASSERT_TRUE(session->set_input_frame(0, frame).ok());
      ASSERT_TRUE(session->run().ok());
      HostTensor got(DataType::kFloat32, plan->model().outputs()[0].shape);
      ASSERT_TRUE(session->read_output(0, got.data).ok());
      const Comparison figures = compare(expected.at(0), got);
      std::printf("%s, %s: NMSE %.2e\n", to_string(kind), convolution ? "first convolution" : "load pass",
                  figures.nmse);
      EXPECT_LE(figures.nmse, 1e-9) << to_string(figures);
      frame.textures[1] = 0;
      EXPECT_FALSE(session->set_input_frame(0, frame).ok()) << "a plane is missing";
    }
  }
}

// A pixel of the input is the mean of the pixels of the frame that it covers, exactly if those are 1, 2, 4 or 8 per
// axis.
TEST_F(FrameTest, LargerFramesAreAveraged) {
  struct Case {
    int across, down;  // pixels of the frame per pixel of the input
    bool part;         // the input shows the middle of a frame of twice the size
  };
  for (const auto& [across, down, part] : {Case{1, 1, false}, {2, 4, false}, {8, 2, false}, {4, 8, true}}) {
    const int width = across * kWidth * (part ? 2 : 1), height = down * kHeight * (part ? 2 : 1);
    Random random(9);
    std::vector<uint8_t> pixels;
    for (int i = 0; i < 4 * width * height; ++i) pixels.push_back(static_cast<uint8_t>(random.pick(0, 255)));
    const GlTexture texture = make_texture(gl(), GL_RGBA8, width, height);
    gl().BindTexture(GL_TEXTURE_2D, texture.id());
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
    const int left = part ? width / 4 : 0, top = part ? height / 4 : 0;
    HostTensor means(DataType::kFloat32, {1, kHeight, kWidth, 3});
    for (int i = 0; i < kHeight * kWidth * 3; ++i) {
      const int x = left + across * (i / 3 % kWidth), y = top + down * (i / 3 / kWidth);
      double sum = 0;
      for (int j = 0; j < across * down; ++j) {
        sum += pixels[static_cast<size_t>(4 * ((y + j / across) * width + x + j % across) + i % 3)];
      }
      means.as<float>()[i] = static_cast<float>(sum / (255.0 * across * down));
    }
    const InputTransform place = part ? InputTransform{{0.5F, 0, 0.25F, 0, 0.5F, 0.25F}} : InputTransform{};
    for (const bool convolution : {true, false}) {
      const OpCase op = reader_of_frames(convolution);
      const auto expected = value_of(ref::run(op.graph, {means}));
      PlanOptions options;
      options.inputs.resize(1);
      options.inputs[0].source = InputSpec::Source::kTexture;
      const auto plan = value_of(Plan::build(*model_from_graph(op.graph), limits_for_sampling(), options));
      auto session = value_of(Session::create(gl(), plan));
      ASSERT_TRUE(session->set_input_texture(0, {texture.id(), GL_TEXTURE_2D, width, height}, place).ok());
      ASSERT_TRUE(session->run().ok());
      HostTensor got(DataType::kFloat32, plan->model().outputs()[0].shape);
      ASSERT_TRUE(session->read_output(0, got.data).ok());
      const double error = compare(expected.at(0), got).nmse;
      std::printf("%d x %d pixels%s, %s: NMSE %.3g\n", across, down, part ? " of a part" : "",
                  convolution ? "convolution" : "load", error);
      // Texture units interpolate with eight bits.
      EXPECT_LT(error, 3e-5);
    }
  }
}

TEST_F(FrameTest, ExternalTexturesNeedTheExtension) {
  CaseBuilder builder(12);
  builder.node(OpType::kTanh, {}, {builder.input({1, 8, 8, 3})});
  const OpCase op = builder.build("external");
  PlanOptions options;
  options.inputs.resize(1);
  options.inputs[0].source = InputSpec::Source::kTexture;
  options.inputs[0].frame = FrameKind::kExternal;
  DeviceLimits limits;
  expect_failure(Plan::build(*model_from_graph(op.graph), limits, options), {"GL_OES_EGL_image_external_essl3"});
  limits.external_textures = true;
  EXPECT_TRUE(Plan::build(*model_from_graph(op.graph), limits, options).ok());
}

class ExternalTextureTest : public GlTest {
 protected:
  static constexpr int kWidth = 24, kHeight = 14;

  void TearDown() override {
    if (image_ != EGL_NO_IMAGE_KHR) destroy_image_(eglGetCurrentDisplay(), image_);
    GlTest::TearDown();
  }

  // Creates an external texture on the memory of `texture`; none if EGL or GL rejects it.
  GlTexture external_over(GLuint texture) {
    const EGLDisplay display = eglGetCurrentDisplay();
    const char* extensions = eglQueryString(display, EGL_EXTENSIONS);
    if (extensions == nullptr || std::strstr(extensions, "EGL_KHR_gl_texture_2D_image") == nullptr) return {};
    const auto create = reinterpret_cast<PFNEGLCREATEIMAGEKHRPROC>(eglGetProcAddress("eglCreateImageKHR"));
    destroy_image_ = reinterpret_cast<PFNEGLDESTROYIMAGEKHRPROC>(eglGetProcAddress("eglDestroyImageKHR"));
    const auto target =
        reinterpret_cast<PFNGLEGLIMAGETARGETTEXTURE2DOESPROC>(eglGetProcAddress("glEGLImageTargetTexture2DOES"));
    if (create == nullptr || destroy_image_ == nullptr || target == nullptr) return {};
    image_ = create(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                    reinterpret_cast<EGLClientBuffer>(static_cast<uintptr_t>(texture)), nullptr);
    if (image_ == EGL_NO_IMAGE_KHR) return {};
    GLuint id = 0;
    gl().GenTextures(1, &id);
    GlTexture external(gl(), id);
    gl().BindTexture(GL_TEXTURE_EXTERNAL_OES, id);
    target(GL_TEXTURE_EXTERNAL_OES, image_);
    const bool made = gl().GetError() == GL_NO_ERROR;
    gl().BindTexture(GL_TEXTURE_EXTERNAL_OES, 0);
    return made ? std::move(external) : GlTexture();
  }

  HostTensor run(const OpCase& op, const TextureRef& texture, FrameKind kind) {
    PlanOptions options;
    options.inputs.resize(1);
    options.inputs[0].source = InputSpec::Source::kTexture;
    options.inputs[0].frame = kind;
    const auto plan = value_of(Plan::build(*model_from_graph(op.graph), limits_for_sampling(), options));
    HostTensor got(DataType::kFloat32, plan->model().outputs()[0].shape);
    const auto session = value_of(Session::create(gl(), plan));
    const InputTransform turned = make_input_transform(kWidth, kHeight, 16, 16, Fit::kLetterbox, Orientation::kMirror);
    EXPECT_TRUE(session->set_input_frame(0, texture, turned).ok());
    EXPECT_TRUE(session->run().ok());
    EXPECT_TRUE(session->read_output(0, got.data).ok());
    return got;
  }

 private:
  EGLImageKHR image_ = EGL_NO_IMAGE_KHR;
  PFNEGLDESTROYIMAGEKHRPROC destroy_image_ = nullptr;
};

TEST_F(ExternalTextureTest, SamplesMatchTheUnderlyingTexture) {
  if (!device().limits.external_textures) GTEST_SKIP() << "the GL context has no GL_OES_EGL_image_external_essl3";
  Random random(3);
  std::vector<uint8_t> pixels;
  for (int i = 0; i < kWidth * kHeight * 4; ++i) pixels.push_back(static_cast<uint8_t>(random.pick(0, 255)));
  const GlTexture texture = make_texture(gl(), GL_RGBA8, kWidth, kHeight);
  gl().BindTexture(GL_TEXTURE_2D, texture.id());
  gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  gl().BindTexture(GL_TEXTURE_2D, 0);
  const GlTexture external = external_over(texture.id());
  if (!external) GTEST_SKIP() << "EGL cannot make an external texture from a 2D texture here";
  for (const bool convolution : {true, false}) {
    CaseBuilder builder(5);
    const ValueId data = builder.input({1, 16, 16, 3});
    if (convolution) {
      builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 2, 2, 1, 1},
                   {data, builder.constant({8, 3, 3, 3}), builder.constant({8})});
    } else {
      builder.node(OpType::kTanh, {}, {data});
    }
    const OpCase op = builder.build("external");
    const HostTensor expected = run(op, {texture.id(), GL_TEXTURE_2D, kWidth, kHeight}, FrameKind::kRgba);
    const HostTensor got = run(op, {external.id(), GL_TEXTURE_EXTERNAL_OES, kWidth, kHeight}, FrameKind::kExternal);
    const Comparison figures = compare(expected, got);
    std::printf("%s: NMSE %.2e\n", convolution ? "first convolution" : "load pass", figures.nmse);
    EXPECT_LE(figures.nmse, 1e-9) << to_string(figures);
  }
}

}  // namespace
}  // namespace sightglass::test
