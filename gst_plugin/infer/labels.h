// Files of labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu_engine/status.h"

namespace sightglass {

// One label a line, of UTF-8, without the spaces around it; of lines "number label" or "number: label" with numbers
// from 0 on, the label; empty lines at the end are none. Fails, naming the file, where it cannot be read or has no
// text.
Result<std::vector<std::string>> load_labels(const std::string& path);
// The same of a file's contents.
Result<std::vector<std::string>> parse_labels(std::string_view text);

// Of a list that is separated by commas, as catalogs have it; labels may be empty.
std::vector<std::string> split_labels(std::string_view list);

}  // namespace sightglass
