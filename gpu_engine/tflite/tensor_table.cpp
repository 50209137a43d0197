#include "tflite/tensor_table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace sightglass::tflite {
// The format is from the TACO paper: a tensor is traversed dimension by dimension, each stored densely or as compressed
// rows. Blocks are additional dimensions that divide those in `block_map`.

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

namespace {

std::optional<DataType> engine_type(schema::TensorType type) {
  switch (type) {
    case schema::TensorType::FLOAT32:
      return DataType::kFloat32;
    case schema::TensorType::FLOAT16:
      return DataType::kFloat16;
    case schema::TensorType::INT8:
      return DataType::kInt8;
    case schema::TensorType::UINT8:
      return DataType::kUInt8;
    case schema::TensorType::INT16:
      return DataType::kInt16;
    case schema::TensorType::INT32:
      return DataType::kInt32;
    case schema::TensorType::INT64:
      return DataType::kInt64;
    case schema::TensorType::BOOL:
      return DataType::kBool;
    default:
      return std::nullopt;
  }
}

Result<Shape> read_shape(const flatbuffers::Vector<int32_t>& dims, const ImportOptions& options) {
  if (dims.size() > Shape::kMaxRank) {
    return unsupported("rank " + std::to_string(dims.size()) + " is beyond the " + std::to_string(Shape::kMaxRank) +
                       " dimensions that can be handled; reshape it to fewer");
  }
  const Shape shape(std::span<const int32_t>(dims.data(), dims.size()));
  int64_t elements = 1;  // product of the dimensions so far, as in Shape
  for (const int32_t dim : shape.dims()) {
    if (dim == -1) {
      return invalid_model("a constant has the open shape " + shape.to_string());
    }
    if (dim < 0) return invalid_model("negative dimension in shape " + shape.to_string());
    elements *= dim;
    if (elements > options.max_tensor_elements) {
      return unsupported("shape " + shape.to_string() + " has more than " +
                         std::to_string(options.max_tensor_elements) + " elements; use a smaller input");
    }
  }
  return shape;
}

Result<Quantization> read_quantization(const schema::QuantizationParameters& parameters, const Shape& shape,
                                       ModelFile& file) {
  Quantization quantization;
  const auto* scale = parameters.scale();
  const auto* zero_point = parameters.zero_point();
  if (scale == nullptr || scale->size() == 0) return quantization;
  const size_t count = scale->size();
  if (zero_point != nullptr && zero_point->size() != 0 && zero_point->size() != count) {
    return invalid_model("quantization has " + std::to_string(count) + " scales, but " +
                         std::to_string(zero_point->size()) + " zero points");
  }
  // A single scale applies to the whole tensor, whatever dimension the file names.
  if (count > 1) {
    const int32_t axis = quantization.axis = parameters.quantized_dimension();
    if (axis < 0 || axis >= shape.rank() || static_cast<size_t>(shape.dim(axis)) != count) {
      return invalid_model("quantization has " + std::to_string(count) + " scales along dimension " +
                           std::to_string(axis) + " of shape " + shape.to_string());
    }
  }
  SIGHTGLASS_RETURN_IF_ERROR(file.charge(count * (sizeof(float) + sizeof(int64_t))));
  quantization.scale.assign(scale->data(), scale->data() + count);
  if (!std::ranges::all_of(quantization.scale, [](float s) { return std::isfinite(s); })) {
    return invalid_model("quantization scale is not finite");
  }
  quantization.zero_point.resize(count);
  if (zero_point != nullptr && zero_point->size() == count) {
    std::memcpy(quantization.zero_point.data(), zero_point->Data(), count * sizeof(int64_t));
  }
  return quantization;
}

// Ranges are relative to the zero point, so it must be a value of the tensor type.
Status check_zero_points(const Quantization& quantization, DataType type) {
  int64_t lowest = 0, highest = 0;
  switch (type) {
    case DataType::kInt8:
      lowest = INT8_MIN, highest = INT8_MAX;
      break;
    case DataType::kUInt8:
      highest = UINT8_MAX;
      break;
    case DataType::kInt16:
      lowest = INT16_MIN, highest = INT16_MAX;
      break;
    default:
      return {};
  }
  for (const int64_t zero : quantization.zero_point) {
    if (zero < lowest || zero > highest) {
      return invalid_model("quantization has the zero point " + std::to_string(zero) +
                           ", which is not in the range of " + to_string(type));
    }
  }
  return {};
}

bool has_open_dimension(const schema::Tensor& in) {
  return in.shape() != nullptr && std::ranges::find(*in.shape(), -1) != in.shape()->end();
}

// For a dimension that is left open, a file has a second shape, and any size in the first one.
uint32_t supposed_dims(const schema::Tensor& in) {
  const auto* signature = in.shape_signature();
  if (signature == nullptr || signature->size() != in.shape()->size()) return 0;
  uint32_t supposed = 0;
  for (uint32_t d = 0; d < signature->size(); ++d) supposed |= signature->Get(d) == -1 ? 1u << d : 0u;
  return supposed;
}

Result<FileTensor> read_tensor(const schema::Tensor& in, int32_t index, ModelFile& file, const ImportOptions& options,
                               int64_t& expandable_bytes) {
  FileTensor tensor;
  tensor.index = index;
  tensor.file_type = in.type();
  tensor.type = engine_type(in.type());
  tensor.variable = in.is_variable();
  tensor.sparse = in.sparsity() != nullptr;
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::span<const std::byte> data, file.buffer(in.buffer()));
  tensor.dynamic = data.empty() && has_open_dimension(in);
  if (in.shape() != nullptr && !tensor.dynamic) {
    SIGHTGLASS_ASSIGN_OR_RETURN(tensor.shape, read_shape(*in.shape(), options));
    // An empty list marks an undeclared shape of an intermediate tensor.
    tensor.shape_declared = in.shape()->size() > 0;
    tensor.supposed_dims = supposed_dims(in);
  }
  if (in.quantization() != nullptr) {
    SIGHTGLASS_ASSIGN_OR_RETURN(tensor.quantization, read_quantization(*in.quantization(), tensor.shape, file));
    if (tensor.type) SIGHTGLASS_RETURN_IF_ERROR(check_zero_points(tensor.quantization, *tensor.type));
  }
  if (data.empty() || !tensor.type) {
    tensor.available = !data.empty();
    return tensor;
  }
  if (tensor.sparse) {
    const size_t dense = static_cast<size_t>(tensor.shape.elements()) * size_of(*tensor.type);
    // A small file cannot request much memory.
    if (static_cast<int64_t>(dense) > expandable_bytes) {
      return unsupported("its sparse tensors take too much memory; use dense weights");
    }
    expandable_bytes -= static_cast<int64_t>(dense);
    SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                                expand_sparse(*in.sparsity(), tensor.shape, size_of(*tensor.type), data));
    const auto storage = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    tensor.constant = Constant{*tensor.type, *storage, storage};
    tensor.available = true;
    tensor.sparse = false;
    return tensor;
  }
  const size_t needed = static_cast<size_t>(tensor.shape.elements()) * size_of(*tensor.type);
  if (data.size() != needed) {
    return invalid_model("buffer " + std::to_string(in.buffer()) + " holds " + std::to_string(data.size()) +
                         " bytes, but " + to_string(*tensor.type) + " of shape " + tensor.shape.to_string() +
                         " takes " + std::to_string(needed));
  }
  tensor.constant = Constant{*tensor.type, data, file.owner()};
  tensor.available = true;
  return tensor;
}

}  // namespace

std::string FileTensor::type_name() const {
  if (type) return to_string(*type);
  const char* name = schema::EnumNameTensorType(file_type);
  return *name == '\0' ? "type " + std::to_string(static_cast<int>(file_type)) : name;
}

Result<std::vector<FileTensor>> read_tensors(ModelFile& file, const schema::SubGraph& subgraph,
                                             const ImportOptions& options, int64_t& expandable_bytes) {
  std::vector<FileTensor> tensors;
  const auto* list = subgraph.tensors();
  if (list == nullptr) return tensors;
  for (uint32_t i = 0; i < list->size(); ++i) {
    const schema::Tensor& in = *list->Get(i);
    const std::string name = in.name() == nullptr ? "" : in.name()->str();
    // Minimum size of a tensor in a file, and its name.
    SIGHTGLASS_RETURN_IF_ERROR(file.charge(sizeof(schema::Tensor*) * 8 + name.size()));
    Result<FileTensor> tensor = read_tensor(in, static_cast<int32_t>(i), file, options, expandable_bytes);
    if (!tensor.ok()) return tensor.status().with_context("tensor " + std::to_string(i) + " " + quote(name));
    tensor->name = name;
    tensors.push_back(std::move(tensor).value());
  }
  return tensors;
}

}  // namespace sightglass::tflite
