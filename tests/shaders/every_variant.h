// All shaders of the engine and of the elements, in every combination of defines that they may request.
#pragma once

#include <vector>

#include "sightglass/shader_source.h"

namespace sightglass::test {

std::vector<ShaderKey> every_variant();
// All programs of the elements.
std::vector<ProgramKey> element_programs();
// The sources that they are assembled from.
ShaderSources every_source();

}  // namespace sightglass::test
