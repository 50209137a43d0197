#include <algorithm>
#include <cstring>

#include "error.h"
#include "gpu_engine/quoted.h"
#include "handles.h"
#include "options.h"

using namespace sightglass;  // NOLINT(google-build-using-namespace): the C API has no namespace of its own

namespace {

static_assert(static_cast<int>(DataType::kFloat32) == SIGHTGLASS_FLOAT32);
static_assert(static_cast<int>(DataType::kFloat16) == SIGHTGLASS_FLOAT16);
static_assert(static_cast<int>(DataType::kInt8) == SIGHTGLASS_INT8);
static_assert(static_cast<int>(DataType::kUInt8) == SIGHTGLASS_UINT8);
static_assert(static_cast<int>(DataType::kInt16) == SIGHTGLASS_INT16);
static_assert(static_cast<int>(DataType::kInt32) == SIGHTGLASS_INT32);
static_assert(static_cast<int>(DataType::kInt64) == SIGHTGLASS_INT64);
static_assert(static_cast<int>(DataType::kBool) == SIGHTGLASS_BOOL);
static_assert(Shape::kMaxRank == SIGHTGLASS_MAX_RANK);

Result<ModelOptions> read_options(const SightglassModelOptions* options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const SightglassModelOptions read,
      capi::read(options, SightglassModelOptions SIGHTGLASS_MODEL_OPTIONS_INIT, "SightglassModelOptions"));
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const auto shapes, capi::read_array(read.input_shapes, read.input_shape_count,
                                          SightglassInputShape SIGHTGLASS_INPUT_SHAPE_INIT, "SightglassInputShape"));
  ModelOptions result;
  result.log = capi::make_log(read.log);
  SIGHTGLASS_RETURN_IF_ERROR(capi::require_positive(read.memory_limit, "memory_limit"));
  result.memory_limit = read.memory_limit;
  for (const SightglassInputShape& shape : shapes) {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(shape.input, "SightglassInputShape: input"));
    if (shape.rank < 0 || shape.rank > SIGHTGLASS_MAX_RANK) {
      return invalid_argument("SightglassInputShape: rank is " + std::to_string(shape.rank) + "; give 0 to " +
                              std::to_string(SIGHTGLASS_MAX_RANK));
    }
    const Shape dims(std::span<const int32_t>(shape.dims, static_cast<size_t>(shape.rank)));
    result.input_shapes.push_back({shape.input, dims});
  }
  return result;
}

Status describe(const std::vector<TensorInfo>& tensors, size_t index, const char* kind, SightglassTensorInfo* info) {
  if (index >= tensors.size()) {
    return invalid_argument(std::string(kind) + " " + std::to_string(index) + " does not exist: the model has " +
                            std::to_string(tensors.size()));
  }
  const TensorInfo& tensor = tensors[index];
  SightglassTensorInfo result = SIGHTGLASS_TENSOR_INFO_INIT;
  result.name = tensor.name.c_str();
  result.type = static_cast<SightglassDataType>(tensor.type);
  result.rank = tensor.shape.rank();
  std::ranges::copy(tensor.shape.dims(), result.dims);
  result.bytes = static_cast<size_t>(tensor.shape.elements()) * size_of(tensor.type);
  if (!tensor.quantization.empty()) {
    result.scale = tensor.quantization.scale[0];
    result.zero_point = tensor.quantization.zero_point.empty() ? 0 : tensor.quantization.zero_point[0];
  }
  return capi::write(result, info, "SightglassTensorInfo");
}

bool is_given(const SightglassModel* model) {
  return capi::guard("the model", "be described", [&] { return capi::require(model, "model"); }) == SIGHTGLASS_OK;
}

}  // namespace

SightglassStatus sightglass_model_load_file(const char* path, const SightglassModelOptions* options,
                                            SightglassModel** model) {
  return capi::guard("the model", "be loaded", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(path, "path"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    SIGHTGLASS_ASSIGN_OR_RETURN(const ModelOptions read, read_options(options));
    SIGHTGLASS_ASSIGN_OR_RETURN(auto loaded, Model::load(path, read));
    *model = new SightglassModel{std::move(loaded)};
    return {};
  });
}

SightglassStatus sightglass_model_load_memory(const void* data, size_t bytes, const char* name,
                                              const SightglassModelOptions* options, SightglassModel** model) {
  return capi::guard("the model", "be loaded", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(data, "data"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(name, "name"));
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    SIGHTGLASS_ASSIGN_OR_RETURN(const ModelOptions read, read_options(options));
    const std::span<const std::byte> file(static_cast<const std::byte*>(data), bytes);
    SIGHTGLASS_ASSIGN_OR_RETURN(auto loaded, Model::load(file, name, read));
    *model = new SightglassModel{std::move(loaded)};
    return {};
  });
}

void sightglass_model_release(SightglassModel* model) { delete model; }

size_t sightglass_model_input_count(const SightglassModel* model) {
  return is_given(model) ? model->model->inputs().size() : 0;
}

size_t sightglass_model_output_count(const SightglassModel* model) {
  return is_given(model) ? model->model->outputs().size() : 0;
}

SightglassStatus sightglass_model_input(const SightglassModel* model, size_t input, SightglassTensorInfo* info) {
  return capi::guard("the input", "be described", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    return describe(model->model->inputs(), input, "input", info);
  });
}

SightglassStatus sightglass_model_output(const SightglassModel* model, size_t output, SightglassTensorInfo* info) {
  return capi::guard("the output", "be described", [&]() -> Status {
    SIGHTGLASS_RETURN_IF_ERROR(capi::require(model, "model"));
    return describe(model->model->outputs(), output, "output", info);
  });
}
