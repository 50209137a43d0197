// One operator of a file as its decoder sees it: indices checked, every input available.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu_engine/status.h"
#include "tflite/tensor_table.h"

namespace sightglass::tflite {

class OperatorView {
 public:
  OperatorView(const schema::Operator& op, const std::vector<FileTensor>& tensors, std::vector<int32_t> inputs,
               std::vector<int32_t> outputs)
      : op_(op), tensors_(tensors), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  // Tensor indices; -1 where an optional input is absent.
  const std::vector<int32_t>& inputs() const { return inputs_; }
  const std::vector<int32_t>& outputs() const { return outputs_; }
  bool has(size_t input) const { return input < inputs_.size() && inputs_[input] >= 0; }
  // The caller has made sure that has(i).
  const FileTensor& input(size_t i) const { return tensors_[static_cast<size_t>(inputs_[i])]; }
  const Shape& shape(size_t i) const { return input(i).shape; }

  // The numbers of a parameter tensor: constant, of int32 or int64, of at most `most` elements. `what` names it for
  // people: "paddings".
  Result<std::vector<int64_t>> integers(size_t i, const char* what, size_t most) const;
  // The number in a constant float32 tensor of one element.
  Result<float> number(size_t i, const char* what) const;

  // The operator's option table: null when the file has none; fails when it has that of another operator.
  template <typename T>
  Result<const T*> options() const {
    constexpr schema::BuiltinOptions kExpected = schema::BuiltinOptionsTraits<T>::enum_value;
    const schema::BuiltinOptions found = op_.builtin_options_type();
    if (found == schema::BuiltinOptions::NONE) return static_cast<const T*>(nullptr);
    if (found != kExpected) return wrong_options(found, kExpected);
    return op_.builtin_options_as<T>();
  }
  // The same where there is no sensible default.
  template <typename T>
  Result<const T*> required_options() const {
    SG_ASSIGN_OR_RETURN(const T* table, options<T>());
    if (table == nullptr) return missing_options(schema::BuiltinOptionsTraits<T>::enum_value);
    return table;
  }

  std::vector<uint8_t> custom_options() const;

 private:
  static Status wrong_options(schema::BuiltinOptions found, schema::BuiltinOptions expected);
  static Status missing_options(schema::BuiltinOptions expected);
  Status need_constant(size_t i, const char* what) const;

  const schema::Operator& op_;
  const std::vector<FileTensor>& tensors_;
  std::vector<int32_t> inputs_, outputs_;
};

}  // namespace sightglass::tflite
