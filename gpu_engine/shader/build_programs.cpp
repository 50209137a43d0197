#include "gpu_engine/build_programs.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "gpu_engine/device_family.h"
#include "gpu_engine/quoted.h"
#include "sightglass/device.h"
#include "sightglass/program_cache.h"

namespace sightglass {

namespace {

thread_local const std::atomic<bool>* current = nullptr;
thread_local CompileScope* compiling = nullptr;

// One lock per program, for the threads of a share_out().
struct ProgramLocks {
  std::mutex mutex;  // guards the map
  std::map<GLuint, std::mutex> locks;
};
thread_local ProgramLocks* program_locks = nullptr;

}  // namespace

CancellationScope::CancellationScope(const std::atomic<bool>& requested) : outer_(std::exchange(current, &requested)) {}

CancellationScope::~CancellationScope() { current = outer_; }

Status check_cancellation() {
  return current != nullptr && *current ? internal_error("canceled: the result is no longer needed") : Status();
}

CompileScope::CompileScope(std::function<ParallelCalls()> start) : outer_(compiling), start_(std::move(start)) {
  if (outer_ == nullptr) compiling = this;
}

CompileScope::~CompileScope() { compiling = outer_; }

void CompileScope::begin() {
  if (compiling != nullptr) compiling->begun_ = true;
}

bool CompileScope::has_begun() { return compiling != nullptr && compiling->begun_; }

std::vector<size_t> CompileScope::share_out(size_t items, const std::function<void(const NextItem&)>& work) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::vector<size_t> elsewhere;
  const std::thread::id here = std::this_thread::get_id();
  const NextItem take = [&]() -> std::optional<size_t> {
    const size_t item = next++;
    if (item >= items) return std::nullopt;
    if (std::this_thread::get_id() != here) {
      const std::lock_guard lock(mutex);
      elsewhere.push_back(item);
    }
    return item;
  };
  const ParallelCalls calls = items > 1 && has_begun() ? compiling->start_() : ParallelCalls();
  if (!calls) {
    work(take);
    return elsewhere;
  }
  ProgramLocks locks;
  calls([&] {
    struct Scope {
      explicit Scope(ProgramLocks* own) { program_locks = own; }
      ~Scope() { program_locks = nullptr; }
      Scope(const Scope&) = delete;
      Scope& operator=(const Scope&) = delete;
    } const scope(&locks);
    work(take);
  });
  return elsewhere;
}

std::unique_lock<std::mutex> CompileScope::use_alone(GLuint program) {
  if (program_locks == nullptr) return {};
  std::unique_lock lock(program_locks->mutex);
  std::mutex& of_program = program_locks->locks[program];
  lock.unlock();
  return std::unique_lock(of_program);
}

namespace {

std::string name_of(const ProgramKey& key) {
  std::string name;
  for (const ShaderKey& stage : key) name += (name.empty() ? "" : " + ") + stage.name();
  return name;
}

GLenum stage_of(const ShaderKey& key) {
  if (key.shader.ends_with(".vert")) return GL_VERTEX_SHADER;
  return key.shader.ends_with(".frag") ? GL_FRAGMENT_SHADER : GL_COMPUTE_SHADER;
}

// A program being built.
struct Build {
  std::vector<std::string> sources;  // by stage
  std::string cache_key;             // empty without a cache
  std::vector<GlShader> shaders;
  GlProgram program;
  bool cached = false;         // the program came from the cache
  bool linked = false;         // link_in_threads() did it
  std::string why_not_cached;  // for the log; empty without a listener
};

std::string text_of(const GlApi& gl, GLenum name) {
  const auto* text = reinterpret_cast<const char*>(gl.GetString(name));
  return text != nullptr ? text : "";
}

// Inputs of a program other than its source.
std::string device_key(const GlApi& gl) {
  std::string key = "sightglass programs 1\n";
  for (const GLenum name : {GL_VENDOR, GL_RENDERER, GL_VERSION, GL_SHADING_LANGUAGE_VERSION}) {
    key += text_of(gl, name) + "\n";
  }
  return key;
}

// Drivers without a binary format neither provide nor accept binaries.
bool has_binary_formats(const GlApi& gl) {
  GLint formats = 0;
  gl.GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
  return formats > 0;
}

// Such a driver has the code of a program once per context, and gets that of other contexts from its cache on disk.
bool gains_from_threads(const GlApi& gl) {
  return compiles_on_calling_thread(text_of(gl, GL_RENDERER)) && has_binary_formats(gl);
}

void load_cached(const GlApi& gl, ProgramCache& cache, Build& build, bool explain) {
  const std::optional<ProgramCache::Binary> binary =
      cache.find(build.cache_key, explain ? &build.why_not_cached : nullptr);
  if (!binary) return;
  build.program = GlProgram(gl, gl.CreateProgram());
  build.cached = true;
  gl.ProgramBinary(build.program.id(), binary->format, binary->bytes.data(),
                   static_cast<GLsizei>(binary->bytes.size()));
}

// A driver may reject its own binary, for example after an update.
void check_cached(const GlApi& gl, ProgramCache& cache, Build& build) {
  if (!build.cached) return;
  GLint ok = GL_FALSE;
  gl.GetProgramiv(build.program.id(), GL_LINK_STATUS, &ok);
  if (ok == GL_TRUE) return;
  clear_gl_errors(gl);
  cache.remove(build.cache_key);
  build.program.reset();
  build.cached = false;
  build.why_not_cached = "the driver rejects the cached binary, which is deleted";
}

void store(const GlApi& gl, ProgramCache& cache, const std::string& key, const GlProgram& program) {
  GLint length = 0;
  gl.GetProgramiv(program.id(), GL_PROGRAM_BINARY_LENGTH, &length);
  if (length <= 0) return;
  ProgramCache::Binary binary;
  binary.bytes.resize(static_cast<size_t>(length));
  GLsizei written = 0;
  GLenum format = 0;
  gl.GetProgramBinary(program.id(), length, &written, &format, binary.bytes.data());
  if (gl.GetError() != GL_NO_ERROR || written <= 0) return;
  binary.format = format;
  binary.bytes.resize(static_cast<size_t>(written));
  cache.store(key, binary);
}

// Lets drivers with compiler threads use all of them, and restores the number that the owner of the context has set.
class CompilerThreads {
 public:
  explicit CompilerThreads(const GlApi& gl)
      : gl_(gl),
        available_(gl.MaxShaderCompilerThreads != nullptr && (has_extension(gl, "GL_KHR_parallel_shader_compile") ||
                                                              has_extension(gl, "GL_ARB_parallel_shader_compile"))) {
    if (!available_) return;
    gl_.GetIntegerv(GL_MAX_SHADER_COMPILER_THREADS_KHR, &before_);
    gl_.MaxShaderCompilerThreads(kAll);
  }
  ~CompilerThreads() {
    if (available_ && static_cast<GLuint>(before_) != kAll) gl_.MaxShaderCompilerThreads(static_cast<GLuint>(before_));
  }
  CompilerThreads(const CompilerThreads&) = delete;
  CompilerThreads& operator=(const CompilerThreads&) = delete;

  bool available() const { return available_; }

 private:
  static constexpr GLuint kAll = 0xFFFFFFFF;  // as many as the driver has
  const GlApi& gl_;
  const bool available_;
  GLint before_ = 0;
};

void begin_compile(const GlApi& gl, const ProgramKey& key, Build& build) {
  build.shaders.clear();              // of a thread that has failed
  build.shaders.reserve(key.size());  // otherwise an exception would leak a shader
  for (size_t i = 0; i < key.size(); ++i) {
    const char* text = build.sources[i].c_str();
    build.shaders.emplace_back(gl, gl.CreateShader(stage_of(key[i])));
    gl.ShaderSource(build.shaders.back().id(), 1, &text, nullptr);
    gl.CompileShader(build.shaders.back().id());
  }
}

void begin_link(const GlApi& gl, Build& build) {
  build.program = GlProgram(gl, gl.CreateProgram());
  for (const GlShader& shader : build.shaders) gl.AttachShader(build.program.id(), shader.id());
  if (!build.cache_key.empty()) gl.ProgramParameteri(build.program.id(), GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
  gl.LinkProgram(build.program.id());
}

// The driver log up to its terminating zero.
std::string text_of(std::string log) {
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

// Waits for the driver. If a shader does not compile, linking fails.
Status finish_link(const GlApi& gl, const ProgramKey& key, const Build& build) {
  GLint ok = GL_FALSE;
  gl.GetProgramiv(build.program.id(), GL_LINK_STATUS, &ok);
  if (ok == GL_TRUE) {
    for (const GlShader& shader : build.shaders) gl.DetachShader(build.program.id(), shader.id());
    return {};
  }
  GLint length = 0;
  std::string log;
  for (size_t i = 0; i < key.size(); ++i) {
    const GLuint shader = build.shaders[i].id();
    gl.GetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok == GL_TRUE) continue;
    gl.GetShaderiv(shader, GL_INFO_LOG_LENGTH, &length);
    log.resize(static_cast<size_t>(std::max(length, 1)));
    gl.GetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
    return device_error("shader " + key[i].name() + " does not compile on this driver: " + text_of(log));
  }
  gl.GetProgramiv(build.program.id(), GL_INFO_LOG_LENGTH, &length);
  log.resize(static_cast<size_t>(std::max(length, 1)));
  gl.GetProgramInfoLog(build.program.id(), static_cast<GLsizei>(log.size()), nullptr, log.data());
  return device_error("program " + name_of(key) + " does not link on this driver: " + text_of(log));
}

// Links on the threads of the scope. What they do not link is left to this one, as are errors.
void link_in_threads(const GlApi& gl, std::span<const ProgramKey> keys, std::span<const size_t> missing,
                     std::vector<Build>& builds) {
  CompileScope::share_out(missing.size(), [&](const NextItem& next) {
    while (const std::optional<size_t> item = next()) {
      if (!check_cancellation().ok()) continue;  // leaves nothing to the others
      Build& build = builds[missing[*item]];
      begin_compile(gl, keys[missing[*item]], build);
      begin_link(gl, build);
      build.linked = wait_for_gpu(gl).ok();  // for other contexts
    }
  });
}

void log_programs(std::span<const ProgramKey> keys, const std::vector<Build>& builds, const ProgramCache* cache,
                  const std::string& time, const Log& log) {
  if (!log.wants(LogLevel::kDebug)) return;
  for (size_t i = 0; i < keys.size(); ++i) {
    log.debug([&] {
      const std::string name = "program " + name_of(keys[i]) + ": ";
      return name + (builds[i].cached ? "from the cache" : "compiled; " + builds[i].why_not_cached);
    });
  }
  log.debug([&] {
    const auto cached = static_cast<size_t>(std::ranges::count(builds, true, &Build::cached));
    return std::to_string(keys.size() - cached) + " shader programs compiled and " + std::to_string(cached) +
           " loaded from the cache in " + time + (cache != nullptr ? "; the cache is " + cache->folder() : "");
  });
}

}  // namespace

Result<std::vector<GlProgram>> build_programs(const GlApi& gl, std::span<const ProgramKey> keys,
                                              const ShaderSources& sources, ProgramCache* cache, const Log& log) try {
  const Stopwatch time;
  const bool explain = log.wants(LogLevel::kDebug);
  std::vector<Build> builds(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    for (const ShaderKey& stage : keys[i]) {
      SIGHTGLASS_ASSIGN_OR_RETURN(std::string source, assemble_shader(stage, sources));
      builds[i].sources.push_back(std::move(source));
    }
  }
  clear_gl_errors(gl);
  const char* no_cache = cache == nullptr ? "there is no cache" : "the driver has no format for program binaries";
  if (cache != nullptr && !has_binary_formats(gl)) cache = nullptr;
  if (cache != nullptr) {
    const std::string device = device_key(gl);
    for (size_t i = 0; i < keys.size(); ++i) {
      builds[i].cache_key = device;
      for (size_t stage = 0; stage < keys[i].size(); ++stage) {
        builds[i].cache_key += "stage " + std::to_string(stage_of(keys[i][stage])) + "\n" + builds[i].sources[stage];
      }
      load_cached(gl, *cache, builds[i], explain);
    }
    for (Build& build : builds) check_cached(gl, *cache, build);
  } else if (explain) {
    for (Build& build : builds) build.why_not_cached = no_cache;
  }
  std::vector<size_t> missing;
  for (size_t i = 0; i < builds.size(); ++i) {
    if (!builds[i].cached) missing.push_back(i);
  }
  std::optional<CompilerThreads> threads;
  if (!missing.empty()) threads.emplace(gl);
  if (!missing.empty() && gains_from_threads(gl)) CompileScope::begin();
  const bool shared_out = !missing.empty() && CompileScope::has_begun();
  if (shared_out) {
    link_in_threads(gl, keys, missing, builds);
    std::erase_if(missing, [&](size_t i) { return builds[i].linked; });
  }
  for (const size_t i : missing) {
    SIGHTGLASS_RETURN_IF_ERROR(check_cancellation());
    begin_compile(gl, keys[i], builds[i]);
  }
  for (const size_t i : missing) {
    SIGHTGLASS_RETURN_IF_ERROR(check_cancellation());
    begin_link(gl, builds[i]);
  }
  std::vector<GlProgram> programs;
  for (size_t i = 0; i < keys.size(); ++i) {
    Build& build = builds[i];
    if (!build.cached) {
      SIGHTGLASS_RETURN_IF_ERROR(check_cancellation());
      SIGHTGLASS_RETURN_IF_ERROR(finish_link(gl, keys[i], build));
      if (cache != nullptr) store(gl, *cache, build.cache_key, build.program);
    }
    programs.push_back(std::move(build.program));
  }
  const char* where = shared_out ? ", in threads" : threads && threads->available() ? ", in threads of the driver" : "";
  log_programs(keys, builds, cache, time.text() + where, log);
  return programs;
} catch (...) {
  return status_of_exception("programs", "build them");
}

Result<GlProgram> build_program(const GlApi& gl, const ProgramKey& key, const ShaderSources& sources,
                                ProgramCache* cache) try {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<GlProgram> programs, build_programs(gl, {&key, 1}, sources, cache));
  return std::move(programs[0]);
} catch (...) {
  return status_of_exception("a program", "build it");
}

}  // namespace sightglass
