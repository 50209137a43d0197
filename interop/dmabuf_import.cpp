#include "sightglass/interop/dmabuf_import.h"

#include <EGL/eglext.h>
#include <GLES3/gl31.h>
// Must follow gl31.h, which defines its types.
#include <GLES2/gl2ext.h>

#include <cstdio>
#include <utility>

#include "drm_formats.h"
#include "gl_functions.h"

namespace sightglass::interop {

// Functions needed for imports, and the display that keeps them valid.
struct DmabufGl {
  std::shared_ptr<const Display> display;
  bool modifiers = false;
  PFNEGLCREATEIMAGEKHRPROC create_image = nullptr;
  PFNEGLDESTROYIMAGEKHRPROC destroy_image = nullptr;
  PFNGLEGLIMAGETARGETTEXTURE2DOESPROC image_target = nullptr;
  decltype(&glGenTextures) gen_textures = nullptr;
  decltype(&glDeleteTextures) delete_textures = nullptr;
  decltype(&glBindTexture) bind_texture = nullptr;
  decltype(&glTexParameteri) tex_parameter = nullptr;
  decltype(&glGetIntegerv) get_integer = nullptr;
  decltype(&glGetError) get_error = nullptr;
};

namespace {

template <typename Function>
bool load(Function& function, const char* name, std::string& missing) {
  function = gl_function<Function>(name);
  if (function == nullptr) missing += std::string(missing.empty() ? "" : ", ") + name;
  return function != nullptr;
}

std::vector<EGLint> attributes_of(const DmabufFrame& image, bool modifiers, bool yuv) {
  static constexpr EGLint kFd[] = {EGL_DMA_BUF_PLANE0_FD_EXT, EGL_DMA_BUF_PLANE1_FD_EXT, EGL_DMA_BUF_PLANE2_FD_EXT,
                                   EGL_DMA_BUF_PLANE3_FD_EXT};
  static constexpr EGLint kOffset[] = {EGL_DMA_BUF_PLANE0_OFFSET_EXT, EGL_DMA_BUF_PLANE1_OFFSET_EXT,
                                       EGL_DMA_BUF_PLANE2_OFFSET_EXT, EGL_DMA_BUF_PLANE3_OFFSET_EXT};
  static constexpr EGLint kPitch[] = {EGL_DMA_BUF_PLANE0_PITCH_EXT, EGL_DMA_BUF_PLANE1_PITCH_EXT,
                                      EGL_DMA_BUF_PLANE2_PITCH_EXT, EGL_DMA_BUF_PLANE3_PITCH_EXT};
  static constexpr EGLint kLow[] = {EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT,
                                    EGL_DMA_BUF_PLANE2_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE3_MODIFIER_LO_EXT};
  static constexpr EGLint kHigh[] = {EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT,
                                     EGL_DMA_BUF_PLANE2_MODIFIER_HI_EXT, EGL_DMA_BUF_PLANE3_MODIFIER_HI_EXT};
  std::vector<EGLint> list = {
      EGL_WIDTH, image.width, EGL_HEIGHT, image.height, EGL_LINUX_DRM_FOURCC_EXT, static_cast<EGLint>(image.fourcc)};
  const auto add = [&](EGLint name, EGLint value) {
    list.push_back(name);
    list.push_back(value);
  };
  for (size_t i = 0; i < static_cast<size_t>(image.plane_count); ++i) {
    add(kFd[i], image.planes[i].fd);
    add(kOffset[i], static_cast<EGLint>(image.planes[i].offset));
    add(kPitch[i], static_cast<EGLint>(image.planes[i].stride));
    if (!modifiers) continue;
    add(kLow[i], static_cast<EGLint>(image.modifier & 0xffff'ffff));
    add(kHigh[i], static_cast<EGLint>(image.modifier >> 32));
  }
  if (yuv) {
    const EGLint matrix = image.yuv_matrix == YuvMatrix::kBt601   ? EGL_ITU_REC601_EXT
                          : image.yuv_matrix == YuvMatrix::kBt709 ? EGL_ITU_REC709_EXT
                                                                  : EGL_ITU_REC2020_EXT;
    add(EGL_YUV_COLOR_SPACE_HINT_EXT, matrix);
    add(EGL_SAMPLE_RANGE_HINT_EXT, image.yuv_full_range ? EGL_YUV_FULL_RANGE_EXT : EGL_YUV_NARROW_RANGE_EXT);
  }
  list.push_back(EGL_NONE);
  return list;
}

}  // namespace

DmabufTextures::~DmabufTextures() { release(); }

DmabufTextures::DmabufTextures(DmabufTextures&& other) noexcept
    : gl_(std::move(other.gl_)),
      textures_(std::exchange(other.textures_, {})),
      images_(std::exchange(other.images_, {})) {}

DmabufTextures& DmabufTextures::operator=(DmabufTextures&& other) noexcept {
  if (this == &other) return *this;
  release();
  gl_ = std::move(other.gl_);
  textures_ = std::exchange(other.textures_, {});
  images_ = std::exchange(other.images_, {});
  return *this;
}

void DmabufTextures::release() {
  for (const DmabufTexture& texture : textures_) gl_->delete_textures(1, &texture.name);
  for (void* image : images_) gl_->destroy_image(gl_->display->handle(), image);
  textures_.clear();
  images_.clear();
}

Result<std::shared_ptr<const DmabufImporter>> DmabufImporter::create(std::shared_ptr<const Display> display) {
  if (!display->has_extension("EGL_EXT_image_dma_buf_import")) {
    return unsupported("cannot import DMABUFs: " + display->name() +
                       " has no EGL_EXT_image_dma_buf_import; upload frames instead");
  }
  auto gl = std::make_shared<DmabufGl>();
  std::string missing;
  load(gl->create_image, "eglCreateImageKHR", missing);
  load(gl->destroy_image, "eglDestroyImageKHR", missing);
  load(gl->image_target, "glEGLImageTargetTexture2DOES", missing);
  load(gl->gen_textures, "glGenTextures", missing);
  load(gl->delete_textures, "glDeleteTextures", missing);
  load(gl->bind_texture, "glBindTexture", missing);
  load(gl->tex_parameter, "glTexParameteri", missing);
  load(gl->get_integer, "glGetIntegerv", missing);
  load(gl->get_error, "glGetError", missing);
  if (!missing.empty()) return unsupported("cannot import DMABUFs: " + display->name() + " lacks " + missing);
  gl->modifiers = display->has_extension("EGL_EXT_image_dma_buf_import_modifiers");
  DmabufFormats formats = DmabufFormats::query(*display);
  gl->display = std::move(display);
  return std::shared_ptr<const DmabufImporter>(new DmabufImporter(std::move(gl), std::move(formats)));
}

bool DmabufImporter::importable(uint32_t fourcc, uint64_t modifier, DmabufImport how) const {
  const FormatLayout* layout = find_layout(fourcc);
  if (layout == nullptr) return false;
  if (how != DmabufImport::kPlanes) {
    return formats_.importable(fourcc, modifier) &&
           (how == DmabufImport::kImageExternal || !formats_.external_only(fourcc, modifier));
  }
  for (int i = 0; i < layout->planes; ++i) {
    const uint32_t alone = layout->plane[i].alone;
    if (alone == 0 || !formats_.importable(alone, modifier) || formats_.external_only(alone, modifier)) return false;
  }
  return true;
}

Result<DmabufTextures> DmabufImporter::import(const DmabufFrame& frame, DmabufImport how) const {
  SIGHTGLASS_RETURN_IF_ERROR(check(frame));
  DmabufTextures textures;
  textures.gl_ = gl_;
  if (how != DmabufImport::kPlanes) {
    SIGHTGLASS_RETURN_IF_ERROR(add(frame, frame, how == DmabufImport::kImageExternal, textures));
    return textures;
  }
  const FormatLayout& layout = *find_layout(frame.fourcc);
  for (int i = 0; i < layout.planes; ++i) {
    const PlaneLayout& plane = layout.plane[i];
    if (plane.alone == 0) {
      return device_error("the DMABUF (" + describe(frame) +
                          ") has no planes that can be separate textures; import it as an image");
    }
    DmabufFrame image;
    image.width = (frame.width + plane.across - 1) / plane.across;
    image.height = (frame.height + plane.down - 1) / plane.down;
    image.fourcc = plane.alone;
    image.modifier = frame.modifier;
    image.plane_count = 1;
    image.planes[0] = frame.planes[static_cast<size_t>(i)];
    SIGHTGLASS_RETURN_IF_ERROR(add(image, frame, false, textures));
  }
  return textures;
}

Status DmabufImporter::add(const DmabufFrame& image, const DmabufFrame& whole, bool external,
                           DmabufTextures& textures) const {
  const std::string part = image.fourcc == whole.fourcc ? "" : " as a plane of " + fourcc_text(image.fourcc);
  const auto refuse = [&](const std::string& why) {
    return unsupported("cannot import the DMABUF (" + describe(whole) + ")" + part + ": " + why + "; " +
                       formats_.what_would_work(image.fourcc));
  };
  if (!formats_.importable(image.fourcc, image.modifier)) {
    return refuse(formats_.known() ? "the driver does not list it" : "the driver does not support modifiers");
  }
  if (!external && formats_.external_only(image.fourcc, image.modifier)) {
    return refuse("the driver can sample it only as GL_TEXTURE_EXTERNAL_OES");
  }
  // A driver that lists a format without modifiers imports it as linear and rejects modifier attributes.
  const DmabufFormat* known = formats_.find(image.fourcc);
  const bool modifiers =
      gl_->modifiers && image.modifier != kModifierInvalid && known != nullptr && !known->modifiers.empty();
  const std::vector<EGLint> attributes = attributes_of(image, modifiers, find_layout(image.fourcc)->yuv);
  const EGLImageKHR handle =
      gl_->create_image(gl_->display->handle(), EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, nullptr, attributes.data());
  if (handle == EGL_NO_IMAGE_KHR) return refuse("eglCreateImageKHR failed: " + egl_error_name(eglGetError()));
  textures.images_.push_back(handle);

  const GLenum target = external ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D;
  while (gl_->get_error() != GL_NO_ERROR) {
  }
  GLint before = 0;
  gl_->get_integer(external ? GL_TEXTURE_BINDING_EXTERNAL_OES : GL_TEXTURE_BINDING_2D, &before);
  GLuint name = 0;
  gl_->gen_textures(1, &name);
  gl_->bind_texture(target, name);
  gl_->image_target(target, handle);
  const GLenum error = gl_->get_error();
  gl_->tex_parameter(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl_->tex_parameter(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl_->tex_parameter(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl_->tex_parameter(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  gl_->bind_texture(target, static_cast<GLuint>(before));
  textures.textures_.push_back({name, target, image.width, image.height, image.fourcc});
  while (gl_->get_error() != GL_NO_ERROR) {
  }
  if (error != GL_NO_ERROR) {
    char text[64];
    std::snprintf(text, sizeof(text), "glEGLImageTargetTexture2DOES failed: 0x%04x", error);
    return refuse(text);
  }
  return {};
}

}  // namespace sightglass::interop
