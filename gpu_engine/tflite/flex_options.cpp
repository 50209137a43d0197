#include "tflite/flex_options.h"

#include <flatbuffers/flexbuffers.h>

#include <cmath>

namespace sightglass::tflite {
namespace {

flexbuffers::Reference find(const flatbuffers::Vector<uint8_t>& bytes, const char* key) {
  return flexbuffers::GetRoot(bytes.data(), bytes.size()).AsMap()[key];
}

std::string named(const char* key) { return std::string("its option '") + key + "'"; }

Result<int32_t> narrow(int64_t number, const char* key) {
  if (number >= INT32_MIN && number <= INT32_MAX) return static_cast<int32_t>(number);
  return invalid_model(named(key) + " is " + std::to_string(number));
}

template <typename List>
Result<std::vector<int32_t>> read_list(const List& list, const char* key, size_t most) {
  if (list.size() > most) return invalid_model(named(key) + " has " + std::to_string(list.size()) + " numbers");
  std::vector<int32_t> numbers;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].IsIntOrUint()) return invalid_model(named(key) + " contains a value that is not an integer");
    SIGHTGLASS_ASSIGN_OR_RETURN(const int32_t number, narrow(list[i].AsInt64(), key));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Result<FlexOptions> FlexOptions::open(const OperatorView& view) {
  const auto* bytes = view.custom_options();
  if (bytes == nullptr || bytes->size() == 0) return invalid_model("it has no options");
  std::vector<uint8_t> seen;
  if (!flexbuffers::VerifyBuffer(bytes->data(), bytes->size(), &seen)) {
    return invalid_model("its options are damaged: not a flexbuffer");
  }
  if (!flexbuffers::GetRoot(bytes->data(), bytes->size()).IsMap()) return invalid_model("its options are not a map");
  return FlexOptions(bytes);
}

Result<int32_t> FlexOptions::integer(const char* key, std::optional<int32_t> otherwise) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsNull() && otherwise) return *otherwise;
  if (!found.IsIntOrUint()) return invalid_model(named(key) + " is missing, or no integer");
  return narrow(found.AsInt64(), key);
}

Result<float> FlexOptions::number(const char* key, std::optional<float> otherwise) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsNull() && otherwise) return *otherwise;
  if (!found.IsNumeric()) return invalid_model(named(key) + " is missing, or not a number");
  const auto number = static_cast<float>(found.AsDouble());
  if (!std::isfinite(number)) return invalid_model(named(key) + " is not finite");
  return number;
}

Result<bool> FlexOptions::boolean(const char* key, std::optional<bool> otherwise) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsNull() && otherwise) return *otherwise;
  if (!found.IsBool() && !found.IsIntOrUint()) return invalid_model(named(key) + " is missing, or not a boolean");
  return found.AsBool();
}

Result<std::string> FlexOptions::text(const char* key, const std::string& otherwise) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsNull()) return otherwise;
  if (!found.IsString()) return invalid_model(named(key) + " is not text");
  return found.AsString().str();
}

Result<std::vector<int32_t>> FlexOptions::integers(const char* key, size_t most) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsFixedTypedVector()) return read_list(found.AsFixedTypedVector(), key, most);
  if (found.IsTypedVector()) return read_list(found.AsTypedVector(), key, most);
  if (found.IsUntypedVector()) return read_list(found.AsVector(), key, most);
  return invalid_model(named(key) + " is missing, or no list");
}

}  // namespace sightglass::tflite
