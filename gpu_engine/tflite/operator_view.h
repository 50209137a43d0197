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
  // `inputs` are null where an optional input is absent.
  OperatorView(const schema::Operator& op, std::vector<const FileTensor*> inputs,
               std::vector<const FileTensor*> intermediates = {}, int32_t version = 1)
      : op_(op), inputs_(std::move(inputs)), intermediates_(std::move(intermediates)), version_(version) {}

  int32_t version() const { return version_; }
  size_t input_count() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  // The caller has made sure that has(i).
  const FileTensor& input(size_t i) const { return *inputs_[i]; }
  const Shape& shape(size_t i) const { return input(i).shape; }
  // Tensors that only tell how numbers within the operator are quantised; any may be null.
  const std::vector<const FileTensor*>& intermediates() const { return intermediates_; }
  size_t output_count() const { return op_.outputs() == nullptr ? 0 : op_.outputs()->size(); }

  // The numbers of a parameter tensor: constant, of int32 or int64, at most `most`. `what` names it for people.
  Result<std::vector<int64_t>> integers(size_t i, const char* what, size_t most) const;
  // The same as floating-point numbers, of any type that holds real or whole ones.
  Result<std::vector<double>> numbers(size_t i, const char* what, size_t most) const;
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

  const flatbuffers::Vector<uint8_t>* custom_options() const {
    return op_.custom_options();
  }  // null when there are none

 private:
  static Status wrong_options(schema::BuiltinOptions found, schema::BuiltinOptions expected);
  static Status missing_options(schema::BuiltinOptions expected);
  Status need_constant(size_t i, const char* what) const;

  const schema::Operator& op_;
  std::vector<const FileTensor*> inputs_, intermediates_;
  int32_t version_;
};

}  // namespace sightglass::tflite
