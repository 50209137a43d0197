// Compiles shaders into programs.
#pragma once

#include <atomic>
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

// Ends the preparation of a model early, when another thread requests it: shader compilers can take many seconds.
// While it exists, sessions and programs that this thread creates look at `requested`, and fail once it is true. Their
// GL objects are released as after any failure. Scopes of one thread can be nested; the inner one counts.
class CancellationScope {
 public:
  explicit CancellationScope(const std::atomic<bool>& requested);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

// Fails if the scope of this thread requests it. Call it before each program is compiled or first used.
Status check_cancellation();

}  // namespace sightglass
