// The format is from the TACO paper: a tensor is traversed dimension by dimension, each stored densely or as compressed
// rows. Blocks are additional dimensions that divide those in `block_map`.
#include "tflite/sparse_tensor.h"

#include <cstring>

namespace sightglass::tflite {
namespace {

constexpr size_t kMaxLevels = size_t{2} * Shape::kMaxRank;

struct Level {
  int32_t dimension = 0;  // of the tensor; values from the rank upward are blocks
  bool compressed = false;
  int64_t size = 0;
  std::vector<int64_t> segments, indices;  // of a compressed level
};

template <typename Vector>
std::vector<int64_t> widen(const Vector* table) {
  if (table == nullptr || table->values() == nullptr) return {};
  return {table->values()->begin(), table->values()->end()};
}

std::vector<int64_t> numbers(schema::SparseIndexVector type, const void* table) {
  switch (type) {
    case schema::SparseIndexVector::Int32Vector:
      return widen(static_cast<const schema::Int32Vector*>(table));
    case schema::SparseIndexVector::Uint16Vector:
      return widen(static_cast<const schema::Uint16Vector*>(table));
    case schema::SparseIndexVector::Uint8Vector:
      return widen(static_cast<const schema::Uint8Vector*>(table));
    case schema::SparseIndexVector::NONE:
      break;
  }
  return {};
}

Status broken(const std::string& what) { return invalid_model("its description as a sparse tensor " + what); }

class Expander {
 public:
  Expander(const Shape& shape, size_t element_size, std::span<const std::byte> values)
      : shape_(shape), element_size_(element_size), values_(values) {}

  Status read(const schema::SparsityParameters& sparsity);
  Result<std::vector<std::byte>> run();

 private:
  Status read_level(const schema::DimensionMetadata& metadata, int32_t dimension);
  Status set_steps();
  Status visit(size_t level, int64_t node, int64_t place);
  Status take(int64_t value, int64_t place);

  const Shape& shape_;
  const size_t element_size_;
  const std::span<const std::byte> values_;
  std::vector<Level> levels_;
  std::vector<int32_t> blocks_;  // dimension divided by each block
  std::vector<int64_t> steps_;   // by level: distance in dense elements between indices
  std::vector<std::byte> dense_;
};

Status Expander::read(const schema::SparsityParameters& sparsity) {
  const auto* order = sparsity.traversal_order();
  const auto* metadata = sparsity.dim_metadata();
  if (sparsity.block_map() != nullptr) blocks_.assign(sparsity.block_map()->begin(), sparsity.block_map()->end());
  const size_t levels = static_cast<size_t>(shape_.rank()) + blocks_.size();
  if (order == nullptr || metadata == nullptr || levels == 0 || levels > kMaxLevels || order->size() != levels ||
      metadata->size() != levels) {
    return broken("does not have one entry per dimension and block");
  }
  std::vector<bool> seen(levels, false);
  for (const int32_t dimension : *order) {
    if (dimension < 0 || static_cast<size_t>(dimension) >= levels || seen[static_cast<size_t>(dimension)]) {
      return broken("does not traverse every dimension once");
    }
    seen[static_cast<size_t>(dimension)] = true;
    SIGHTGLASS_RETURN_IF_ERROR(read_level(*metadata->Get(static_cast<uint32_t>(levels_.size())), dimension));
  }
  return set_steps();
}

Status Expander::read_level(const schema::DimensionMetadata& metadata, int32_t dimension) {
  Level level;
  level.dimension = dimension;
  level.size = metadata.dense_size();
  level.compressed = metadata.format() == schema::DimensionType::SPARSE_CSR;
  if (level.compressed) {
    level.segments = numbers(metadata.array_segments_type(), metadata.array_segments());
    level.indices = numbers(metadata.array_indices_type(), metadata.array_indices());
    level.size = dimension < shape_.rank() ? shape_.dim(dimension) : 0;
  } else if (level.size < 1) {
    return broken("has a dense dimension of " + std::to_string(level.size));
  }
  levels_.push_back(std::move(level));
  return {};
}

Status Expander::set_steps() {
  const int rank = shape_.rank();
  std::vector<int64_t> block_size(static_cast<size_t>(rank), 1);
  for (const Level& level : levels_) {
    if (level.dimension < rank) continue;
    const int32_t divided = blocks_[static_cast<size_t>(level.dimension - rank)];
    if (divided < 0 || divided >= rank || level.compressed || block_size[static_cast<size_t>(divided)] != 1 ||
        shape_.dim(divided) % level.size != 0) {
      return broken("has a block that does not divide its dimension");
    }
    block_size[static_cast<size_t>(divided)] = level.size;
  }
  std::vector<int64_t> stride(static_cast<size_t>(rank), 1);
  for (int i = rank - 2; i >= 0; --i) {
    stride[static_cast<size_t>(i)] = stride[static_cast<size_t>(i) + 1] * shape_.dim(i + 1);
  }
  for (Level& level : levels_) {
    if (level.dimension >= rank) {
      steps_.push_back(stride[static_cast<size_t>(blocks_[static_cast<size_t>(level.dimension - rank)])]);
      continue;
    }
    const auto d = static_cast<size_t>(level.dimension);
    const int64_t outer = shape_.dim(level.dimension) / block_size[d];
    if (level.compressed) level.size = outer;
    if (level.size != outer) {
      return broken("has a dimension of " + std::to_string(level.size) + " instead of " + std::to_string(outer));
    }
    steps_.push_back(stride[d] * block_size[d]);
  }
  return {};
}

Status Expander::take(int64_t value, int64_t place) {
  const auto from = static_cast<size_t>(value) * element_size_;
  if (from + element_size_ > values_.size()) return broken("needs more values than there are");
  std::memcpy(dense_.data() + static_cast<size_t>(place) * element_size_, values_.data() + from, element_size_);
  return {};
}

// `node` is the index of a level entry in storage order.
Status Expander::visit(size_t index, int64_t node, int64_t place) {
  if (index == levels_.size()) return take(node, place);
  const Level& level = levels_[index];
  if (!level.compressed) {
    for (int64_t i = 0; i < level.size; ++i) {
      SIGHTGLASS_RETURN_IF_ERROR(visit(index + 1, node * level.size + i, place + i * steps_[index]));
    }
    return {};
  }
  const auto at = static_cast<size_t>(node);
  if (at + 1 >= level.segments.size()) return broken("has too few segments");
  const int64_t first = level.segments[at], end = level.segments[at + 1];
  if (first < 0 || end < first || static_cast<size_t>(end) > level.indices.size()) {
    return broken("has a segment from " + std::to_string(first) + " to " + std::to_string(end));
  }
  // Indices ascend, so no position is visited twice and the work is bounded by the tensor size.
  int64_t last = -1;
  for (int64_t i = first; i < end; ++i) {
    const int64_t coordinate = level.indices[static_cast<size_t>(i)];
    if (coordinate <= last || coordinate >= level.size) return broken("has an index of " + std::to_string(coordinate));
    last = coordinate;
    SIGHTGLASS_RETURN_IF_ERROR(visit(index + 1, i, place + coordinate * steps_[index]));
  }
  return {};
}

Result<std::vector<std::byte>> Expander::run() {
  dense_.assign(static_cast<size_t>(shape_.elements()) * element_size_, std::byte{0});
  SIGHTGLASS_RETURN_IF_ERROR(visit(0, 0, 0));
  return std::move(dense_);
}

}  // namespace

Result<std::vector<std::byte>> expand_sparse(const schema::SparsityParameters& sparsity, const Shape& shape,
                                             size_t element_size, std::span<const std::byte> values) {
  Expander expander(shape, element_size, values);
  SIGHTGLASS_RETURN_IF_ERROR(expander.read(sparsity));
  return expander.run();
}

}  // namespace sightglass::tflite
