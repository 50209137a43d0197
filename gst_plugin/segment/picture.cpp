#include "segment/picture.h"

#include <gdk-pixbuf/gdk-pixbuf.h>

#include <algorithm>
#include <cstring>

namespace sightglass {

namespace {

struct Unref {
  void operator()(GdkPixbuf* pixbuf) const { g_object_unref(pixbuf); }
};
using Pixbuf = std::unique_ptr<GdkPixbuf, Unref>;

}  // namespace

struct Picture::Impl {
  Pixbuf pixbuf;  // RGBA, upright
};

Picture::Picture(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Picture::~Picture() = default;

Result<std::shared_ptr<const Picture>> Picture::load(const std::string& path) {
  GError* error = nullptr;
  const Pixbuf file(gdk_pixbuf_new_from_file(path.c_str(), &error));
  if (file == nullptr) {
    const std::string reason = error->message;
    g_error_free(error);
    return not_found("background picture " + path + ": " + reason);
  }
  const Pixbuf upright(gdk_pixbuf_apply_embedded_orientation(file.get()));
  Pixbuf rgba(gdk_pixbuf_add_alpha(upright.get(), FALSE, 0, 0, 0));
  if (rgba == nullptr) return resource_exhausted("background picture " + path + ": out of memory");
  return std::shared_ptr<const Picture>(new Picture(std::make_unique<Impl>(Impl{std::move(rgba)})));
}

Result<std::vector<std::byte>> Picture::cover(int32_t width, int32_t height) const {
  GdkPixbuf* const source = impl_->pixbuf.get();
  const double scale = std::max(static_cast<double>(width) / gdk_pixbuf_get_width(source),
                                static_cast<double>(height) / gdk_pixbuf_get_height(source));
  const double left = 0.5 * (width - scale * gdk_pixbuf_get_width(source));
  const double top = 0.5 * (height - scale * gdk_pixbuf_get_height(source));
  const Pixbuf target(gdk_pixbuf_new(GDK_COLORSPACE_RGB, TRUE, 8, width, height));
  if (target == nullptr) return resource_exhausted("background picture: out of memory at the video's size");
  gdk_pixbuf_scale(source, target.get(), 0, 0, width, height, left, top, scale, scale, GDK_INTERP_BILINEAR);

  const size_t row_bytes = static_cast<size_t>(width) * 4;
  std::vector<std::byte> pixels(row_bytes * static_cast<size_t>(height));
  for (int32_t y = 0; y < height; ++y) {
    const size_t row = static_cast<size_t>(y);
    std::memcpy(
        pixels.data() + row * row_bytes,
        gdk_pixbuf_read_pixels(target.get()) + row * static_cast<size_t>(gdk_pixbuf_get_rowstride(target.get())),
        row_bytes);
  }
  return pixels;
}

}  // namespace sightglass
