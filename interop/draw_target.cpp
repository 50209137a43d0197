#include "sightglass/interop/draw_target.h"

#include <GLES3/gl31.h>
#include <drm_fourcc.h>

#include <algorithm>
#include <utility>

#include "gl_functions.h"

namespace sightglass::interop {
namespace {

std::string describe(const DrawRequest& request) {
  std::string text = fourcc_text(request.fourcc) + ", ";
  for (const uint64_t modifier : request.modifiers) text += modifier_text(modifier) + ", ";
  return text + std::to_string(request.width) + "x" + std::to_string(request.height);
}

bool contains(const std::vector<uint64_t>& list, uint64_t modifier) { return std::ranges::count(list, modifier) != 0; }

// Whether both formats have the same bits, alpha or not.
bool same_bits(uint32_t a, uint32_t b) {
  const auto opaque = [](uint32_t fourcc) {
    switch (fourcc) {
      case DRM_FORMAT_ARGB8888:
        return static_cast<uint32_t>(DRM_FORMAT_XRGB8888);
      case DRM_FORMAT_ABGR8888:
        return static_cast<uint32_t>(DRM_FORMAT_XBGR8888);
      default:
        return fourcc;
    }
  };
  return opaque(a) == opaque(b);
}

// A successful import does not guarantee that rendering works.
bool drawable(GLuint texture) {
  const auto get_integer = gl_function<decltype(&glGetIntegerv)>("glGetIntegerv");
  const auto gen = gl_function<decltype(&glGenFramebuffers)>("glGenFramebuffers");
  const auto bind = gl_function<decltype(&glBindFramebuffer)>("glBindFramebuffer");
  const auto attach = gl_function<decltype(&glFramebufferTexture2D)>("glFramebufferTexture2D");
  const auto check = gl_function<decltype(&glCheckFramebufferStatus)>("glCheckFramebufferStatus");
  const auto remove = gl_function<decltype(&glDeleteFramebuffers)>("glDeleteFramebuffers");
  GLint before = 0;
  get_integer(GL_DRAW_FRAMEBUFFER_BINDING, &before);
  GLuint framebuffer = 0;
  gen(1, &framebuffer);
  bind(GL_DRAW_FRAMEBUFFER, framebuffer);
  attach(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  const bool complete = check(GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  bind(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(before));
  remove(1, &framebuffer);
  return complete;
}

}  // namespace

Result<std::shared_ptr<const DrawTargets>> DrawTargets::create(std::shared_ptr<const Display> display,
                                                               Result<std::shared_ptr<const GbmDevice>> device) {
  std::shared_ptr<DrawTargets> targets(new DrawTargets);
  if (device.ok()) {
    auto importer = DmabufImporter::create(display);
    if (!importer.ok()) return importer.status();
    targets->importer_ = *importer;
    targets->device_ = *device;
  } else if (display->has_extension("EGL_MESA_image_dma_buf_export")) {
    targets->no_device_ = device.status().message();
  } else {
    return unsupported("cannot create DMABUFs: " + device.status().message() + ", and " + display->name() +
                       " has no EGL_MESA_image_dma_buf_export");
  }
  targets->display_ = std::move(display);
  return std::shared_ptr<const DrawTargets>(std::move(targets));
}

bool DrawTargets::possible(uint32_t fourcc, uint64_t modifier) const {
  if (device_ == nullptr) return same_bits(fourcc, DRM_FORMAT_ABGR8888);
  const DmabufImport how = fourcc == DRM_FORMAT_NV12 ? DmabufImport::kPlanes : DmabufImport::kImage;
  return importer_->importable(fourcc, modifier, how);
}

Result<std::unique_ptr<DrawTarget>> DrawTargets::checked(Result<std::unique_ptr<DrawTarget>> target) {
  if (!target.ok()) return target;
  for (const DmabufTexture& texture : (*target)->textures()) {
    if (!drawable(texture.name)) {
      return unsupported("the driver imports the DMABUF (" + interop::describe((*target)->frame()) +
                         ") but cannot render into it");
    }
  }
  return target;
}

Result<std::unique_ptr<DrawTarget>> DrawTargets::make(const DrawRequest& request) const {
  if (device_ == nullptr) return checked(export_texture(request));
  return checked(request.fourcc == DRM_FORMAT_NV12 ? make_nv12(request) : make_rgb(request));
}

Result<std::unique_ptr<DrawTarget>> DrawTargets::adopt(const DmabufFrame& frame) const {
  if (importer_ == nullptr) return unsupported("cannot import DMABUFs: " + no_device_);
  return checked(import(frame, nullptr));
}

Result<std::unique_ptr<DrawTarget>> DrawTargets::import(const DmabufFrame& frame,
                                                        std::unique_ptr<GbmBuffer> buffer) const {
  const DmabufImport how = frame.fourcc == DRM_FORMAT_NV12 ? DmabufImport::kPlanes : DmabufImport::kImage;
  auto imported = importer_->import(frame, how);
  if (!imported.ok()) return imported.status();
  std::unique_ptr<DrawTarget> target(new DrawTarget);
  target->frame_ = frame;
  target->textures_ = imported->textures();
  target->imported_ = std::move(imported).value();
  target->buffer_ = std::move(buffer);
  return target;
}

Result<std::unique_ptr<DrawTarget>> DrawTargets::make_rgb(const DrawRequest& request) const {
  const bool linear = contains(request.modifiers, kModifierLinear);
  std::vector<uint64_t> tiled;
  for (const uint64_t modifier : request.modifiers) {
    if (modifier != kModifierLinear && importer_->importable(request.fourcc, modifier, DmabufImport::kImage)) {
      tiled.push_back(modifier);
    }
  }
  if (!linear && tiled.empty()) {
    return unsupported("cannot render into a DMABUF (" + describe(request) + "); " +
                       importer_->formats().what_would_work(request.fourcc));
  }
  // Formats that a display accepts are readable for encoders too, but not every device has a display. Tilings come
  // first: GPUs render into them fastest.
  const uint32_t both = GbmBuffer::kRender | GbmBuffer::kScanOut;
  auto buffer = Result<std::unique_ptr<GbmBuffer>>(internal_error(""));
  if (!tiled.empty()) {
    buffer = GbmBuffer::create(device_, request.width, request.height, request.fourcc, both, tiled);
    if (!buffer.ok()) {
      buffer = GbmBuffer::create(device_, request.width, request.height, request.fourcc, GbmBuffer::kRender, tiled);
    }
  }
  for (const uint32_t use : {both, static_cast<uint32_t>(GbmBuffer::kRender)}) {
    if (!buffer.ok() && linear) {
      buffer = GbmBuffer::create(device_, request.width, request.height, request.fourcc, use | GbmBuffer::kLinear);
    }
  }
  if (!buffer.ok()) return buffer.status();
  const DmabufFrame frame = (*buffer)->frame();
  return import(frame, std::move(buffer).value());
}

// Few drivers allocate NV12 directly. Instead, one R8 buffer holds both planes, the second right after the last row of
// the first, as encoders without offset support expect.
Result<std::unique_ptr<DrawTarget>> DrawTargets::make_nv12(const DrawRequest& request) const {
  if (!contains(request.modifiers, kModifierLinear)) {
    return invalid_argument("cannot render into a DMABUF (" + describe(request) + "): planes must be LINEAR");
  }
  const int32_t width = (request.width + 1) / 2 * 2, rows = request.height + (request.height + 1) / 2;
  const uint32_t use = GbmBuffer::kRender | GbmBuffer::kLinear;
  auto buffer = GbmBuffer::create(device_, width, rows, DRM_FORMAT_R8, use);
  // Some devices allocate only images with four bytes per pixel.
  if (!buffer.ok()) buffer = GbmBuffer::create(device_, (width + 3) / 4, rows, DRM_FORMAT_XRGB8888, use);
  if (!buffer.ok()) return buffer.status();
  const DmabufPlane& memory = (*buffer)->frame().planes[0];
  DmabufFrame frame;
  frame.width = request.width;
  frame.height = request.height;
  frame.fourcc = DRM_FORMAT_NV12;
  frame.modifier = kModifierLinear;
  frame.plane_count = 2;
  frame.planes[0] = memory;
  frame.planes[1] = memory;
  frame.planes[1].offset += memory.stride * static_cast<uint32_t>(request.height);
  return import(frame, std::move(buffer).value());
}

Result<std::unique_ptr<DrawTarget>> DrawTargets::export_texture(const DrawRequest& request) const {
  if (!possible(request.fourcc, kModifierLinear)) {
    return unsupported("cannot create a DMABUF (" + describe(request) + "): " + no_device_ +
                       ", and exported GL textures are AB24");
  }
  auto exported = ExportedTexture::create(display_, request.width, request.height);
  if (!exported.ok()) return unsupported(no_device_ + ", and " + exported.status().message());
  const DmabufFrame& frame = (*exported)->frame();
  const bool one_memory = std::all_of(frame.planes.begin(), frame.planes.begin() + frame.plane_count,
                                      [&](const DmabufPlane& plane) { return plane.fd == frame.planes[0].fd; });
  if (!same_bits(frame.fourcc, request.fourcc) || !contains(request.modifiers, frame.modifier) || !one_memory) {
    return unsupported("cannot create a DMABUF (" + describe(request) + "): " + no_device_ +
                       ", and the driver exports " + interop::describe(frame) +
                       (one_memory ? "" : " in several memory objects"));
  }
  std::unique_ptr<DrawTarget> target(new DrawTarget);
  target->frame_ = frame;
  target->frame_.fourcc = request.fourcc;
  target->textures_ = {(*exported)->texture()};
  target->exported_ = std::move(exported).value();
  return target;
}

}  // namespace sightglass::interop
