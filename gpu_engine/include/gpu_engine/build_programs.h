// Compiles shaders into programs.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/gl_objects.h"
#include "sightglass/log.h"
#include "sightglass/shader_source.h"
#include "sightglass/status.h"

namespace sightglass {

class ProgramCache;

// Assemble, compile and link. Errors name the shader and contain the driver log. The driver gets all programs before
// the first is queried, so drivers with compiler threads compile them in parallel; for others, see CompileScope.
// `cache`, if given, is tried first, and stores newly compiled programs. `log` reports the origin of each program.
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

// Calls a function on the calling thread and on others at the same time, each with a context of one share group, and
// returns when all calls have.
using ParallelCalls = std::function<void(const std::function<void()>&)>;
// The next item of CompileScope::share_out(); none at the end.
using NextItem = std::function<std::optional<size_t>()>;

// Compiles on several threads. Many drivers compile on the thread that asks for it, some of them only when a program is
// first used. While a scope exists, programs that this thread builds or uses for the first time are shared out, unless
// all of them are cached or the driver has compiler threads. Scopes of one thread can be nested; the outer one counts.
class CompileScope {
 public:
  // `start` starts the threads of one share_out(); they end with what it returns. Empty: there can be none.
  explicit CompileScope(std::function<ParallelCalls()> start);
  ~CompileScope();
  CompileScope(const CompileScope&) = delete;
  CompileScope& operator=(const CompileScope&) = delete;

  // From now on, the scope of this thread, if there is one, shares out: a program was not in the cache.
  static void begin();
  // Whether it does. What was sent to GL must then be complete before share_out().
  static bool has_begun();
  // Calls `work` on this thread, and on those of its scope if that has begun. They take `items` one after the other.
  // Returns the items that other threads have taken. Such a thread may have failed: check them. Programs that several
  // threads use must outlive this call: otherwise they refer to contexts that are gone (Mesa 22.3).
  static std::vector<size_t> share_out(size_t items, const std::function<void(const NextItem&)>& work);
  // To be held while `work` draws or dispatches with a program: its first use by two contexts at once is a race in Mesa
  // 22.3. Empty outside of share_out().
  static std::unique_lock<std::mutex> use_alone(GLuint program);

 private:
  CompileScope* outer_;
  std::function<ParallelCalls()> start_;
  bool begun_ = false;
};

// Fails if the scope of this thread requests it. Call it before each program is compiled or first used.
Status check_cancellation();

}  // namespace sightglass
