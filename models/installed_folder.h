// Files that are installed with the library or program that contains this code.
#pragma once

#include <string>

namespace sightglass {

// share/sightglass/NAME in the nearest directory above that library or program that has it, so that build directories
// and installed trees are relocatable; empty if not found.
std::string installed_folder(const char* name);

}  // namespace sightglass
