#include "tflite/operator_view.h"

#include <cstring>

#include "graph/quantized.h"

namespace sightglass::tflite {
namespace {

std::string options_name(schema::BuiltinOptions type) {
  const char* name = schema::EnumNameBuiltinOptions(type);
  return *name == '\0' ? "options of kind " + std::to_string(static_cast<int>(type)) : name;
}

template <typename T, typename Wide = int64_t>
std::vector<Wide> widen(std::span<const std::byte> bytes) {
  std::vector<Wide> numbers(bytes.size() / sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    T number;
    std::memcpy(&number, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = static_cast<Wide>(number);
  }
  return numbers;
}

}  // namespace

Status OperatorView::need_constant(size_t i, const char* what) const {
  if (!has(i)) return invalid_model(std::string("it has no ") + what);
  if (input(i).constant) return {};
  return unsupported(std::string("its ") + what + " " + input(i).describe() +
                     " are computed while the model runs; convert the model so that they are constant");
}

Result<std::vector<int64_t>> OperatorView::integers(size_t i, const char* what, size_t most) const {
  SIGHTGLASS_RETURN_IF_ERROR(need_constant(i, what));
  const FileTensor& tensor = input(i);
  const Constant& constant = *tensor.constant;
  if (constant.type != DataType::kInt32 && constant.type != DataType::kInt64) {
    return invalid_model(std::string("its ") + what + " " + tensor.describe() + " are " + to_string(constant.type) +
                         ", not int32 or int64");
  }
  if (tensor.shape.elements() > static_cast<int64_t>(most)) {
    return invalid_model(std::string("its ") + what + " " + tensor.describe() + " of shape " +
                         tensor.shape.to_string() + " are more than " + std::to_string(most));
  }
  return constant.type == DataType::kInt32 ? widen<int32_t>(constant.bytes) : widen<int64_t>(constant.bytes);
}

Result<std::vector<double>> OperatorView::numbers(size_t i, const char* what, size_t most) const {
  SIGHTGLASS_RETURN_IF_ERROR(need_constant(i, what));
  if (input(i).constant->type == DataType::kFloat32 && input(i).shape.elements() <= static_cast<int64_t>(most)) {
    return widen<float, double>(input(i).constant->bytes);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int64_t> whole, integers(i, what, most));
  return std::vector<double>(whole.begin(), whole.end());
}

Result<float> OperatorView::number(size_t i, const char* what) const {
  SIGHTGLASS_RETURN_IF_ERROR(need_constant(i, what));
  const FileTensor& tensor = input(i);
  const Constant& constant = *tensor.constant;
  Value value;
  value.type = constant.type;
  value.quantization = tensor.quantization;
  const bool quantized = is_quantized(value);
  if ((constant.type != DataType::kFloat32 && !quantized) || constant.bytes.size() != size_of(constant.type)) {
    return invalid_model(std::string("its ") + what + " " + tensor.describe() +
                         " are not one float32 or quantized number, but " + to_string(constant.type) + " of shape " +
                         tensor.shape.to_string());
  }
  if (!quantized) return widen<float, float>(constant.bytes)[0];
  return steps_from_zero(value, constant.type, constant.bytes)[0];
}

Status OperatorView::wrong_options(schema::BuiltinOptions found, schema::BuiltinOptions expected) {
  return invalid_model("it has " + options_name(found) + " instead of " + options_name(expected));
}

Status OperatorView::missing_options(schema::BuiltinOptions expected) {
  return invalid_model("it has no " + options_name(expected));
}

}  // namespace sightglass::tflite
