// The log of the engine: nothing without a listener, nothing below its level, and the names of declined alternatives.
#include "sightglass/log.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/gl_test.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "sightglass/program_cache.h"
#include "sightglass/session.h"
#include "sightglass/tuner.h"

namespace sightglass::test {
namespace {

// Stores the messages of levels up to `most`.
class Listener {
 public:
  explicit Listener(LogLevel most = LogLevel::kTrace)
      : log([this](LogLevel level, const std::string& message) { messages_.emplace_back(level, message); },
            [most](LogLevel level) { return level <= most; }) {}

  bool has(LogLevel level, const std::string& part) const {
    for (const auto& [its_level, message] : messages_) {
      if (its_level == level && message.find(part) != std::string::npos) return true;
    }
    return false;
  }
  std::string text() const {
    std::string text;
    for (const auto& [level, message] : messages_)
      text += std::to_string(static_cast<int>(level)) + " " + message + "\n";
    return text;
  }
  void clear() { messages_.clear(); }

 private:
  std::vector<std::pair<LogLevel, std::string>> messages_;

 public:
  const Log log;
};

TEST(Log, FormatsOnlyEnabledLines) {
  int composed = 0;
  const auto compose = [&composed] {
    ++composed;
    return std::string("message");
  };
  const Log nobody;
  nobody.info(compose);
  nobody.trace(compose);
  EXPECT_EQ(composed, 0);
  EXPECT_FALSE(nobody.wants(LogLevel::kInfo));
  Listener listener(LogLevel::kDebug);
  listener.log.trace(compose);
  EXPECT_EQ(composed, 0);
  listener.log.info(compose);
  listener.log.debug(compose);
  EXPECT_EQ(composed, 2);
  EXPECT_EQ(listener.text(), "0 message\n1 message\n");
}

TEST(Log, DoesNotMakeOptionsDiffer) {
  const Listener listener;
  ForcedPlanOptions options;
  options.log = listener.log;
  EXPECT_EQ(options, ForcedPlanOptions());
}

TEST(Log, TimesHaveOneDigit) {
  const std::string text = Stopwatch().text();
  EXPECT_EQ(text.find(" ms"), text.size() - 3) << text;
  EXPECT_EQ(text.find('.'), text.size() - 5) << text;
}

class EngineLogTest : public GlTest {
 protected:
  // A convolution with many channels, and a RELU that a rewrite fuses.
  EngineLogTest() {
    CaseBuilder builder(7);
    const ValueId x =
        builder.node(OpType::kConv2d, Conv2dAttr{{PaddingMode::kSame}, 1, 1, 1, 1},
                     {builder.input({1, 16, 16, 8}), builder.constant({16, 3, 3, 8}), builder.constant({16})});
    builder.node(OpType::kRelu, {}, {x});
    model_ = model_from_graph(builder.build("logged").graph).value();
  }

  // Plans, compiles and runs the model.
  void run(const Log& log, const std::string& cache = {}) {
    ForcedPlanOptions options;
    options.log = log;
    const auto plan = value_of(build_plan(model_, device().limits, options));
    auto programs = cache.empty() ? nullptr : std::make_shared<ProgramCache>(cache);
    const auto session = value_of(Session::create(ShareGroup::create(gl(), std::move(programs), {}, log), plan));
    ASSERT_TRUE(session->run().ok());
  }

  bool has_program_binaries() const {
    GLint formats = 0;
    gl().GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
    return formats > 0;
  }

  std::shared_ptr<const Model> model_;
};

TEST_F(EngineLogTest, SilentByDefault) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run({});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(EngineLogTest, HonorsLevels) {
  Listener info(LogLevel::kInfo), debug(LogLevel::kDebug), trace(LogLevel::kTrace);
  run(info.log);
  EXPECT_TRUE(info.has(LogLevel::kInfo, "planned in ")) << info.text();
  EXPECT_TRUE(info.has(LogLevel::kInfo, "session ready in ")) << info.text();
  EXPECT_FALSE(info.has(LogLevel::kDebug, "")) << info.text();
  run(debug.log);
  EXPECT_TRUE(debug.has(LogLevel::kDebug, "memory: ")) << debug.text();
  EXPECT_FALSE(debug.has(LogLevel::kTrace, "")) << debug.text();
  run(trace.log);
  EXPECT_TRUE(trace.has(LogLevel::kTrace, "issuing steps 0 to 1 of 1")) << trace.text();
}

TEST_F(EngineLogTest, NamesChosenAndDeclinedAlternatives) {
  Listener listener(LogLevel::kDebug);
  run(listener.log);
  EXPECT_TRUE(listener.has(LogLevel::kDebug, "rewrite fuse-activation applied at ")) << listener.text();
  EXPECT_TRUE(listener.has(LogLevel::kDebug, ": kernel conv2d; declined conv2d-texture: ")) << listener.text();
  EXPECT_TRUE(listener.has(LogLevel::kDebug, " as usual for this device; declined ")) << listener.text();
  EXPECT_TRUE(listener.has(LogLevel::kDebug, "weights: ")) << listener.text();
}

TEST_F(EngineLogTest, NamesOperatorsThatTheGpuCannotRun) {
  Listener listener(LogLevel::kDebug);
  ForcedPlanOptions options;
  options.log = listener.log;
  options.fallback = Fallback::kCpu;
  options.hidden_operators = {"CONV_2D"};
  ASSERT_TRUE(build_plan(model_, device().limits, options).ok());
  EXPECT_TRUE(listener.has(LogLevel::kDebug, ": no kernel: it is hidden")) << listener.text();
  EXPECT_TRUE(listener.has(LogLevel::kDebug, "on the CPU: CONV_2D")) << listener.text();
}

}  // namespace
}  // namespace sightglass::test
