// Options of custom operators as a flexbuffer map, verified.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tflite/operator_view.h"

namespace sightglass::tflite {

class FlexOptions {
 public:
  // Fails if the bytes are not a flexbuffer with a map.
  static Result<FlexOptions> open(const OperatorView& view);

  // Fail if the option is missing (and there is no `otherwise`), has another type, or is out of range.
  Result<int32_t> integer(const char* key, std::optional<int32_t> otherwise = std::nullopt) const;
  Result<float> number(const char* key, std::optional<float> otherwise = std::nullopt) const;
  Result<bool> boolean(const char* key, std::optional<bool> otherwise = std::nullopt) const;
  Result<std::string> text(const char* key, const std::string& otherwise) const;
  // Returns at most `most` values.
  Result<std::vector<int32_t>> integers(const char* key, size_t most) const;

 private:
  explicit FlexOptions(const flatbuffers::Vector<uint8_t>* bytes) : bytes_(bytes) {}
  const flatbuffers::Vector<uint8_t>* bytes_;
};

}  // namespace sightglass::tflite
