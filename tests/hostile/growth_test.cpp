// How the time to import a file grows with its contents, as a ratio of CPU times: four times as much may take four
// times as long, but not sixteen times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

#include "model_builder.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;
using Make = std::function<void(ModelBuilder&, int32_t)>;

double seconds_to_load(const std::vector<std::byte>& file) {
  double best = 1e9;
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    const std::clock_t begin = std::clock();
    const auto model = Model::load(file, "m.tflite");
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    EXPECT_TRUE(model.ok()) << model.status().message().substr(0, 500);
  }
  return best;
}

void expect_linear(const char* what, int32_t count, const Make& make) {
  constexpr int32_t kTimes = 4;
  double seconds[2]{};
  for (const int32_t times : {1, kTimes}) {
    ModelBuilder m;
    make(m, count * times);
    seconds[times == 1 ? 0 : 1] = seconds_to_load(m.build());
  }
  std::printf("%s: %d take %.1f ms, %d take %.1f ms\n", what, count, seconds[0] * 1e3, count * kTimes,
              seconds[1] * 1e3);
  EXPECT_LT(seconds[1], 2.5 * kTimes * seconds[0]) << what;
}

// One operator that splits a list into its elements.
void split_whole(ModelBuilder& m, int32_t count) {
  schema::SplitOptionsT options;
  options.num_splits = count;
  const int axis = m.add_ints({1}, {0});
  const int first = m.add_op(Op::SPLIT, {axis, m.add_input({count})}, {1}, options);
  std::vector<int32_t> outputs{first};
  for (int32_t i = 1; i < count; ++i) outputs.push_back(m.add_tensor({1}));
  m.last_op().outputs = outputs;
  for (const int32_t output : outputs) m.add_output(output);
}

TEST(Growth, OutputsOfOneOperator) { expect_linear("outputs of an operator", 4000, split_whole); }

TEST(Growth, ReadersOfOneTensor) {
  expect_linear("readers of a tensor", 4000, [](ModelBuilder& m, int32_t count) {
    const int in = m.add_input({2});
    for (int32_t i = 0; i < count; ++i) m.add_output(m.add_op(Op::RELU, {in}, {2}));
  });
}

TEST(Growth, InputsOfTheModel) {
  expect_linear("inputs", 4000, [](ModelBuilder& m, int32_t count) {
    for (int32_t i = 0; i < count; ++i) m.add_output(m.add_op(Op::RELU, {m.add_input({2})}, {2}));
  });
}

TEST(Growth, InputsOfOneOperator) {
  expect_linear("inputs of an operator", 4000, [](ModelBuilder& m, int32_t count) {
    std::vector<int32_t> inputs;
    for (int32_t i = 0; i < count; ++i) inputs.push_back(m.add_input({2}));
    schema::ConcatenationOptionsT options;
    m.add_output(m.add_op(Op::CONCATENATION, inputs, {2 * count}, options));
  });
}

TEST(Growth, OperatorsInARow) {
  expect_linear("operators in a row", 4000, [](ModelBuilder& m, int32_t count) {
    int last = m.add_input({2});
    for (int32_t i = 0; i < count; ++i) last = m.add_op(i % 2 == 0 ? Op::RELU : Op::NEG, {last}, {2});
    m.add_output(last);
  });
}

TEST(Growth, OutputsOfOneOperatorHaveALimitAsOperatorsHave) {
  constexpr int32_t kMost = 100000;
  ModelBuilder m;
  split_whole(m, kMost + 1);
  const auto model = Model::load(m.build(), "m.tflite");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), ErrorCode::kUnsupported);
  EXPECT_NE(model.status().message().find("SPLIT #0"), std::string::npos) << model.status().message().substr(0, 500);
  EXPECT_NE(model.status().message().find("100001 outputs"), std::string::npos);
}

}  // namespace
}  // namespace sightglass::test
