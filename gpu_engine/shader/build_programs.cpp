#include "gpu_engine/build_programs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gpu_engine/quoted.h"
#include "sightglass/device.h"
#include "sightglass/program_cache.h"

namespace sightglass {

namespace {

thread_local const std::atomic<bool>* current = nullptr;

}  // namespace

CancellationScope::CancellationScope(const std::atomic<bool>& requested) : outer_(std::exchange(current, &requested)) {}

CancellationScope::~CancellationScope() { current = outer_; }

Status check_cancellation() {
  return current != nullptr && *current ? internal_error("canceled: the result is no longer needed") : Status();
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
  std::string why_not_cached;  // for the log; empty without a listener
};

// Inputs of a program other than its source.
std::string device_key(const GlApi& gl) {
  std::string key = "sightglass programs 1\n";
  for (const GLenum name : {GL_VENDOR, GL_RENDERER, GL_VERSION, GL_SHADING_LANGUAGE_VERSION}) {
    const auto* text = reinterpret_cast<const char*>(gl.GetString(name));
    key += std::string(text != nullptr ? text : "") + "\n";
  }
  return key;
}

// Drivers without a binary format neither provide nor accept binaries.
bool has_binary_formats(const GlApi& gl) {
  GLint formats = 0;
  gl.GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
  return formats > 0;
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
  std::optional<CompilerThreads> threads;
  if (!std::ranges::all_of(builds, &Build::cached)) threads.emplace(gl);
  for (size_t i = 0; i < keys.size(); ++i) {
    SIGHTGLASS_RETURN_IF_ERROR(check_cancellation());
    if (!builds[i].cached) begin_compile(gl, keys[i], builds[i]);
  }
  for (Build& build : builds) {
    SIGHTGLASS_RETURN_IF_ERROR(check_cancellation());
    if (!build.cached) begin_link(gl, build);
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
  const bool in_threads = threads && threads->available();
  log_programs(keys, builds, cache, time.text() + (in_threads ? ", in threads of the driver" : ""), log);
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
