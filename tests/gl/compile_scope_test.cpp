// Programs that are compiled on several threads: they do what others do, fail as others do, and nothing is left out.
#include <atomic>
#include <set>
#include <thread>

#include "gpu_engine/build_programs.h"
#include "gpu_engine/device_family.h"
#include "gpu_engine/internals.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "sightglass/interop/egl_context.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr size_t kItems = 100;

// Calls on this thread and `others` more, without GL.
ParallelCalls plain_threads(int others) {
  return [others](const std::function<void()>& work) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < others; ++i) threads.emplace_back(work);
    work();
  };
}

TEST(ShareOut, WithoutAScopeThisThreadTakesEverything) {
  std::vector<size_t> taken;
  CompileScope::begin();
  EXPECT_FALSE(CompileScope::has_begun());
  const std::vector<size_t> elsewhere = CompileScope::share_out(3, [&](const NextItem& next) {
    while (const std::optional<size_t> item = next()) taken.push_back(*item);
  });
  EXPECT_EQ(taken, (std::vector<size_t>{0, 1, 2}));
  EXPECT_TRUE(elsewhere.empty());
}

TEST(ShareOut, EveryItemIsTakenOnce) {
  const CompileScope scope([] { return plain_threads(3); });
  const CompileScope nested([]() -> ParallelCalls { throw std::logic_error("the outer scope counts"); });
  EXPECT_FALSE(CompileScope::has_begun());
  CompileScope::begin();
  std::array<std::atomic<int>, kItems> taken{};
  std::atomic<size_t> by_others = 0;
  const std::thread::id here = std::this_thread::get_id();
  const std::vector<size_t> elsewhere = CompileScope::share_out(kItems, [&](const NextItem& next) {
    while (const std::optional<size_t> item = next()) {
      ++taken[*item];
      if (std::this_thread::get_id() != here) ++by_others;
      std::this_thread::yield();
    }
  });
  for (size_t i = 0; i < kItems; ++i) EXPECT_EQ(taken[i], 1) << i;
  EXPECT_EQ(elsewhere.size(), by_others);
  EXPECT_EQ(std::set<size_t>(elsewhere.begin(), elsewhere.end()).size(), elsewhere.size());
}

TEST(ShareOut, BeforeAProgramIsCompiledThisThreadTakesEverything) {
  const CompileScope scope([]() -> ParallelCalls { throw std::logic_error("not needed"); });
  size_t taken = 0;
  const auto take_all = [&](const NextItem& next) {
    while (next()) ++taken;
  };
  EXPECT_TRUE(CompileScope::share_out(kItems, take_all).empty());
  CompileScope::begin();
  EXPECT_TRUE(CompileScope::share_out(1, take_all).empty()) << "one item needs no other thread";
  EXPECT_EQ(taken, kItems + 1);
}

TEST(ShareOut, AScopeMayHaveNoThreads) {
  const CompileScope scope([] { return ParallelCalls(); });
  CompileScope::begin();
  size_t taken = 0;
  EXPECT_TRUE(CompileScope::share_out(kItems, [&](const NextItem& next) {
                while (next()) ++taken;
              }).empty());
  EXPECT_EQ(taken, kItems);
}

class CompileScopeTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (!compiles_on_calling_thread(device().renderer)) GTEST_SKIP() << "the driver compiles on its own threads";
    GLint formats = 0;
    gl().GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
    if (formats == 0) GTEST_SKIP() << "the driver has no cache, without which threads help nobody";
  }

  // Counts how often work was shared out.
  ParallelCalls counted_threads() {
    auto threads = interop::ContextThreads::create(2);
    if (!threads.ok()) ADD_FAILURE() << threads.status().message();
    return [this, shared = std::shared_ptr(std::move(*threads))](const std::function<void()>& work) {
      ++shared_out_;
      shared->run(work);
    };
  }

  // The output of several operators, each with a program of its own.
  std::vector<std::byte> result() {
    CaseBuilder builder(5);
    const ValueId data = builder.input({1, 9, 7, 8});
    const ValueId sum = builder.node(OpType::kAdd, {}, {data, data});
    const ValueId conv = builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                                      {sum, builder.constant({8, 3, 3, 8}), builder.constant({8})});
    builder.node(OpType::kSoftmax, SoftmaxAttr{1}, {conv});
    const OpCase op = builder.build("threads");
    const auto model = model_from_graph(op.graph);
    auto session = value_of(Session::create(gl(), value_of(Plan::build(*model, device().limits))));
    EXPECT_TRUE(session->write_input(0, op.inputs[0].data).ok());
    EXPECT_TRUE(session->run().ok());
    std::vector<std::byte> output(size_t{9} * 7 * 8 * sizeof(float));
    EXPECT_TRUE(session->read_output(0, output).ok());
    return output;
  }

  int shared_out_ = 0;
};

TEST_F(CompileScopeTest, ProgramsComputeTheSame) {
  const std::vector<std::byte> expected = result();
  const CompileScope scope([this] { return counted_threads(); });
  EXPECT_EQ(result(), expected);
  EXPECT_EQ(shared_out_, 2) << "to link, and to dispatch for the first time";
}

TEST_F(CompileScopeTest, ErrorsNameTheShader) {
  constexpr std::array<EmbeddedShader, 2> kShaders{
      {{"good.comp", "layout(local_size_x = 1) in;\nvoid main() {}\n"},
       {"bad.comp", "layout(local_size_x = 1) in;\nvoid main() { missing(); }\n"}}};
  const CompileScope scope([this] { return counted_threads(); });
  const std::vector<ProgramKey> keys{{{"good.comp", {}}}, {{"bad.comp", {}}}, {{"good.comp", {{"AGAIN", "1"}}}}};
  const auto programs = build_programs(gl(), keys, {kShaders});
  ASSERT_FALSE(programs.ok());
  EXPECT_NE(programs.status().message().find("shader bad.comp does not compile"), std::string::npos)
      << programs.status().message();
  EXPECT_NE(programs.status().message().find("missing"), std::string::npos) << programs.status().message();
  EXPECT_EQ(shared_out_, 1);
}

TEST_F(CompileScopeTest, ACanceledStartCompilesNothing) {
  constexpr std::array<EmbeddedShader, 1> kShaders{{{"good.comp", "layout(local_size_x = 1) in;\nvoid main() {}\n"}}};
  const std::atomic<bool> requested = true;
  const CancellationScope cancellation(requested);
  const CompileScope scope([this] { return counted_threads(); });
  const std::vector<ProgramKey> keys{{{"good.comp", {}}}, {{"good.comp", {{"AGAIN", "1"}}}}};
  const auto programs = build_programs(gl(), keys, {kShaders});
  ASSERT_FALSE(programs.ok());
  EXPECT_NE(programs.status().message().find("canceled"), std::string::npos) << programs.status().message();
}

}  // namespace
}  // namespace sightglass::test
