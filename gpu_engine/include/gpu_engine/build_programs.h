// Compiles shaders into programs.
#pragma once

#include <span>
#include <vector>

#include "sightglass/gl_objects.h"
#include "sightglass/log.h"
#include "sightglass/shader_source.h"
#include "sightglass/status.h"

namespace sightglass {

class ProgramCache;

// Assemble, compile and link. Errors name the shader and contain the driver log. The driver gets all programs before
// the first is queried, so drivers with compiler threads compile them in parallel. `cache`, if given, is tried first,
// and stores newly compiled programs. `log` reports the origin of each program.
Result<std::vector<GlProgram>> build_programs(const GlApi& gl, std::span<const ProgramKey> keys,
                                              const ShaderSources& sources, ProgramCache* cache = nullptr,
                                              const Log& log = {});
Result<GlProgram> build_program(const GlApi& gl, const ProgramKey& key, const ShaderSources& sources,
                                ProgramCache* cache = nullptr);

}  // namespace sightglass
