#include "segment/picture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pictures.h"

namespace sightglass {

namespace {

// Position of an image in a frame, in frame pixels.
struct Fitted {
  double across, down;      // frame pixels per image pixel
  double left, top;         // of the whole image, which may exceed the frame
  int x, y, width, height;  // of the visible part: whole pixels, for sharp borders

  std::array<float, 4> place(int32_t frame_width, int32_t frame_height) const {
    const auto fraction = [](int pixels, int of) { return static_cast<float>(pixels) / static_cast<float>(of); };
    return {fraction(x, frame_width), fraction(y, frame_height), fraction(x + width, frame_width),
            fraction(y + height, frame_height)};
  }
};

Fitted fit_size(int32_t picture_width, int32_t picture_height, int32_t width, int32_t height, PictureFit fit,
                double pixel_aspect) {
  // In pixel heights.
  const double to_width = width * pixel_aspect / picture_width,
               to_height = static_cast<double>(height) / picture_height;
  const double factor = fit == PictureFit::kCover ? std::max(to_width, to_height) : std::min(to_width, to_height);
  const double across = factor / pixel_aspect, down = factor;
  const double whole_width = across * picture_width, whole_height = down * picture_height;
  const int shown_width = std::clamp(static_cast<int>(std::lround(whole_width)), 1, width);
  const int shown_height = std::clamp(static_cast<int>(std::lround(whole_height)), 1, height);
  return {across,
          down,
          0.5 * (width - whole_width),
          0.5 * (height - whole_height),
          (width - shown_width) / 2,
          (height - shown_height) / 2,
          shown_width,
          shown_height};
}

std::string name_of(const std::string& path) { return "background picture " + path; }

}  // namespace

PictureView fit_picture(int32_t picture_width, int32_t picture_height, int32_t width, int32_t height, PictureFit fit,
                        float pixel_aspect) {
  const Fitted fitted = fit_size(picture_width, picture_height, width, height, fit, pixel_aspect);
  const double whole_width = fitted.across * picture_width, whole_height = fitted.down * picture_height;
  return {fitted.place(width, height),
          {static_cast<float>(width / whole_width), static_cast<float>(height / whole_height),
           static_cast<float>(-fitted.left / whole_width), static_cast<float>(-fitted.top / whole_height)}};
}

struct Picture::Impl {
  PixbufPtr pixbuf;  // upright
};

Picture::Picture(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Picture::~Picture() = default;

Status Picture::check(const std::string& path) { return check_picture(path).with_context(name_of(path)); }

Result<std::shared_ptr<const Picture>> Picture::load(const std::string& path, int32_t largest_side) {
  Result<PixbufPtr> file = decode_picture(path, largest_side);
  if (!file.ok()) return file.status().with_context(name_of(path));
  return std::shared_ptr<const Picture>(new Picture(std::make_unique<Impl>(Impl{std::move(file).value()})));
}

Result<Picture::Scaled> Picture::scale(int32_t width, int32_t height, PictureFit fit, float pixel_aspect) const {
  GdkPixbuf* const source = impl_->pixbuf.get();
  const int source_width = gdk_pixbuf_get_width(source), source_height = gdk_pixbuf_get_height(source);
  const Fitted fitted = fit_size(source_width, source_height, width, height, fit, pixel_aspect);
  const PixbufPtr target(gdk_pixbuf_new(GDK_COLORSPACE_RGB, TRUE, 8, width, height));
  if (target == nullptr) return resource_exhausted("background picture: out of memory at the video's size");
  gdk_pixbuf_fill(target.get(), 0);
  gdk_pixbuf_scale(source, target.get(), fitted.x, fitted.y, fitted.width, fitted.height, fitted.left, fitted.top,
                   fitted.across, fitted.down, GDK_INTERP_BILINEAR);
  Scaled scaled{{}, fitted.place(width, height)};

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
