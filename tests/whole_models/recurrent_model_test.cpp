// Models whose states persist between runs, and graphs with states of every kind. The results of real models must match
// those of the TensorFlow Lite kernels to the last bit.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "gpu_engine/internals.h"
#include "graph/graph.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "model/picture_input.h"
#include "plan/plan_data.h"
#include "ref/ref_ops.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr int kRuns = 3;

class RecurrentModelTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    const auto shared = shared_dir();
    folder_ = shared.value_or("../shared") / "second";
    if (!shared || !std::filesystem::exists(file())) GTEST_SKIP() << "no " << file() << ": no model to run";
    model_ = value_of(Model::load(file().string(), {QuantizedModels::kAllowed}));
    input_ = HostTensor(model_->inputs()[0].type, model_->inputs()[0].shape);
    ASSERT_TRUE(RandomStream(1).fill(input_.type, input_.data));
  }

  std::filesystem::path file() const { return folder_ / "models" / "dtln_noise_suppression.tflite"; }

  void expect_reference(int run, const char* setting, const HostTensor& got) const {
    std::ifstream stream(folder_ / "golden" / ("dtln_noise_suppression.call" + std::to_string(run) + ".out0.raw"),
                         std::ios::binary);
    const std::vector<char> reference{std::istreambuf_iterator<char>(stream), {}};
    ASSERT_EQ(reference.size(), got.data.size());
    const auto numbers = got.as<int8_t>();
    size_t equal = 0;
    int worst = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int distance = std::abs(static_cast<int8_t>(reference[i]) - numbers[i]);
      equal += distance == 0 ? 1 : 0;
      worst = std::max(worst, distance);
    }
    std::printf("MODEL dtln_noise_suppression run %d %-9s %zu of %zu equal, worst %d\n", run, setting, equal,
                numbers.size(), worst);
    EXPECT_EQ(equal, numbers.size()) << setting << ", run " << run;
  }

  void check(const char* setting, const DeviceLimits& limits, Precision precision) {
    PlanOptions options;
    options.precision = precision;
    const auto plan = value_of(Plan::build(model_, limits, options));
    const auto session = value_of(Session::create(gl(), plan));
    for (const char* turn : {"", "again"}) {
      SCOPED_TRACE(turn);
      ASSERT_TRUE(session->reset_state().ok());
      ASSERT_TRUE(session->write_input(0, input_.data).ok());
      for (int run = 1; run <= kRuns; ++run) {
        ASSERT_TRUE(session->run().ok());
        HostTensor output(model_->outputs()[0].type, model_->outputs()[0].shape);
        ASSERT_TRUE(session->read_output(0, output.data).ok());
        expect_reference(run, setting, output);
      }
    }
  }

  std::filesystem::path folder_;
  std::shared_ptr<const Model> model_;
  HostTensor input_;
};

TEST_F(RecurrentModelTest, StatesPersistBetweenRuns) { check("device", device().limits, Precision::kFp32); }

TEST_F(RecurrentModelTest, WithinTheMinimumLimits) {
  check("min", device().limits.clamped_to_minimum(), Precision::kFp32);
}

TEST_F(RecurrentModelTest, StoredInSixteenBits) { check("fp16", limits_for_half(), Precision::kFp16); }

TEST_F(RecurrentModelTest, OnTheReferenceKernels) {
  std::vector<HostTensor> states;
  for (int run = 1; run <= kRuns; ++run) {
    const auto outputs = value_of(ref::run(graph_of(*model_), {input_}, &states));
    expect_reference(run, "reference", outputs[0]);
  }
}

// A keyword spotter with eleven variables, in 24 runs. The results are those of the built-in kernels of LiteRT 2.5.3,
// for the random stream 1 divided by 8.
TEST_F(GlTest, AKeywordSpotterKeepsItsVariables) {
  constexpr uint8_t kResults[] = {82, 82, 93, 104, 104, 104, 104, 104, 104, 104, 93, 72,
                                  63, 47, 29, 21,  17,  12,  7,   5,   3,   2,   1,  1};
  const auto shared = shared_dir();
  const auto file = shared.value_or("../shared") / "third" / "models" / "mww_okay_nabu_v1.tflite";
  if (!shared || !std::filesystem::exists(file)) GTEST_SKIP() << "no " << file << ": no model to run";
  const auto model = value_of(Model::load(file.string()));
  for (const bool smallest : {false, true}) {
    const DeviceLimits limits = smallest ? device().limits.clamped_to_minimum() : device().limits;
    const auto session = value_of(Session::create(gl(), value_of(Plan::build(model, limits, {}))));
    for (int turn = 0; turn < 2; ++turn) {
      RandomStream random(1);
      std::string got, wanted;
      for (const uint8_t result : kResults) {
        HostTensor input(model->inputs()[0].type, model->inputs()[0].shape);
        ASSERT_TRUE(random.fill(input.type, input.data));
        for (int8_t& number : input.as<int8_t>()) number = static_cast<int8_t>((number + 128) / 8 - 128);
        ASSERT_TRUE(session->write_input(0, input.data).ok());
        ASSERT_TRUE(session->run().ok());
        std::byte output{};
        ASSERT_TRUE(session->read_output(0, std::span(&output, 1)).ok());
        got += std::to_string(std::to_integer<int>(output)) + " ";
        wanted += std::to_string(result) + " ";
      }
      std::printf("MODEL mww_okay_nabu_v1 turn %d: %s\n", turn, got.c_str());
      EXPECT_EQ(got, wanted);
      ASSERT_TRUE(session->reset_state().ok());
    }
  }
}

// Graphs with states, over several runs and after a reset, against the reference.
class StatesTest : public GlTest {
 protected:
  ValueId add(const std::string& name) {
    Value value;
    value.name = name;
    value.type = type_;
    value.shape = shape_;
    value.quantization = quantization_;
    return graph_.add_value(std::move(value));
  }
  ValueId add_state(const std::string& name) {
    const ValueId id = add(name);
    initial_.push_back(std::make_shared<HostTensor>(type_, shape_));
    fill(*initial_.back(), 100 + static_cast<int>(initial_.size()));
    graph_.states.push_back({id, id, Constant{type_, initial_.back()->data, initial_.back()}});
    return id;
  }
  ValueId apply(OpType op, const std::vector<ValueId>& inputs) {
    const ValueId result = add("made");
    Node node;
    node.op = op;
    node.inputs = inputs;
    node.outputs = {result};
    graph_.add_node(std::move(node));
    return result;
  }

  static void fill(HostTensor& tensor, int seed) {
    for (size_t i = 0; i < static_cast<size_t>(tensor.shape.elements()); ++i) {
      const int number = static_cast<int>(i * 7 + static_cast<size_t>(seed) * 13) % 31 - 15;
      switch (tensor.type) {
        case DataType::kInt32:
          tensor.as<int32_t>()[i] = number;
          break;
        case DataType::kInt8:
          tensor.as<int8_t>()[i] = static_cast<int8_t>(number);
          break;
        case DataType::kBool:
          tensor.as<uint8_t>()[i] = number > 0 ? 1 : 0;
          break;
        default:
          tensor.as<float>()[i] = static_cast<float>(number) / 4;
      }
    }
  }

  // Builds a graph by `make` for several types and shapes, and compares five runs, twice.
  void check(const std::function<void()>& make) {
    for (const DataType type : {DataType::kFloat32, DataType::kInt8, DataType::kInt32, DataType::kBool}) {
      for (const int32_t channels : {1, 3, 4, 5, 13, 16}) {
        for (const bool smallest : {false, true}) {
          type_ = type;
          shape_ = {1, 3, 5, channels};
          quantization_ = type == DataType::kInt8 ? Quantization{{0.25f}, {3}, 0} : Quantization{};
          graph_ = Graph();
          initial_.clear();
          make();
          SCOPED_TRACE(std::string(to_string(type)) + " " + shape_.to_string() + (smallest ? " min" : ""));
          compare(smallest ? device().limits.clamped_to_minimum() : device().limits);
          if (HasFatalFailure()) return;
        }
      }
    }
  }

  void compare(const DeviceLimits& limits) {
    const auto model = value_of(model_from_graph(graph_));
    ForcedPlanOptions options;
    options.sentinel_bytes = 256;
    const auto session = value_of(Session::create(gl(), value_of(build_plan(model, limits, options))));
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<HostTensor> states;
      for (int run = 0; run < 5; ++run) {
        std::vector<HostTensor> inputs;
        for (size_t i = 0; i < graph_.inputs.size(); ++i) {
          fill(inputs.emplace_back(type_, shape_), run * 3 + static_cast<int>(i));
          ASSERT_TRUE(session->write_input(i, inputs.back().data).ok());
        }
        const auto wanted = value_of(ref::run(graph_, inputs, &states));
        ASSERT_TRUE(session->run().ok());
        for (size_t i = 0; i < wanted.size(); ++i) {
          HostTensor got(wanted[i].type, wanted[i].shape);
          ASSERT_TRUE(session->read_output(i, got.data).ok());
          ASSERT_EQ(got.data, wanted[i].data) << "turn " << turn << ", run " << run << ", output " << i;
        }
      }
      const Status intact = SessionInternals::check_sentinels(*session);
      ASSERT_TRUE(intact.ok()) << intact.message();
      ASSERT_TRUE(session->reset_state().ok());
    }
  }

  Graph graph_;
  DataType type_ = DataType::kFloat32;
  Shape shape_;
  Quantization quantization_;
  std::vector<std::shared_ptr<HostTensor>> initial_;
};

// A delay line, in both orders of its states; the output is the oldest contents.
TEST_F(StatesTest, ADelayLine) {
  for (const bool oldest_first : {false, true}) {
    check([&] {
      const ValueId in = add("in"), first = add_state("first"), second = add_state("second");
      graph_.inputs = {in};
      graph_.states[0].output = oldest_first ? second : in;
      graph_.states[1].output = oldest_first ? in : first;
      graph_.outputs = {oldest_first ? first : second};
    });
  }
}

TEST_F(StatesTest, StatesAreExchanged) {
  check([&] {
    const ValueId a = add_state("a"), b = add_state("b"), in = add("in");
    graph_.inputs = {in};
    graph_.states[0].output = b;
    graph_.states[1].output = a;
    graph_.outputs = {a, in, b};
  });
}

// States that become constants, that stay, and that an operator changes although their old contents are an output.
TEST_F(StatesTest, OldContentsAreOutputs) {
  check([&] {
    const ValueId in = add("in"), set = add_state("set"), kept = add_state("kept"), changed = add_state("changed");
    Value constant = graph_.value(set);
    initial_.push_back(std::make_shared<HostTensor>(type_, shape_));
    fill(*initial_.back(), 55);
    constant.constant = Constant{type_, initial_.back()->data, initial_.back()};
    graph_.inputs = {in};
    graph_.states[0].output = graph_.add_value(std::move(constant));
    const bool logical = type_ == DataType::kBool;
    graph_.states[2].output = apply(logical ? OpType::kLogicalAnd : OpType::kMaximum, {changed, in});
    graph_.outputs = {set, kept, changed, apply(logical ? OpType::kLogicalOr : OpType::kMinimum, {changed, kept})};
  });
}

// Inputs that continue outputs, one of them unused, as states of the reference. The other input comes from the host.
TEST_F(StatesTest, InputsContinueOutputs) {
  for (const DataType type : {DataType::kFloat32, DataType::kInt8}) {
    for (const bool smallest : {false, true}) {
      type_ = type;
      shape_ = {1, 3, 5, 13};
      quantization_ = type == DataType::kInt8 ? Quantization{{0.25F}, {3}, 0} : Quantization{};
      graph_ = Graph();
      const ValueId in = add("in"), held = add("held"), older = add("older");
      const ValueId most = apply(OpType::kMaximum, {held, in}), least = apply(OpType::kMinimum, {older, in});
      graph_.inputs = {held, in, older};
      graph_.outputs = {least, apply(OpType::kMaximum, {least, held}), most};
      PlanOptions options;
      options.inputs.resize(3);
      options.inputs[0] = {.source = InputSpec::Source::kPrevious, .previous = 2};
      options.inputs[2] = {.source = InputSpec::Source::kPrevious, .previous = 0};
      options.outputs.resize(3);
      options.outputs[2].target = OutputSpec::Target::kNone;
      const auto model = value_of(model_from_graph(graph_));
      const DeviceLimits limits = smallest ? device().limits.clamped_to_minimum() : device().limits;
      const auto session = value_of(Session::create(gl(), value_of(Plan::build(model, limits, options))));
      graph_.states = {{held, most, {}}, {older, least, {}}};
      for (int turn = 0; turn < 2; ++turn) {
        std::vector<HostTensor> states;
        for (int run = 0; run < 4; ++run) {
          std::vector<HostTensor> inputs(3, HostTensor(type_, shape_));
          fill(inputs[1], run * 5 + turn);
          ASSERT_TRUE(session->write_input(1, inputs[1].data).ok());
          EXPECT_FALSE(session->write_input(0, inputs[0].data).ok());
          const auto wanted = value_of(ref::run(graph_, inputs, &states));
          ASSERT_TRUE(session->run().ok());
          for (const size_t i : {size_t{0}, size_t{1}}) {
            HostTensor got(type_, shape_);
            ASSERT_TRUE(session->read_output(i, got.data).ok());
            ASSERT_EQ(got.data, wanted[i].data) << "turn " << turn << ", run " << run << ", output " << i;
          }
        }
        ASSERT_TRUE(session->reset_state().ok());
      }
    }
  }
  PlanOptions wrong;
  wrong.inputs = {{.source = InputSpec::Source::kPrevious, .previous = 1}};
  graph_.states.clear();
  graph_.value(graph_.outputs[1]).quantization = {{0.5F}, {3}, 0};
  graph_.value(graph_.inputs[0]).quantization = {{0.125F}, {3}, 0};
  const auto other = model_from_graph(graph_);
  if (other.ok()) {
    const auto plan = Plan::build(*other, device().limits, wrong);
    ASSERT_FALSE(plan.ok());
    EXPECT_NE(plan.status().message().find("input 0 continues output 1 of another type"), std::string::npos);
  }
  wrong.inputs[0].previous = 3;
  const auto plan = Plan::build(value_of(model_from_graph(graph_)), device().limits, wrong);
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().message().find("which does not exist"), std::string::npos) << plan.status().message();
}

}  // namespace
}  // namespace sightglass::test
