// One operator of a file as seen by its decoder: indices checked, all inputs available.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/status.h"
#include "tflite/tensor_table.h"

namespace sightglass::tflite {

class OperatorView {
 public:
  // `inputs` are null for absent optional inputs.
  OperatorView(const schema::Operator& op, std::vector<const FileTensor*> inputs,
               std::vector<const FileTensor*> intermediates = {}, int32_t version = 1,
               std::vector<const FileTensor*> outputs = {})
      : op_(op),
        inputs_(std::move(inputs)),
        intermediates_(std::move(intermediates)),
        outputs_(std::move(outputs)),
        version_(version) {}

  int32_t version() const { return version_; }
  size_t input_count() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  // Requires has(i).
  const FileTensor& input(size_t i) const { return *inputs_[i]; }
  const Shape& shape(size_t i) const { return input(i).shape; }
  // Tensors that only contain the quantization of values within the operator; any may be null.
  const std::vector<const FileTensor*>& intermediates() const { return intermediates_; }
  const FileTensor& output(size_t i) const { return *outputs_[i]; }
  size_t output_count() const { return op_.outputs() == nullptr ? 0 : op_.outputs()->size(); }

  // The values of a parameter tensor: constant, int32 or int64, at most `most`. `what` is its name in messages.
  Result<std::vector<int64_t>> integers(size_t i, const char* what, size_t most) const;
  // The same as floating-point values, from any float or integer type.
  Result<std::vector<double>> numbers(size_t i, const char* what, size_t most) const;
  // The value of a constant tensor of one element: float32, or quantized, in steps from its zero point.
  Result<float> number(size_t i, const char* what) const;

  // The option table of the operator: null if the file has none. Fails if it belongs to another operator.
  template <typename T>
  Result<const T*> options() const {
    constexpr schema::BuiltinOptions kExpected = schema::BuiltinOptionsTraits<T>::enum_value;
    const schema::BuiltinOptions found = op_.builtin_options_type();
    if (found == schema::BuiltinOptions::NONE) return static_cast<const T*>(nullptr);
    if (found != kExpected) return wrong_options(found, kExpected);
    return op_.builtin_options_as<T>();
  }
  // The same without a sensible default.
  template <typename T>
  Result<const T*> required_options() const {
    SIGHTGLASS_ASSIGN_OR_RETURN(const T* table, options<T>());
    if (table == nullptr) return missing_options(schema::BuiltinOptionsTraits<T>::enum_value);
    return table;
  }

  // The options of a composite operator, which are in a second place. Null if absent.
  const schema::StableHLOCompositeOptions* composite_options() const {
    return op_.builtin_options_2_as_StableHLOCompositeOptions();
  }
  const flatbuffers::Vector<uint8_t>* custom_options() const { return op_.custom_options(); }  // null if absent

 private:
  static Status wrong_options(schema::BuiltinOptions found, schema::BuiltinOptions expected);
  static Status missing_options(schema::BuiltinOptions expected);
  Status need_constant(size_t i, const char* what) const;

  const schema::Operator& op_;
  std::vector<const FileTensor*> inputs_, intermediates_, outputs_;
  int32_t version_;
};

}  // namespace sightglass::tflite
