// Small files that require much memory: the tests measure how much.
#include <gtest/gtest.h>

#include "allocations.h"
#include "metadata_builder.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

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

// Metadata of real models is unaffected.
TEST(MemoryOfMetadata, AThousandLabelsAreReadCompletely) {
  const Measured measured = import_bomb({.tensors = 4, .lists = 8, .labels = 1001, .bytes = 40});
  EXPECT_EQ(measured.labels, size_t{8} * 1001);
  EXPECT_TRUE(measured.problems.empty());
}

}  // namespace
}  // namespace sightglass::test
