// Label files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

// Loads one UTF-8 label per line without surrounding spaces. If all lines are "number label" or "number: label" with
// numbers from 0, drops the numbers. Ignores empty lines at the end. Fails, naming the file, if it cannot be read or is
// not text.
Result<std::vector<std::string>> load_labels(const std::string& path);
// The same from the content of a file.
Result<std::vector<std::string>> parse_labels(std::string_view text);

// Splits a comma-separated list, as in catalogs; labels may be empty.
std::vector<std::string> split_labels(std::string_view list);

}  // namespace sightglass
