#include "tflite/tensor_table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "tflite/sparse_tensor.h"

namespace sightglass::tflite {
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

// Memory used for expanded sparse tensors, so that a small file cannot request much.
class ExpansionBudget {
 public:
  explicit ExpansionBudget(int64_t bytes) : left_(static_cast<size_t>(bytes)) {}
  Status take(size_t bytes) {
    if (bytes > left_) return unsupported("its sparse tensors take too much memory; use dense weights");
    left_ -= bytes;
    return {};
  }

 private:
  size_t left_;
};

Result<FileTensor> read_tensor(const schema::Tensor& in, int32_t index, ModelFile& file, const ImportOptions& options,
                               ExpansionBudget& expanded) {
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
    SIGHTGLASS_RETURN_IF_ERROR(expanded.take(dense));
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

Result<std::vector<FileTensor>> read_tensors(ModelFile& file, const ImportOptions& options) {
  std::vector<FileTensor> tensors;
  const auto* list = file.subgraph().tensors();
  if (list == nullptr) return tensors;
  ExpansionBudget expanded(options.max_folded_bytes);
  for (uint32_t i = 0; i < list->size(); ++i) {
    const schema::Tensor& in = *list->Get(i);
    const std::string name = in.name() == nullptr ? "" : in.name()->str();
    // Minimum size of a tensor in a file, and its name.
    SIGHTGLASS_RETURN_IF_ERROR(file.charge(sizeof(schema::Tensor*) * 8 + name.size()));
    Result<FileTensor> tensor = read_tensor(in, static_cast<int32_t>(i), file, options, expanded);
    if (!tensor.ok()) return tensor.status().with_context("tensor " + std::to_string(i) + " " + quote(name));
    tensor->name = name;
    tensors.push_back(std::move(tensor).value());
  }
  return tensors;
}

}  // namespace sightglass::tflite
