// All shaders of the engine and of the elements, in every combination of defines that they may request.
#pragma once

#include <vector>

#include "sightglass/shader_source.h"

namespace sightglass::test {

std::vector<ShaderKey> every_variant();
// As few of these variants as a greedy choice finds, such that every two defines of a shader that are in one of the
// variants, or of which one is and the other is not, are so in one that is returned.
std::vector<ShaderKey> with_every_pair(const std::vector<ShaderKey>& variants);
// All programs of the elements.
std::vector<ProgramKey> element_programs();
// The sources that they are assembled from.
ShaderSources every_source();

}  // namespace sightglass::test
