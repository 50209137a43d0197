#include "sightglass/gl_objects.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gpu_engine/allocation_scope.h"
#include "gpu_engine/quoted.h"
#include "sightglass/device.h"
#include "sightglass/frame_ref.h"
#include "sightglass/gl_api.h"

namespace sightglass {

Result<GlApi> GlApi::load(const GetProcAddress& get_proc_address) try {
  GlApi api;
  std::string missing;
  // Code that each of the functions below would repeat.
  const auto find = [&](const char* name) {
    void* const function = get_proc_address(name);
    if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
    return function;
  };
  const auto find_optional = [&](const std::string& name) {
    void* function = nullptr;
    for (const char* suffix : {"", "KHR", "EXT", "OES", "ARB"}) {
      if (function == nullptr) function = get_proc_address((name + suffix).c_str());
    }
    return function;
  };
#define SIGHTGLASS_GL_LOAD(name) api.name = reinterpret_cast<decltype(api.name)>(find("gl" #name));
  SIGHTGLASS_GL_FUNCTIONS(SIGHTGLASS_GL_LOAD)
#undef SIGHTGLASS_GL_LOAD
#define SIGHTGLASS_GL_LOAD(name, type) api.name = reinterpret_cast<decltype(api.name)>(find_optional("gl" #name));
  SIGHTGLASS_GL_OPTIONAL_FUNCTIONS(SIGHTGLASS_GL_LOAD)
#undef SIGHTGLASS_GL_LOAD
  if (!missing.empty()) {
    return unsupported("the GL library lacks " + missing + "; use one for OpenGL ES 3.1 or desktop OpenGL 4.5");
  }
  return api;
} catch (...) {
  return status_of_exception("the GL library", "load it");
}

GlTexture make_texture(const GlApi& gl, GLenum internal_format, GLsizei width, GLsizei height, GLsizei levels) {
  GLuint id = 0;
  gl.GenTextures(1, &id);
  gl.BindTexture(GL_TEXTURE_2D, id);
  gl.TexStorage2D(GL_TEXTURE_2D, levels, internal_format, width, height);
  gl.BindTexture(GL_TEXTURE_2D, 0);
  return {gl, id};
}

GlSampler make_sampler(const GlApi& gl, GLenum filter) {
  GLuint id = 0;
  gl.GenSamplers(1, &id);
  gl.SamplerParameteri(id, GL_TEXTURE_MIN_FILTER, static_cast<GLint>(filter));
  gl.SamplerParameteri(id, GL_TEXTURE_MAG_FILTER, static_cast<GLint>(filter));
  gl.SamplerParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl.SamplerParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  if (has_extension(gl, "GL_EXT_texture_sRGB_decode")) {
    gl.SamplerParameteri(id, GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT);
  }
  return {gl, id};
}

// A lost context may report errors forever, so no loop relies on an empty queue.
constexpr int kMaxErrors = 32;

void clear_gl_errors(const GlApi& gl) {
  for (int i = 0; i < kMaxErrors; ++i) {
    const GLenum error = gl.GetError();
    if (error == GL_NO_ERROR) return;
    AllocationScope::note_discarded(error);
  }
}

namespace {

const char* error_name(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
      return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
      return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
      return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST:
      return "GL_CONTEXT_LOST";
    default:
      return "an unknown GL error";
  }
}

}  // namespace

Status check_gl(const GlApi& gl, const char* what) try {
  const GLenum error = gl.GetError();
  if (error == GL_NO_ERROR) return {};
  clear_gl_errors(gl);
  // Commands fail that use what was not allocated.
  const GLenum cause = AllocationScope::has_failed() ? GL_OUT_OF_MEMORY : error;
  const std::string message = std::string(what) + ": the GL driver reported " + error_name(cause);
  return cause == GL_OUT_OF_MEMORY ? resource_exhausted(message) : device_error(message);
} catch (...) {
  return status_of_exception("GL", "report an error");
}

Status check_framebuffer(const GlApi& gl, const char* what) try {
  const GLenum completeness = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  if (completeness == GL_FRAMEBUFFER_COMPLETE) return {};
  const std::string task = std::string("cannot draw into ") + what;
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, task.c_str()));
  // The error of an allocation of other code is lost by now.
  if (completeness == GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT) {
    return resource_exhausted(
        task + ": a texture has no memory, as after GL_OUT_OF_MEMORY, or the driver cannot draw into its format");
  }
  return device_error(task + ": framebuffer status " + std::to_string(completeness));
} catch (...) {
  return status_of_exception("a framebuffer", "check it");
}

Status wait_for_gpu(const GlApi& gl) try {
  constexpr GLuint64 kSecond = 1'000'000'000;
  constexpr int kPatience = 120;  // seconds; software renderers are slow
  const GLsync fence = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  GLenum state = GL_TIMEOUT_EXPIRED;
  for (int i = 0; i < kPatience && state == GL_TIMEOUT_EXPIRED; ++i) {
    state = gl.ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond);
  }
  gl.DeleteSync(fence);
  if (state == GL_TIMEOUT_EXPIRED) return device_error("the GPU did not finish within two minutes");
  if (state == GL_WAIT_FAILED) SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "waiting for the GPU"));
  if (state == GL_WAIT_FAILED) return device_error("cannot wait for the GPU: glClientWaitSync failed");
  return {};
} catch (...) {
  return status_of_exception("the GPU", "wait for it");
}

namespace {

GLenum target_of(FrameKind kind) { return kind == FrameKind::kExternal ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D; }

// Last plane first, so that unit 0 stays active.
template <typename F>
void for_each_unit(const GlApi& gl, FrameKind kind, F bind) {
  for (size_t i = static_cast<size_t>(planes_of(kind)); i-- > 0;) {
    gl.ActiveTexture(GL_TEXTURE0 + kFrameUnits[i]);
    bind(i);
  }
}

// Centers of the outermost samples within the given borders: each half a sample inside. `size` is that of the plane, 0
// if unknown.
std::array<float, 4> outermost(const std::array<float, 4>& borders, const std::array<int32_t, 2>& size) {
  std::array<float, 4> centers = borders;
  for (size_t axis = 0; axis < 2; ++axis) {
    const float middle = 0.5F * (borders[axis] + borders[axis + 2]);
    const float half = size[axis] > 0 ? 0.5F / static_cast<float>(size[axis]) : 0;
    centers[axis] = std::min(borders[axis] + half, middle);
    centers[axis + 2] = std::max(borders[axis + 2] - half, middle);
  }
  return centers;
}

// Borders of the chroma samples that cover at least one visible pixel.
std::array<float, 4> visible_chroma(const FrameRef& frame) {
  std::array<float, 4> borders{0, 0, 1, 1};
  constexpr float kRounding = 1e-3F;
  for (size_t axis = 0; axis < 2; ++axis) {
    const auto samples = static_cast<float>(frame.chroma_size[axis]);
    if (samples <= 0) continue;
    const float scale = frame.chroma[axis] * samples;
    borders[axis] = std::floor(frame.visible[axis] * scale + kRounding) / samples;
    borders[axis + 2] = std::ceil(frame.visible[axis + 2] * scale - kRounding) / samples;
  }
  return borders;
}

}  // namespace

FrameBlock frame_block(const FrameRef& frame, const InputTransform& reader_to_frame) {
  const auto& m = reader_to_frame.m;
  const auto columns = static_cast<float>(frame.width), rows = static_cast<float>(frame.height);
  return {{m[0], m[1], m[2], columns, m[3], m[4], m[5], rows},
          frame.visible,
          outermost(frame.visible, {frame.width, frame.height}),
          outermost(visible_chroma(frame), frame.chroma_size),
          frame.chroma,
          frame.to_rgb.m};
}

void bind_frame(const GlApi& gl, const FrameRef& frame, GLuint first, GLuint others) {
  for_each_unit(gl, frame.kind, [&](size_t i) {
    gl.BindTexture(target_of(frame.kind), frame.textures[i]);
    gl.BindSampler(kFrameUnits[i], i == 0 ? first : others);
  });
}

void unbind_frame(const GlApi& gl, FrameKind kind) {
  for_each_unit(gl, kind, [&](size_t i) {
    gl.BindTexture(target_of(kind), 0);
    gl.BindSampler(kFrameUnits[i], 0);
  });
}

namespace {
thread_local AllocationScope* innermost = nullptr;
}

AllocationScope::AllocationScope(const GlApi& gl) : gl_(gl), outer_(innermost) {
  clear_gl_errors(gl);
  innermost = this;
}

AllocationScope::~AllocationScope() { innermost = outer_; }

Status AllocationScope::check(const char* what) const {
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl_, what));
  if (!failed_) return {};
  return resource_exhausted(std::string(what) + ": the GL driver reported GL_OUT_OF_MEMORY");
}

bool AllocationScope::has_failed() {
  for (const AllocationScope* scope = innermost; scope != nullptr; scope = scope->outer_) {
    if (scope->failed_) return true;
  }
  return false;
}

void AllocationScope::note_discarded(GLenum error) {
  if (error != GL_OUT_OF_MEMORY) return;
  for (AllocationScope* scope = innermost; scope != nullptr; scope = scope->outer_) scope->failed_ = true;
}

}  // namespace sightglass
