// Shaders as programs.
#pragma once

#include <span>
#include <vector>

#include "gpu_engine/gl_objects.h"
#include "gpu_engine/log.h"
#include "gpu_engine/shader_source.h"
#include "gpu_engine/status.h"

namespace sightglass {

class ProgramCache;

// Assemble, compile and link; errors carry the shader's name and the driver's log. All programs are given to the driver
// before the first is asked about, so that drivers which compile in threads of their own work on them at the same time.
// Where there is a cache, it is asked first, and gets what was compiled. `log` reports where each program comes from.
Result<std::vector<GlProgram>> build_programs(const GlApi& gl, std::span<const ProgramKey> keys,
                                              const ShaderSources& sources, ProgramCache* cache = nullptr,
                                              const Log& log = {});
Result<GlProgram> build_program(const GlApi& gl, const ProgramKey& key, const ShaderSources& sources,
                                ProgramCache* cache = nullptr);

}  // namespace sightglass
