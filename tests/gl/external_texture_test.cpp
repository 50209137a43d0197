// External textures as model inputs, if EGL can make one from a 2D texture (EGL_KHR_gl_texture_2D_image).
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "ops/op_case.h"
#include "sightglass/frame_ref.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

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
    const auto plan = Plan::build(*model_from_graph(op.graph), device().limits, options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    HostTensor got(DataType::kFloat32, (*plan)->model().outputs()[0].shape);
    const auto session = Session::create(gl(), *plan);
    EXPECT_TRUE(session.ok()) << session.status().message();
    const InputTransform turned = make_input_transform(kWidth, kHeight, 16, 16, Fit::kLetterbox, Orientation::kMirror);
    EXPECT_TRUE((*session)->set_input_frame(0, texture, turned).ok());
    EXPECT_TRUE((*session)->run().ok());
    EXPECT_TRUE((*session)->read_output(0, got.data).ok());
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
