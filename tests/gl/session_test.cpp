// Sessions: the GL state after them, the GL calls of a run, and errors.
#include "sightglass/session.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "gl/counting_gl.h"
#include "gl/running_sum.h"
#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "plan/plan_data.h"
#include "sightglass/gl_objects.h"
#include "sightglass/plan.h"

namespace sightglass::test {
namespace {

// A small network with a texture as input and output.
OpCase texture_network() {
  CaseBuilder builder(1);
  const ValueId data = builder.input({1, 32, 32, 3});
  const ValueId a = builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 2, 2, 1, 1},
                                 {data, builder.constant({16, 3, 3, 3}), builder.constant({16})}, Activation::kRelu);
  const ValueId b = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1, 1},
                                 {a, builder.constant({1, 3, 3, 16}), kNone});
  const ValueId c = builder.node(OpType::kAdd, {}, {a, b});
  builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
               {c, builder.constant({1, 3, 3, 16}), builder.constant({1})});
  return builder.build("network");
}

class SessionTest : public GlTest {
 protected:
  std::shared_ptr<const Plan> plan(bool textures) {
    const auto model = value_of(model_from_graph(texture_network().graph));
    ForcedPlanOptions options;
    options.inputs.resize(1);
    options.outputs.resize(1);
    if (textures) {
      options.inputs[0].source = InputSpec::Source::kTexture;
      options.outputs[0].target = OutputSpec::Target::kTexture;
      options.outputs[0].conversion = OutputSpec::Conversion::kProbability;
    }
    return value_of(build_plan(model, device().limits, options));
  }
};

// Operators that only an unused output needs are skipped. The other outputs do not change.
TEST_F(SessionTest, UnusedOutputsAreNotComputed) {
  CaseBuilder builder(7);
  const ValueId data = builder.input({1, 8, 8, 4});
  const ValueId wanted = builder.node(OpType::kTanh, {}, {data});
  const ValueId unwanted = builder.node(OpType::kLogistic, {}, {builder.node(OpType::kTanh, {}, {wanted})});
  OpCase op = builder.build("two outputs");
  op.graph.outputs = {unwanted, wanted};
  const auto model = value_of(model_from_graph(op.graph));
  ForcedPlanOptions options;
  options.outputs.resize(2);
  std::vector<HostTensor> results;
  std::vector<int> dispatches;
  for (const auto target : {OutputSpec::Target::kHost, OutputSpec::Target::kNone}) {
    options.outputs[0].target = target;
    const auto plan = value_of(build_plan(model, device().limits, options));
    dispatches.push_back(plan->dispatches());
    const auto session = value_of(Session::create(gl(), plan));
    ASSERT_TRUE(session->write_input(0, op.inputs[0].data).ok());
    ASSERT_TRUE(session->run().ok());
    results.emplace_back(DataType::kFloat32, Shape{1, 8, 8, 4});
    ASSERT_TRUE(session->read_output(1, results.back().data).ok());
    if (target == OutputSpec::Target::kNone) {
      EXPECT_FALSE(session->read_output(0, results.back().data).ok());
    }
  }
  EXPECT_LT(dispatches[1], dispatches[0]);
  EXPECT_EQ(results[0].data, results[1].data);
  options.outputs[1].target = OutputSpec::Target::kNone;
  expect_failure(build_plan(model, device().limits, options), {"all outputs are unused"});
}

// A storage block that holds the largest tensor is enough: steps bind the parts of the arena that they use.
TEST_F(SessionTest, ArenaMayExceedAStorageBlock) {
  const OpCase op = texture_network();
  const auto model = value_of(model_from_graph(op.graph));
  DeviceLimits limits = device().limits;
  std::vector<HostTensor> results;
  for (const bool small_blocks : {false, true}) {
    ForcedPlanOptions options;
    options.sentinel_bytes = 64;  // every tensor has its own memory
    const auto plan = value_of(build_plan(model, limits, options));
    const PlanData& data = data_of(*plan);
    EXPECT_EQ(data.has_windows, small_blocks);
    const auto session = value_of(Session::create(gl(), plan));
    ASSERT_TRUE(session->write_input(0, op.inputs[0].data).ok());
    ASSERT_TRUE(session->run().ok());
    EXPECT_EQ(check_sentinels(*session).message(), "");
    const TensorInfo& output = model->outputs()[0];
    results.emplace_back(output.type, output.shape);
    ASSERT_TRUE(session->read_output(0, results.back().data).ok());
    // Windows begin at the alignment of the device.
    const int64_t largest = std::ranges::max(data.tensors, {}, &PlanTensor::size).size * kBlockBytes;
    limits.max_storage_block_bytes = largest + limits.storage_offset_alignment;
    ASSERT_LT(limits.max_storage_block_bytes, data.arena_size * kBlockBytes / 2);
  }
  EXPECT_EQ(results[0].data, results[1].data);
}

TEST_F(SessionTest, LeavesGlStateAsFound) {
  const GlTexture texture = make_texture(gl(), GL_RGBA8, 32, 32);
  const GlState before = snapshot_gl_state(gl());
  auto session = value_of(Session::create(gl(), plan(true)));
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "after create()";
  ASSERT_TRUE(session->set_input_texture(0, {texture.id(), GL_TEXTURE_2D, 32, 32}).ok());
  ASSERT_TRUE(session->run().ok());
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "after run()";
  session.reset();
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "after the session's end";

  auto host = value_of(Session::create(gl(), plan(false)));
  HostTensor in(DataType::kFloat32, {1, 32, 32, 3}), out(DataType::kFloat32, {1, 16, 16, 1});
  ASSERT_TRUE(host->write_input(0, in.data).ok());
  ASSERT_TRUE(host->run().ok());
  ASSERT_TRUE(host->read_output(0, out.data).ok());
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "after write_input() and read_output()";
}

TEST_F(SessionTest, ARunOnlyBindsAndDispatches) {
  const GlTexture texture = make_texture(gl(), GL_RGBA8, 32, 32);
  auto session = value_of(Session::create(counting_gl(gl()), plan(true)));
  ASSERT_TRUE(session->set_input_texture(0, {texture.id(), GL_TEXTURE_2D, 32, 32}).ok());
  ASSERT_TRUE(session->run().ok());  // the first run also checks GL errors

  gl_calls().clear();
  ASSERT_TRUE(session->run().ok());
  const char* const kAllowed[] = {"ActiveTexture",    "BindBufferBase", "BindBufferRange",
                                  "BindImageTexture", "BindSampler",    "BindTexture",
                                  "DispatchCompute",  "MemoryBarrier",  "UseProgram"};
  int total = 0;
  for (const auto& [name, calls] : gl_calls()) {
    total += calls;
    EXPECT_NE(std::find(std::begin(kAllowed), std::end(kAllowed), name), std::end(kAllowed)) << name << " × " << calls;
  }
  const int dispatches = session->plan().dispatches();
  EXPECT_EQ(gl_calls()["DispatchCompute"], dispatches);
  // In addition to its dispatches, a run has calls that bind and unbind shared objects.
  EXPECT_LE(total, 4 * dispatches + 40);
  std::printf("%d dispatches, %d barriers, %d GL calls\n", dispatches, gl_calls()["MemoryBarrier"], total);
  // Between levels, before the first, and after the last.
  EXPECT_EQ(gl_calls()["MemoryBarrier"], session->plan().barriers() + 2);
}

// Drivers that compile at the first dispatch do so in create(), without visible effects.
TEST_F(SessionTest, EveryProgramIsDispatchedBeforeTheFirstRun) {
  const OpCase op = texture_network();
  const auto model = value_of(model_from_graph(op.graph));
  HostTensor with(DataType::kFloat32, {1, 16, 16, 1}), without = with;
  for (const int32_t sentinel_bytes : {0, 64}) {
    ForcedPlanOptions options;
    options.sentinel_bytes = sentinel_bytes;
    const auto plan = value_of(build_plan(model, device().limits, options));
    for (const bool warm_up : {true, false}) {
      gl_calls().clear();
      auto session = value_of(Session::create(counting_gl(gl()), plan, {warm_up}));
      EXPECT_EQ(gl_calls()["DispatchCompute"], warm_up ? plan->programs() : 0);
      if (sentinel_bytes > 0) {
        EXPECT_TRUE(check_sentinels(*session).ok());
      }
      ASSERT_TRUE(session->write_input(0, op.inputs[0].data).ok());
      ASSERT_TRUE(session->run().ok());
      ASSERT_TRUE(session->read_output(0, warm_up ? with.data : without.data).ok());
    }
    EXPECT_EQ(with.data, without.data);
  }
}

TEST_F(SessionTest, RunsAreBitReproducible) {
  auto session = value_of(Session::create(gl(), plan(false)));
  const OpCase op = texture_network();
  ASSERT_TRUE(session->write_input(0, op.inputs[0].data).ok());
  HostTensor first(DataType::kFloat32, {1, 16, 16, 1}), again = first;
  ASSERT_TRUE(session->run().ok());
  ASSERT_TRUE(session->read_output(0, first.data).ok());
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(session->run().ok());  // the input is not written again: it must have survived
    ASSERT_TRUE(session->read_output(0, again.data).ok());
    EXPECT_EQ(first.data, again.data) << "run " << i;
  }
}

TEST_F(SessionTest, ARunInPartsGivesTheSameBits) {
  auto session = value_of(Session::create(gl(), plan(false)));
  const OpCase op = texture_network();
  ASSERT_TRUE(session->write_input(0, op.inputs[0].data).ok());
  HostTensor whole(DataType::kFloat32, {1, 16, 16, 1}), parts = whole;
  ASSERT_TRUE(session->run().ok());
  ASSERT_TRUE(session->read_output(0, whole.data).ok());
  const int steps = session->plan().dispatches();
  ASSERT_GT(steps, 2);
  for (const double share : {1e-9, 0.3, 0.5, 1.0}) {
    const GlState before = snapshot_gl_state(gl());
    int calls = 0;
    double progress = 0;
    for (bool complete = false; !complete; ++calls) {
      const Result<double> done = session->run_part(share);
      ASSERT_TRUE(done.ok()) << done.status().message();
      EXPECT_GE(*done, std::min(1.0, progress + share * (1 - 1e-9)));
      EXPECT_GT(*done, progress);
      progress = *done;
      EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "part " << calls;
      complete = *done == 1;
      ASSERT_LE(calls, steps);
    }
    std::printf("share %g: %d parts of %d steps\n", share, calls, steps);
    EXPECT_LE(calls, std::ceil(1 / share)) << "no part is smaller than requested";
    if (share < 1e-6) {
      EXPECT_EQ(calls, steps) << "one step per part";
    }
    ASSERT_TRUE(session->read_output(0, parts.data).ok());
    EXPECT_EQ(whole.data, parts.data) << "share " << share;
    // A whole run, or another input, aborts a run in parts.
    ASSERT_LT(*session->run_part(1e-9), 1);
    ASSERT_TRUE(session->run().ok());
    ASSERT_TRUE(session->read_output(0, parts.data).ok());
    EXPECT_EQ(whole.data, parts.data);
    ASSERT_LT(*session->run_part(1e-9), 1);
    ASSERT_TRUE(session->write_input(0, op.inputs[0].data).ok());
    ASSERT_EQ(*session->run_part(1), 1);
    ASSERT_TRUE(session->read_output(0, parts.data).ok());
    EXPECT_EQ(whole.data, parts.data);
  }
  for (const double share : {0.0, -1.0, 1.5, std::nan("")}) EXPECT_FALSE(session->run_part(share).ok()) << share;
}

// A frame that arrives during a run belongs to the next run, and the mask stays until the run is complete.
TEST_F(SessionTest, TexturesMayChangeBetweenParts) {
  auto session = value_of(Session::create(gl(), plan(true)));
  const TextureRef output = *session->output_texture(0);
  const auto filled = [&](uint8_t value) {
    GlTexture texture = make_texture(gl(), GL_RGBA8, 32, 32);
    const std::vector<uint8_t> pixels(size_t{32} * 32 * 4, value);
    gl().BindTexture(GL_TEXTURE_2D, texture.id());
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 32, 32, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
    return texture;
  };
  const GlTexture black = filled(0), white = filled(255);
  const auto use = [&](const GlTexture& texture) {
    ASSERT_TRUE(session->set_input_texture(0, {texture.id(), GL_TEXTURE_2D, 32, 32}).ok());
  };
  use(black);
  ASSERT_TRUE(session->run().ok());
  const std::vector<float> of_black = read_texture(output);
  use(white);
  ASSERT_TRUE(session->run().ok());
  const std::vector<float> of_white = read_texture(output);
  ASSERT_NE(of_black, of_white);

  use(black);
  ASSERT_LT(*session->run_part(1e-9), 1);
  use(white);
  for (bool complete = false; !complete;) {
    EXPECT_EQ(read_texture(output), of_white) << "before the run is complete";
    complete = *session->run_part(1e-9) == 1;
  }
  EXPECT_EQ(read_texture(output), of_black);
  ASSERT_EQ(*session->run_part(1), 1);
  EXPECT_EQ(read_texture(output), of_white);
}

TEST_F(SessionTest, OutOfMemoryIsAnError) {
  const GlApi counted = counting_gl(gl());
  for (const char* name : {"BufferData", "TexStorage2D", "BufferSubData"}) {
    for (int nth = 1; nth <= 3; ++nth) {
      fail_gl_call(name, nth);
      const auto session = Session::create(counted, plan(true));
      if (gl_calls()[name] < nth) continue;  // there are fewer calls
      ASSERT_FALSE(session.ok()) << name << " " << nth;
      EXPECT_EQ(session.status().code(), ErrorCode::kResourceExhausted);
      EXPECT_NE(session.status().message().find("GL_OUT_OF_MEMORY"), std::string::npos) << session.status().message();
    }
  }
  fail_gl_call("", 0);
}

TEST_F(SessionTest, AbandonDeletesNothing) {
  auto session = value_of(Session::create(counting_gl(gl()), plan(true)));
  gl_calls().clear();
  session->abandon();
  session.reset();
  for (const auto& [name, calls] : gl_calls()) ADD_FAILURE() << name << " × " << calls;
}

TEST_F(SessionTest, WrongUseIsRejected) {
  auto session = value_of(Session::create(gl(), plan(true)));
  HostTensor in(DataType::kFloat32, {1, 32, 32, 3}), out(DataType::kFloat32, {1, 16, 16, 1});
  EXPECT_EQ(session->run().code(), ErrorCode::kInvalidArgument) << "no texture yet";
  EXPECT_FALSE(session->write_input(0, in.data).ok()) << "planned as a texture";
  EXPECT_FALSE(session->read_output(0, out.data).ok()) << "planned as a texture";
  EXPECT_FALSE(session->set_input_texture(1, {1, GL_TEXTURE_2D, 1, 1}).ok()) << "no such input";
  EXPECT_FALSE(session->output_texture(1).ok()) << "no such output";

  auto host = value_of(Session::create(gl(), plan(false)));
  EXPECT_FALSE(host->write_input(0, std::span(in.data).first(12)).ok()) << "too short";
  EXPECT_FALSE(host->read_output(0, std::span(out.data).first(4)).ok()) << "too short";
  EXPECT_FALSE(host->output_texture(0).ok()) << "planned for the host";
}

TEST(GlApiTest, NamesMissingFunctions) {
  const auto api = GlApi::load([](const char* name) -> void* {
    return std::strcmp(name, "glDispatchCompute") == 0 ? nullptr : reinterpret_cast<void*>(1);
  });
  ASSERT_FALSE(api.ok());
  EXPECT_NE(api.status().message().find("glDispatchCompute"), std::string::npos) << api.status().message();
}

// The first elements of the outputs after each of three runs on ones.
std::vector<float> sums(Session& session, int runs) {
  const HostTensor ones = HostTensor::from_floats({1, 2, 3, 5}, std::vector<float>(30, 1.0f));
  std::vector<float> seen;
  for (int i = 0; i < runs; ++i) {
    EXPECT_TRUE(session.write_input(0, ones.data).ok());
    EXPECT_TRUE(session.run().ok());
    for (size_t output = 0; output < 2; ++output) {
      HostTensor got(DataType::kFloat32, {1, 2, 3, 5});
      EXPECT_TRUE(session.read_output(output, got.data).ok());
      seen.push_back(got.as<float>()[29]);
    }
  }
  return seen;
}

TEST_F(SessionTest, StatesPersistBetweenRuns) {
  using Numbers = std::vector<float>;
  for (const bool ten : {false, true}) {
    const auto model = value_of(model_from_graph(running_sum(ten)));
    const float first = ten ? 10 : 0;
    for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
      ForcedPlanOptions options;
      options.precision = precision;
      const auto kept = value_of(build_plan(model, limits_for_half(), options));
      auto session = Session::create(gl(), kept);
      ASSERT_TRUE(session.ok()) << session.status().message();
      const Numbers expected{first + 1, 2 * first + 1, first + 2, 2 * first + 3};
      EXPECT_EQ(sums(**session, 2), expected);
      const GlState before = snapshot_gl_state(gl());
      ASSERT_TRUE((*session)->reset_state().ok());
      EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << "after reset_state()";
      EXPECT_EQ(sums(**session, 2), expected);
      auto other = value_of(Session::create(gl(), kept));
      EXPECT_EQ(sums(*other, 1), (Numbers{first + 1, 2 * first + 1})) << "the state of another session";

      options.keep_state = false;
      const auto fresh = value_of(build_plan(model, limits_for_half(), options));
      session = Session::create(gl(), fresh);
      ASSERT_TRUE(session.ok());
      EXPECT_EQ(sums(**session, 2), (Numbers{first + 1, 2 * first + 1, first + 1, 2 * first + 1}));
    }
  }
}

}  // namespace
}  // namespace sightglass::test
