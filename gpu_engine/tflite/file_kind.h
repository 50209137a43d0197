// Files that are given for models by mistake, known by how they begin.
#pragma once

#include <string_view>

namespace sightglass::tflite {

// "a JPEG image", with what helps where something does; null for what is not known.
const char* file_kind(std::string_view bytes);

}  // namespace sightglass::tflite
