// Shaders as programs.
#pragma once

#include "gpu_engine/gl_objects.h"
#include "gpu_engine/shader_source.h"
#include "gpu_engine/status.h"

namespace sightglass {

// Compile and link; errors carry the shader's name and the driver's log.
Result<GlProgram> build_compute_program(const GlApi& gl, const ShaderKey& compute);
Result<GlProgram> build_render_program(const GlApi& gl, const ShaderKey& vertex, const ShaderKey& fragment);

}  // namespace sightglass
