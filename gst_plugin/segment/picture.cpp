#include "segment/picture.h"

#include <gdk-pixbuf/gdk-pixbuf.h>

#include <algorithm>
#include <cmath>
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

Result<Picture::Scaled> Picture::scale(int32_t width, int32_t height, PictureFit fit) const {
  GdkPixbuf* const source = impl_->pixbuf.get();
  const int source_width = gdk_pixbuf_get_width(source), source_height = gdk_pixbuf_get_height(source);
  const double across = static_cast<double>(width) / source_width, down = static_cast<double>(height) / source_height;
  const double factor = fit == PictureFit::kCover ? std::max(across, down) : std::min(across, down);
  // Whole pixels, so that the picture's borders are sharp.
  const int shown_width = std::clamp(static_cast<int>(std::lround(factor * source_width)), 1, width);
  const int shown_height = std::clamp(static_cast<int>(std::lround(factor * source_height)), 1, height);
  const int x = (width - shown_width) / 2, y = (height - shown_height) / 2;
  const Pixbuf target(gdk_pixbuf_new(GDK_COLORSPACE_RGB, TRUE, 8, width, height));
  if (target == nullptr) return resource_exhausted("background picture: out of memory at the video's size");
  gdk_pixbuf_fill(target.get(), 0);
  gdk_pixbuf_scale(source, target.get(), x, y, shown_width, shown_height, 0.5 * (width - factor * source_width),
                   0.5 * (height - factor * source_height), factor, factor, GDK_INTERP_BILINEAR);
  const auto fraction = [](int pixels, int of) { return static_cast<float>(pixels) / static_cast<float>(of); };
  Scaled scaled{
      {},
      {fraction(x, width), fraction(y, height), fraction(x + shown_width, width), fraction(y + shown_height, height)}};

  const size_t row_bytes = static_cast<size_t>(width) * 4;
  std::vector<std::byte>& pixels = scaled.pixels;
  pixels.resize(row_bytes * static_cast<size_t>(height));
  for (int32_t y = 0; y < height; ++y) {
    const size_t row = static_cast<size_t>(y);
    std::memcpy(
        pixels.data() + row * row_bytes,
        gdk_pixbuf_read_pixels(target.get()) + row * static_cast<size_t>(gdk_pixbuf_get_rowstride(target.get())),
        row_bytes);
  }
  return scaled;
}

}  // namespace sightglass
