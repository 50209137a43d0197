// Sparse constants: values computed by hand, and contradictory descriptions.
#include <gtest/gtest.h>

#include <functional>

#include "tflite/tensor_table.h"

namespace sightglass::test {
namespace {

namespace schema = tflite::schema;

std::unique_ptr<schema::DimensionMetadataT> dense(int32_t size) {
  auto metadata = std::make_unique<schema::DimensionMetadataT>();
  metadata->dense_size = size;
  return metadata;
}

std::unique_ptr<schema::DimensionMetadataT> rows(std::vector<uint8_t> segments, std::vector<int32_t> indices) {
  auto metadata = std::make_unique<schema::DimensionMetadataT>();
  metadata->format = schema::DimensionType::SPARSE_CSR;
  schema::Uint8VectorT narrow;
  narrow.values = std::move(segments);
  metadata->array_segments.Set(std::move(narrow));
  schema::Int32VectorT wide;
  wide.values = std::move(indices);
  metadata->array_indices.Set(std::move(wide));
  return metadata;
}

Result<std::vector<std::byte>> expand(const schema::SparsityParametersT& description, const Shape& shape,
                                      std::vector<uint8_t> values) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::SparsityParameters::Pack(builder, &description));
  const auto* packed = flatbuffers::GetRoot<schema::SparsityParameters>(builder.GetBufferPointer());
  return tflite::expand_sparse(*packed, shape, 1, std::as_bytes(std::span(values)));
}

std::vector<int> numbers(const Result<std::vector<std::byte>>& bytes) {
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  std::vector<int> result;
  for (size_t i = 0; bytes.ok() && i < bytes->size(); ++i) result.push_back(static_cast<int>((*bytes)[i]));
  return result;
}

// 1 0 2 / 0 0 3
schema::SparsityParametersT compressed_rows() {
  schema::SparsityParametersT description;
  description.traversal_order = {0, 1};
  description.dim_metadata.push_back(dense(2));
  description.dim_metadata.push_back(rows({0, 2, 3}, {0, 2, 2}));
  return description;
}

TEST(SparseTensor, CompressedRows) {
  EXPECT_EQ(numbers(expand(compressed_rows(), {2, 3}, {1, 2, 3})), (std::vector<int>{1, 0, 2, 0, 0, 3}));
}

TEST(SparseTensor, ColumnsFirst) {
  schema::SparsityParametersT description;
  description.traversal_order = {1, 0};
  description.dim_metadata.push_back(dense(3));
  description.dim_metadata.push_back(rows({0, 1, 1, 3}, {0, 0, 1}));
  EXPECT_EQ(numbers(expand(description, {2, 3}, {1, 2, 3})), (std::vector<int>{1, 0, 2, 0, 0, 3}));
}

// Blocks of 1x2: the second of the first row, the first of the second.
TEST(SparseTensor, Blocks) {
  schema::SparsityParametersT description;
  description.traversal_order = {0, 1, 2};
  description.block_map = {1};
  description.dim_metadata.push_back(dense(2));
  description.dim_metadata.push_back(rows({0, 1, 2}, {1, 0}));
  description.dim_metadata.push_back(dense(2));
  EXPECT_EQ(numbers(expand(description, {2, 4}, {1, 2, 3, 4})), (std::vector<int>{0, 0, 1, 2, 3, 4, 0, 0}));
}

TEST(SparseTensor, ContradictionsAreErrors) {
  using Change = std::function<void(schema::SparsityParametersT&)>;
  const Change changes[] = {
      [](auto& d) { d.traversal_order = {0}; },
      [](auto& d) {
        d.traversal_order = {0, 0};
      },
      [](auto& d) {
        d.traversal_order = {0, 7};
      },
      [](auto& d) {
        d.traversal_order = {-1, 1};
      },
      [](auto& d) { d.dim_metadata.pop_back(); },
      [](auto& d) { d.dim_metadata[0]->dense_size = 3; },
      [](auto& d) { d.dim_metadata[0]->dense_size = 0; },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2}, {0, 2, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2, 9}, {0, 2, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({2, 0, 3}, {0, 2, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2, 3}, {0, 3, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2, 3}, {2, 0, 2});
      },
      [](auto& d) {
        d.dim_metadata[1] = rows({0, 2, 3}, {-1, 2, 2});
      },
      [](auto& d) { d.block_map = {5}; },
  };
  for (const Change& change : changes) {
    schema::SparsityParametersT description = compressed_rows();
    change(description);
    const auto result = expand(description, {2, 3}, {1, 2, 3});
    EXPECT_EQ(result.status().code(), ErrorCode::kInvalidModel) << &change - changes;
  }
  EXPECT_EQ(expand(compressed_rows(), {2, 3}, {1, 2}).status().code(), ErrorCode::kInvalidModel) << "too few values";
}

}  // namespace
}  // namespace sightglass::test
