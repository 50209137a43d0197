// The objects that sessions on sharing contexts have in common, and the lifetime of these objects.
#include "sightglass/share_group.h"

#include <array>
#include <thread>

#include "gl/counting_gl.h"
#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr int32_t kSize = 16;

class ShareGroupTest : public GlTest {
 protected:
  // A convolution that reads a texture; its result is read back.
  std::shared_ptr<const Plan> plan() {
    CaseBuilder builder(7);
    const ValueId data = builder.input({1, kSize, kSize, 3});
    builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                 {data, builder.constant({8, 3, 3, 3}), builder.constant({8})}, Activation::kRelu);
    const auto model = value_of(model_from_graph(builder.build("shared").graph));
    PlanOptions options;
    options.inputs.resize(1);
    options.inputs[0].source = InputSpec::Source::kTexture;
    return value_of(Plan::build(model, device().limits, options));
  }

  // Black to white from left to right.
  static GlTexture ramp(const GlApi& gl) {
    GlTexture texture = make_texture(gl, GL_RGBA8, kSize, kSize);
    std::array<uint8_t, size_t{kSize} * kSize * 4> pixels{};
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i / 4 % kSize * kSize);
    gl.BindTexture(GL_TEXTURE_2D, texture.id());
    gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    gl.BindTexture(GL_TEXTURE_2D, 0);
    return texture;
  }

  static std::vector<float> result(Session& session, GLuint texture, Orientation orientation) {
    const Status set =
        session.set_input_texture(0, {texture, GL_TEXTURE_2D, kSize, kSize},
                                  make_input_transform(kSize, kSize, kSize, kSize, Fit::kStretch, orientation));
    EXPECT_TRUE(set.ok()) << set.message();
    const Status run = session.run();
    EXPECT_TRUE(run.ok()) << run.message();
    HostTensor out(DataType::kFloat32, {1, kSize, kSize, 8});
    const Status read = session.read_output(0, out.data);
    EXPECT_TRUE(read.ok()) << read.message();
    const auto values = out.as<float>();
    return {values.begin(), values.end()};
  }
};

using Calls = std::map<std::string, int>;
int calls_of(const char* name) { return gl_calls().contains(name) ? gl_calls().at(name) : 0; }

TEST_F(ShareGroupTest, ProgramsAndWeightsExistOnce) {
  const auto shared = plan();
  const auto group = ShareGroup::create(counting_gl(gl()));
  gl_calls().clear();
  auto first = value_of(Session::create(group, shared));
  EXPECT_EQ(calls_of("LinkProgram"), shared->programs());
  const int buffers = calls_of("BufferData");

  gl_calls().clear();
  auto second = value_of(Session::create(group, shared));
  EXPECT_EQ(calls_of("CompileShader"), 0);
  EXPECT_EQ(calls_of("LinkProgram"), 0);
  EXPECT_EQ(calls_of("BufferData"), buffers - 2) << "weights and uniform blocks exist already";
  EXPECT_EQ(group->contents().programs, shared->programs());
  EXPECT_EQ(group->contents().plans, 1);
  EXPECT_EQ(group->contents().weight_bytes, shared->memory().weight_bytes);

  // Another plan with the same shaders has its own buffers.
  auto third = value_of(Session::create(group, plan()));
  EXPECT_EQ(calls_of("LinkProgram"), 0);
  EXPECT_EQ(group->contents().plans, 2);
}

TEST_F(ShareGroupTest, SessionsEndInAnyOrder) {
  const auto shared = plan();
  const GlTexture texture = ramp(gl());
  const auto group = ShareGroup::create(counting_gl(gl()));
  std::vector<float> expected;
  for (const bool first_goes_first : {true, false}) {
    auto first = Session::create(group, shared), second = Session::create(group, shared);
    ASSERT_TRUE(first.ok() && second.ok());
    expected = result(**first, texture.id(), Orientation::kIdentity);
    const auto [goes, stays] = first_goes_first ? std::tie(first, second) : std::tie(second, first);
    gl_calls().clear();
    goes->reset();
    EXPECT_EQ(calls_of("DeleteProgram"), 0);
    EXPECT_EQ(result(**stays, texture.id(), Orientation::kIdentity), expected);
    gl_calls().clear();
    stays->reset();
    EXPECT_EQ(calls_of("DeleteProgram"), shared->programs());
    EXPECT_EQ(group->contents().programs, 0);
    EXPECT_EQ(group->contents().plans, 0);
  }
}

TEST_F(ShareGroupTest, ASessionOutlivesItsCreatorsReference) {
  const GlTexture texture = ramp(gl());
  auto group = ShareGroup::create(gl());
  auto session = value_of(Session::create(group, plan()));
  const std::vector<float> expected = result(*session, texture.id(), Orientation::kIdentity);
  group.reset();
  EXPECT_EQ(result(*session, texture.id(), Orientation::kIdentity), expected);
}

TEST_F(ShareGroupTest, EachSessionHasItsOwnTransform) {
  const auto shared = plan();
  const GlTexture texture = ramp(gl());
  const auto group = ShareGroup::create(gl());
  auto upright = Session::create(group, shared), mirrored = Session::create(group, shared);
  ASSERT_TRUE(upright.ok() && mirrored.ok());
  const std::vector<float> a = result(**upright, texture.id(), Orientation::kIdentity);
  const std::vector<float> b = result(**mirrored, texture.id(), Orientation::kMirror);
  EXPECT_NE(a, b);
  EXPECT_EQ(result(**upright, texture.id(), Orientation::kIdentity), a);
  EXPECT_EQ(result(**mirrored, texture.id(), Orientation::kMirror), b);
  EXPECT_EQ(result(**upright, texture.id(), Orientation::kMirror), b) << "a transform that changes";
}

TEST_F(ShareGroupTest, AbandonLeavesTheOthersAlone) {
  const auto shared = plan();
  const GlTexture texture = ramp(gl());
  const auto group = ShareGroup::create(counting_gl(gl()));
  auto gone = Session::create(group, shared), stays = Session::create(group, shared);
  ASSERT_TRUE(gone.ok() && stays.ok());
  const std::vector<float> expected = result(**stays, texture.id(), Orientation::kIdentity);
  gl_calls().clear();
  (*gone)->abandon();
  gone->reset();
  EXPECT_EQ(gl_calls(), Calls{});
  EXPECT_EQ(result(**stays, texture.id(), Orientation::kIdentity), expected);
  gl_calls().clear();
  (*stays)->abandon();
  stays->reset();
  EXPECT_EQ(gl_calls(), Calls{}) << "the last one deletes nothing either";
  EXPECT_EQ(group->contents().programs, 0);
}

TEST_F(ShareGroupTest, AFailedSessionHoldsNothing) {
  const auto group = ShareGroup::create(counting_gl(gl()));
  for (int nth = 1; nth <= 3; ++nth) {
    fail_gl_call("BufferData", nth);
    EXPECT_FALSE(Session::create(group, plan()).ok()) << nth;
    EXPECT_EQ(group->contents().programs, 0);
    EXPECT_EQ(group->contents().plans, 0);
  }
  fail_gl_call("", 0);
  EXPECT_TRUE(Session::create(group, plan()).ok());
}

// Sharing contexts, one per thread: they start, run, and end independently.
TEST_F(ShareGroupTest, ThreadsShare) {
  const auto shared = plan();
  const auto group = ShareGroup::create(gl());
  const GlTexture texture = ramp(gl());
  gl().Finish();  // the texture is complete for all contexts
  constexpr std::array kOrientations = {Orientation::kIdentity, Orientation::kMirror, Orientation::kFlip,
                                        Orientation::kRotate90};
  std::vector<std::vector<float>> expected;
  for (const Orientation orientation : kOrientations) {
    auto session = value_of(Session::create(gl(), shared));
    expected.push_back(result(*session, texture.id(), orientation));
  }
  std::vector<std::unique_ptr<interop::Context>> contexts;
  for (size_t i = 0; i < kOrientations.size(); ++i) {
    auto context = value_of(this->context().create_sharing());
    contexts.push_back(std::move(context));
  }
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kOrientations.size(); ++i) {
    threads.emplace_back([&, i] {
      const interop::ScopedMakeCurrent current(*contexts[i]);
      ASSERT_TRUE(current.ok()) << current.status().message();
      for (int start = 0; start < 3; ++start) {
        auto session = Session::create(group, shared);
        ASSERT_TRUE(session.ok()) << session.status().message();
        for (int run = 0; run < 10; ++run) {
          EXPECT_EQ(result(**session, texture.id(), kOrientations[i]), expected[i]) << i << ", run " << run;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(group->contents().programs, 0);
}

}  // namespace
}  // namespace sightglass::test
