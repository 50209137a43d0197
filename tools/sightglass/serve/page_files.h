// The files of the page, embedded in the program.
#pragma once

#include <string_view>

namespace sightglass::serve {

// Empty if there is no such file.
std::string_view page_file(std::string_view name);

}  // namespace sightglass::serve
