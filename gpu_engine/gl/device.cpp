#include "sightglass/device.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "gpu_engine/device_family.h"
#include "gpu_engine/exceptions.h"
#include "sightglass/gl_objects.h"

namespace sightglass {

namespace {

std::string gl_string(const GlApi& gl, GLenum name) {
  const auto* text = reinterpret_cast<const char*>(gl.GetString(name));
  return text == nullptr ? std::string() : std::string(text);
}

// Whether compute shaders of this context compile with buffer textures. OpenGL ES reports this. Of the desktop drivers
// that accept ES shaders, not all accept the extension, so the function compiles one. This starts the compiler of the
// driver, which takes several milliseconds that cached programs may not need.
bool has_buffer_textures(const GlApi& gl, bool es) {
  if (gl.TexBuffer == nullptr) return false;
  if (es) return has_extension(gl, "GL_EXT_texture_buffer");
  const char* text =
      "#version 310 es\n#extension GL_EXT_texture_buffer : require\nlayout(local_size_x = 1) in;\n"
      "layout(binding = 0) uniform highp samplerBuffer texels;\nlayout(std430, binding = 0) buffer Output { highp vec4 "
      "o; "
      "};\nvoid main() { o = texelFetch(texels, 0); }\n";
  const GlShader shader(gl, gl.CreateShader(GL_COMPUTE_SHADER));
  gl.ShaderSource(shader.id(), 1, &text, nullptr);
  gl.CompileShader(shader.id());
  GLint ok = GL_FALSE;
  gl.GetShaderiv(shader.id(), GL_COMPILE_STATUS, &ok);
  return ok == GL_TRUE;
}

DeviceLimits query_limits(const GlApi& gl, const std::string& vendor, const std::string& renderer, bool es) {
  const auto get = [&gl](GLenum name) {
    GLint value = 0;
    gl.GetIntegerv(name, &value);
    return value;
  };
  DeviceLimits limits;
  limits.compute_storage_blocks = get(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS);
  GLint64 block_bytes = 0;
  gl.GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &block_bytes);
  limits.max_storage_block_bytes = block_bytes;
  limits.storage_offset_alignment = get(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT);
  limits.compute_image_units = get(GL_MAX_COMPUTE_IMAGE_UNIFORMS);
  limits.max_uniform_block_bytes = get(GL_MAX_UNIFORM_BLOCK_SIZE);
  limits.uniform_offset_alignment = get(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
  limits.workgroup_invocations = get(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
  for (GLuint axis = 0; axis < 3; ++axis) {
    gl.GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_SIZE, axis, &limits.workgroup_size[axis]);
    gl.GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, axis, &limits.workgroup_count[axis]);
  }
  limits.shared_memory_bytes = get(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
  limits.max_texture_size = get(GL_MAX_TEXTURE_SIZE);
  if (has_sound_buffer_textures(renderer) && has_buffer_textures(gl, es)) {
    limits.max_buffer_texels = get(GL_MAX_TEXTURE_BUFFER_SIZE);
  }
  limits.external_textures = has_extension(gl, "GL_OES_EGL_image_external_essl3");
  const DeviceFamily& family = device_family(vendor, renderer);
  limits.max_loop_iterations = family.max_loop_iterations;
  limits.compiles_for_samplers = family.compiles_for_samplers;
  limits.kernels = family.kernels;
  limits.multiply_adds_per_second = family.multiply_adds_per_second;
  return limits;
}

std::string list(const int32_t (&by_axis)[3]) {
  return std::to_string(by_axis[0]) + "x" + std::to_string(by_axis[1]) + "x" + std::to_string(by_axis[2]);
}

void log_device(const DeviceInfo& info, const Log& log) {
  log.info([&] {
    return "device: " + info.renderer + " of " + info.vendor + ", " + info.version + ", family " +
           device_family(info.vendor, info.renderer).name;
  });
  log.info([&] {
    const DeviceLimits& limits = info.limits;
    return "limits: work groups of " + std::to_string(limits.workgroup_invocations) + " invocations, at most " +
           list(limits.workgroup_size) + ", " + list(limits.workgroup_count) + " of them, " +
           std::to_string(limits.shared_memory_bytes) + " bytes of shared memory; " +
           std::to_string(limits.compute_storage_blocks) + " storage blocks of " +
           std::to_string(limits.max_storage_block_bytes) + " bytes; textures of " +
           std::to_string(limits.max_texture_size) + " pixels; " +
           (limits.max_buffer_texels > 0 ? "buffer textures of " + std::to_string(limits.max_buffer_texels) + " texels"
                                         : std::string("no buffer textures")) +
           "; " + (limits.external_textures ? "" : "no ") + "external textures";
  });
}

}  // namespace

bool has_extension(const GlApi& gl, const char* name) {
  GLint count = 0;
  gl.GetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const auto* extension = reinterpret_cast<const char*>(gl.GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
    if (extension != nullptr && std::strcmp(extension, name) == 0) return true;
  }
  return false;
}

bool is_es(const GlApi& gl) { return gl_string(gl, GL_VERSION).starts_with("OpenGL ES"); }

bool has_timer_queries(const GlApi& gl) {
  if (gl.GenQueries == nullptr || gl.DeleteQueries == nullptr || gl.QueryCounter == nullptr ||
      gl.GetQueryObjectuiv == nullptr || gl.GetQueryObjectui64v == nullptr) {
    return false;
  }
  return !is_es(gl) || has_extension(gl, "GL_EXT_disjoint_timer_query");
}

std::string device_name(const DeviceInfo& device) {
  std::string name = device.vendor + " | " + device.renderer + " | " + device.version;
  std::ranges::replace(name, '\n', ' ');
  return name;
}

Result<DeviceInfo> query_device(const GlApi& gl, const Log& log) try {
  DeviceInfo info;
  info.vendor = gl_string(gl, GL_VENDOR);
  info.renderer = gl_string(gl, GL_RENDERER);
  info.version = gl_string(gl, GL_VERSION);
  if (info.version.empty()) return invalid_argument("no GL context is current on this thread; make one current");
  info.es = is_es(gl);
  const char* number = info.version.c_str() + (info.es ? std::strcspn(info.version.c_str(), "0123456789") : 0);
  std::sscanf(number, "%d.%d", &info.major, &info.minor);

  const auto at_least = [&info](int major, int minor) {
    return info.major > major || (info.major == major && info.minor >= minor);
  };
  const bool enough = info.es ? at_least(3, 1) : at_least(4, 5) || has_extension(gl, "GL_ARB_ES3_1_compatibility");
  if (!enough) {
    return unsupported("the GL context is '" + info.version + "' on '" + info.renderer +
                       "'; compute shaders need OpenGL ES 3.1, or desktop OpenGL 4.5 (or "
                       "GL_ARB_ES3_1_compatibility). With GStreamer, set GST_GL_API=gles2 for OpenGL ES");
  }
  info.limits = query_limits(gl, info.vendor, info.renderer, info.es);
  log_device(info, log);
  return info;
} catch (...) {
  return status_of_exception("the GL context", "query its limits");
}

}  // namespace sightglass
