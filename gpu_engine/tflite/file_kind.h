// Recognizes files mistaken for models by their first bytes.
#pragma once

#include <string_view>

namespace sightglass::tflite {

// "a JPEG image", with a fix if there is one; null if unknown.
const char* file_kind(std::string_view bytes);

}  // namespace sightglass::tflite
