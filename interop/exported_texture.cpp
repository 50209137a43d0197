#include "sightglass/interop/exported_texture.h"

#include <EGL/eglext.h>
#include <GLES3/gl31.h>

#include <string>

#include "gl_functions.h"

namespace sightglass::interop {

Result<std::unique_ptr<ExportedTexture>> ExportedTexture::create(std::shared_ptr<const Display> display, int32_t width,
                                                                 int32_t height) {
  const std::string what = "cannot export a texture of " + std::to_string(width) + "x" + std::to_string(height) +
                           " from " + display->name() + ": ";
  if (!display->has_extension("EGL_MESA_image_dma_buf_export") ||
      !display->has_extension("EGL_KHR_gl_texture_2D_image")) {
    return unsupported(what + "it lacks EGL_MESA_image_dma_buf_export or EGL_KHR_gl_texture_2D_image");
  }
  const auto create_image = gl_function<PFNEGLCREATEIMAGEKHRPROC>("eglCreateImageKHR");
  const auto query = gl_function<PFNEGLEXPORTDMABUFIMAGEQUERYMESAPROC>("eglExportDMABUFImageQueryMESA");
  const auto export_image = gl_function<PFNEGLEXPORTDMABUFIMAGEMESAPROC>("eglExportDMABUFImageMESA");
  const auto gen_textures = gl_function<decltype(&glGenTextures)>("glGenTextures");
  const auto bind_texture = gl_function<decltype(&glBindTexture)>("glBindTexture");
  const auto storage = gl_function<decltype(&glTexStorage2D)>("glTexStorage2D");
  const auto get_integer = gl_function<decltype(&glGetIntegerv)>("glGetIntegerv");
  if (create_image == nullptr || query == nullptr || export_image == nullptr || gen_textures == nullptr ||
      bind_texture == nullptr || storage == nullptr || get_integer == nullptr) {
    return unsupported(what + "EGL functions are missing");
  }
  std::unique_ptr<ExportedTexture> texture(new ExportedTexture);
  GLint before = 0;
  get_integer(GL_TEXTURE_BINDING_2D, &before);
  gen_textures(1, &texture->texture_.name);
  texture->display_ = std::move(display);
  bind_texture(GL_TEXTURE_2D, texture->texture_.name);
  storage(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
  bind_texture(GL_TEXTURE_2D, static_cast<GLuint>(before));
  const EGLDisplay handle = texture->display_->handle();
  const EGLint whole[] = {EGL_GL_TEXTURE_LEVEL_KHR, 0, EGL_NONE};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): EGL takes names as pointers
  auto* const name = reinterpret_cast<EGLClientBuffer>(static_cast<uintptr_t>(texture->texture_.name));
  texture->image_ = create_image(handle, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR, name, whole);
  if (texture->image_ == nullptr)
    return device_error(what + "eglCreateImageKHR failed: " + egl_error_name(eglGetError()));

  EGLint fourcc = 0, planes = 0;
  EGLuint64KHR modifier = kModifierInvalid;
  if (query(handle, texture->image_, &fourcc, &planes, &modifier) != EGL_TRUE || planes < 1 || planes > 4) {
    return device_error(what + "eglExportDMABUFImageQueryMESA failed: " + egl_error_name(eglGetError()));
  }
  EGLint fds[4] = {-1, -1, -1, -1}, strides[4] = {}, offsets[4] = {};
  if (export_image(handle, texture->image_, fds, strides, offsets) != EGL_TRUE) {
    return device_error(what + "eglExportDMABUFImageMESA failed: " + egl_error_name(eglGetError()));
  }
  DmabufFrame& frame = texture->frame_;
  frame.width = width;
  frame.height = height;
  frame.fourcc = static_cast<uint32_t>(fourcc);
  frame.modifier = modifier;
  frame.plane_count = planes;
  for (size_t i = 0; i < static_cast<size_t>(planes); ++i) {
    texture->fds_[i].reset(fds[i]);
    // Planes after the first may share its memory, without a separate descriptor.
    frame.planes[i] = {fds[i] >= 0 ? fds[i] : fds[0], static_cast<uint32_t>(offsets[i]),
                       static_cast<uint32_t>(strides[i])};
  }
  SIGHTGLASS_RETURN_IF_ERROR(check(frame));
  texture->texture_ = {texture->texture_.name, GL_TEXTURE_2D, width, height, frame.fourcc};
  return texture;
}

ExportedTexture::~ExportedTexture() {
  if (image_ != nullptr) {
    gl_function<PFNEGLDESTROYIMAGEKHRPROC>("eglDestroyImageKHR")(display_->handle(), image_);
  }
  if (texture_.name != 0) gl_function<decltype(&glDeleteTextures)>("glDeleteTextures")(1, &texture_.name);
}

}  // namespace sightglass::interop
