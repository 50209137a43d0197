// Every shader of the engine and of the elements, in every combination of defines that they may ask for.
#pragma once

#include <vector>

#include "gpu_engine/shader_source.h"

namespace sightglass::test {

std::vector<ShaderKey> every_variant();
// What they are assembled from.
ShaderSources every_source();

}  // namespace sightglass::test
