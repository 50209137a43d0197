// Small files that would take the memory or the GPU of the whole machine, and files that change; how much memory small
// files require; how the time to import a file grows with its contents, as a ratio of CPU times: four times as much may
// take four times as long, but not sixteen times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>

#include "allocations.h"
#include "gpu_engine/files.h"
#include "gpu_engine/internals.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "metadata_builder.h"
#include "model_builder.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;

constexpr int64_t kMiB = int64_t{1} << 20;

void expect_exhausted(const Status& status, const std::string& reason) {
  ASSERT_FALSE(status.ok()) << "expected: " << reason;
  EXPECT_EQ(status.code(), ErrorCode::kResourceExhausted) << status.message();
  EXPECT_NE(status.message().find(reason), std::string::npos) << status.message();
}

std::shared_ptr<const Model> load(const ModelBuilder& m, const ModelOptions& options = {}) {
  return value_of(Model::load(m.build(), "m.tflite", options));
}

// Pools over windows of `filter` by `filter` pixels of an image of `size` by `size`.
ModelBuilder pools(int count, int32_t size, int32_t filter) {
  ModelBuilder m;
  int tensor = m.add_input({1, size, size, 4});
  for (int i = 0; i < count; ++i) {
    tensor =
        m.add_op(Op::AVERAGE_POOL_2D, {tensor}, {1, size, size, 4}, pool_options(schema::Padding::SAME, filter, 1));
  }
  m.add_output(tensor);
  return m;
}

TEST(MemoryLimit, InputsAndOutputsAreBounded) {
  ModelBuilder m;
  for (int i = 0; i < 8; ++i) {
    m.add_output(m.add_op(Op::RELU, {m.add_input({1, 4096, 4096, 4})}, {1, 4096, 4096, 4}));
  }
  const auto model = Model::load(m.build(), "m.tflite");
  expect_exhausted(model.status(),
                   "m.tflite: its inputs and outputs need 4.0 GiB, more than the memory limit of 1.0 GiB; "
                   "raise memory-limit");
  ModelOptions more;
  more.memory_limit = 8192 * kMiB;
  EXPECT_TRUE(Model::load(m.build(), "m.tflite", more).ok());
}

TEST(MemoryLimit, ActivationsAreBounded) {
  ModelBuilder m;
  const int input = m.add_input({1, 1, 1, 4});
  const int wide = m.add_op(Op::RESIZE_NEAREST_NEIGHBOR, {input, m.add_ints({2}, {8192, 8192})}, {1, 8192, 8192, 4},
                            schema::ResizeNearestNeighborOptionsT());
  m.add_output(m.add_op(Op::MEAN, {wide, m.add_ints({2}, {1, 2})}, {1, 4}, schema::ReducerOptionsT()));
  const auto model = load(m);
  ASSERT_TRUE(model);
  PlanOptions options;
  options.rewrites = false;
  DeviceLimits large;
  large.max_storage_block_bytes = int64_t{1} << 31;
  expect_exhausted(Plan::build(model, large, options).status(), "it needs 1.0 GiB, more than the memory limit");
  options.resources.memory_bytes = 2048 * kMiB;
  const auto plan = value_of(Plan::build(model, large, options));
}

TEST(MemoryLimit, AFileBeyondTheLimitIsNotRead) {
  const std::string path = scratch_folder() / "sparse.tflite";
  std::ofstream(path) << "    TFL3";
  std::filesystem::resize_file(path, uintmax_t{1} << 40);
  expect_exhausted(Model::load(path).status(), "the file has 1.0 TiB, more than the memory limit of 1.0 GiB");
}

TEST(MemoryLimit, AllModelsOfTheProcessCount) {
  auto first = value_of(MemoryShare::take("the first needs", 3 * kMiB, 4 * kMiB));
  {
    const auto second = MemoryShare::take("the second needs", 2 * kMiB, 4 * kMiB);
    expect_exhausted(second.status(), "the second needs 2.0 MiB, and the other models of this process hold 3.0 MiB");
  }
  first = MemoryShare();
  EXPECT_TRUE(MemoryShare::take("the second needs", 2 * kMiB, 4 * kMiB).ok());
}

TEST(TimeLimit, ALongDispatchIsRejected) {
  const auto model = load(pools(1, 2048, 2047));
  ASSERT_TRUE(model);
  expect_exhausted(Plan::build(model, DeviceLimits{}).status(), "one dispatch takes about");
  PlanOptions options;
  options.resources.dispatch_time = std::chrono::hours(1);
  options.resources.run_time = std::chrono::hours(1);
  EXPECT_TRUE(Plan::build(model, DeviceLimits{}, options).ok());
}

TEST(TimeLimit, ALongRunOfShortDispatchesIsRejected) {
  const auto model = load(pools(400, 512, 63));
  ASSERT_TRUE(model);
  expect_exhausted(Plan::build(model, DeviceLimits{}).status(), "m.tflite: one run takes about");
  const auto few = load(pools(4, 512, 63));
  ASSERT_TRUE(few);
  EXPECT_TRUE(Plan::build(few, DeviceLimits{}).ok());
}

TEST(TimeLimit, TheCheckReportsIt) {
  const std::string path = scratch_folder() / "pools.tflite";
  write_file(path, pools(400, 512, 63).build());
  const auto report = value_of(check_support(path, {}, DeviceLimits{}));
  ASSERT_EQ(report.obstacles.size(), 1U);
  EXPECT_NE(report.obstacles[0].nearest.find("raise run-limit"), std::string::npos) << report.obstacles[0].nearest;
}

// A mapping would end this process with SIGBUS.
TEST(ChangedFile, AModelOutlivesItsFile) {
  const std::string path = scratch_folder() / "overwritten.tflite";
  ModelBuilder m;
  const std::vector<float> weights(12 * 1024, 0.5F), bias(4 * 1024, 0.25F);
  m.add_output(add_pointwise_head(m, 8, weights, bias));
  write_file(path, m.build());
  const auto model = value_of(Model::load(path));
  std::ofstream(path, std::ios::trunc).close();
  const auto plan = value_of(Plan::build(model, DeviceLimits{}));
  EXPECT_GE(plan->memory().weight_bytes, static_cast<int64_t>(weights.size() * sizeof(float)));
}

constexpr int64_t kMebibyte = int64_t{1} << 20;

struct Bomb {
  int tensors = 256;      // descriptions of inputs, and as many of outputs
  int lists = 1;          // label files, which the descriptions name in turn
  size_t labels = 65536;  // per file
  size_t bytes = 1;       // per label
};

std::string list_name(int list) { return "labels" + std::to_string(list) + ".txt"; }

// The file, and the memory that its import takes in addition to its own copy.
struct Measured {
  size_t file_bytes = 0;
  int64_t peak_bytes = 0;
  size_t labels = 0;  // of all tensors
  std::vector<std::string> problems;
};

Measured import_bomb(const Bomb& bomb) {
  schema::ModelDescriptionT description;
  auto& subgraph = *description.subgraph_metadata.emplace_back(std::make_unique<schema::SubGraphDescriptionT>());
  int next = 0;
  for (auto* tensors : {&subgraph.input_tensor_metadata, &subgraph.output_tensor_metadata}) {
    for (int i = 0; i < bomb.tensors; ++i) {
      auto& tensor = *tensors->emplace_back(std::make_unique<schema::TensorDescriptionT>());
      auto& file = *tensor.associated_files.emplace_back(std::make_unique<schema::AssociatedFileT>());
      file.name = list_name(next++ % bomb.lists);
      file.type = schema::AssociatedFileType::TENSOR_AXIS_LABELS;
    }
  }
  std::string text;
  for (size_t i = 0; i < bomb.labels; ++i) text += std::string(bomb.bytes, 'x') + "\n";
  std::vector<Attached> members;
  for (int i = 0; i < bomb.lists; ++i) members.push_back({list_name(i), text});
  ModelBuilder m;
  m.add_output(m.add_op(schema::BuiltinOperator::RELU, {m.add_input({1, 4, 4, 3})}, {1, 4, 4, 3}));
  add_metadata(m, packed(description));
  std::vector<std::byte> file = m.build();
  attach(file, members);

  Measured measured;
  measured.file_bytes = file.size();
  watch_allocations();
  const auto model = Model::load(file, "m.tflite");
  // One copy of the file belongs to the interface.
  measured.peak_bytes = watched_allocations().peak_bytes - static_cast<int64_t>(file.size());
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok()) return measured;
  const ModelMetadata copy = (*model)->metadata();
  for (const auto* tensors : {&copy.inputs, &copy.outputs}) {
    for (const TensorMetadata& tensor : *tensors) measured.labels += tensor.labels().size();
  }
  measured.problems = copy.problems;
  std::printf("%d lists of %zu labels of %zu bytes for %d tensors: a file of %.1f KiB takes %.2f MiB\n", bomb.lists,
              bomb.labels, bomb.bytes, 2 * bomb.tensors, static_cast<double>(measured.file_bytes) / 1024,
              static_cast<double>(measured.peak_bytes) / kMebibyte);
  return measured;
}

TEST(MemoryOfMetadata, SharedListsAreStoredOnce) {
  const Measured measured = import_bomb({});
  EXPECT_LT(measured.peak_bytes, 6 * kMebibyte);
  // Four lists for a report that writes them for each tensor.
  EXPECT_EQ(measured.labels, size_t{4} * 65536);
  ASSERT_EQ(measured.problems.size(), 1u);
  EXPECT_NE(measured.problems[0].find("262144 labels"), std::string::npos) << measured.problems[0];
}

TEST(MemoryOfMetadata, SeparateListsAreBounded) {
  const Measured measured = import_bomb({.lists = 512, .labels = 16384});
  EXPECT_LT(measured.peak_bytes, 24 * kMebibyte);
  EXPECT_GE(measured.problems.size(), 1u);
}

TEST(MemoryOfMetadata, LongLabelsAreBounded) {
  const Measured measured = import_bomb({.lists = 64, .labels = 1024, .bytes = 255});
  EXPECT_LT(measured.peak_bytes, 24 * kMebibyte);
}

TEST(MemoryOfMetadata, EmptyLabelsTakeNoExtraMemory) {
  const Measured measured = import_bomb({.tensors = 1, .bytes = 0});
  EXPECT_EQ(measured.labels, size_t{2} * 65536);
  EXPECT_LT(measured.peak_bytes, 6 * kMebibyte);
}

// Notes of an exporter that state fewer bytes than they become.
TEST(MemoryOfMetadata, InflatingEndsAtTheStatedSize) {
  constexpr size_t kInflated = size_t{64} << 20;
  ModelBuilder m;
  m.add_output(m.add_op(schema::BuiltinOperator::RELU, {m.add_input({1, 4, 4, 3})}, {1, 4, 4, 3}));
  std::vector<std::byte> file = m.build();
  attach(file, {{"metadata.json", std::string(kInflated, ' '), 8, true, {}, 1000}});
  watch_allocations();
  const auto model = Model::load(file, "m.tflite");
  const int64_t peak = watched_allocations().peak_bytes - static_cast<int64_t>(file.size());
  std::printf("%zu bytes that become 64 MiB take %lld bytes\n", file.size(), static_cast<long long>(peak));
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_LT(peak, kMebibyte);
  ASSERT_EQ((*model)->metadata().problems.size(), 1u);
  EXPECT_NE((*model)->metadata().problems[0].find("is damaged"), std::string::npos);
}

// Metadata of real models is unaffected.
TEST(MemoryOfMetadata, AThousandLabelsAreReadCompletely) {
  const Measured measured = import_bomb({.tensors = 4, .lists = 8, .labels = 1001, .bytes = 40});
  EXPECT_EQ(measured.labels, size_t{8} * 1001);
  EXPECT_TRUE(measured.problems.empty());
}

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
