// Options of custom operators as a flexbuffer map, verified.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tflite/operator_view.h"

namespace sightglass::tflite {

class FlexOptions {
 public:
  // Fails when the bytes are no flexbuffer that holds a map.
  static Result<FlexOptions> open(const OperatorView& view);

  // Fail when there is no such option (and no `otherwise`), or it is of another type or out of range.
  Result<int32_t> integer(const char* key, std::optional<int32_t> otherwise = std::nullopt) const;
  Result<float> number(const char* key, std::optional<float> otherwise = std::nullopt) const;
  Result<bool> boolean(const char* key, std::optional<bool> otherwise = std::nullopt) const;
  Result<std::string> text(const char* key, const std::string& otherwise) const;
  // At most `most` of them.
  Result<std::vector<int32_t>> integers(const char* key, size_t most) const;

 private:
  explicit FlexOptions(const flatbuffers::Vector<uint8_t>* bytes) : bytes_(bytes) {}
  const flatbuffers::Vector<uint8_t>* bytes_;
};

}  // namespace sightglass::tflite
