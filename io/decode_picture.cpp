#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu_engine/files.h"
#include "pictures.h"

namespace sightglass {

namespace {

// Accepted formats, by gdk-pixbuf name. Its other decoders (BMP, ICO, TGA, TIFF, SVG …) allocate the claimed size
// before they report it, or open other files.
struct Format {
  const char* name;
  std::string_view begins_with;
};
constexpr Format kFormats[] = {{"png", "\x89PNG\r\n\x1a\n"},
                               {"jpeg", "\xff\xd8\xff"},
                               {"gif", "GIF8"},
                               {"pnm", "P1"},
                               {"pnm", "P2"},
                               {"pnm", "P3"},
                               {"pnm", "P4"},
                               {"pnm", "P5"},
                               {"pnm", "P6"}};

const char* format_of(std::span<const std::byte> beginning) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  const auto* found = std::ranges::find_if(kFormats, [&](const Format& f) { return text.starts_with(f.begins_with); });
  return found != std::end(kFormats) ? found->name : nullptr;
}

// Feeds a file to gdk-pixbuf until the size of the image is known, and continues if the size is acceptable.
class Decoder {
 public:
  // With 0, stops once the size is known.
  Decoder(int32_t largest_side, int64_t file_bytes)
      : largest_side_(largest_side), most_pixels_(kAnyPixels + kPixelsPerByte * file_bytes) {}
  ~Decoder() {
    if (loader_ != nullptr && !closed_) gdk_pixbuf_loader_close(loader_, nullptr);
    g_clear_object(&loader_);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Status read(InputFile& file) {
    std::array<std::byte, size_t{64} << 10> buffer;
    while (!refused_) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const size_t count, file.read(buffer));
      if (loader_ == nullptr) SIGHTGLASS_RETURN_IF_ERROR(begin(std::span(buffer).first(count)));
      if (count == 0) break;
      if (is_gif_) SIGHTGLASS_RETURN_IF_ERROR(check_frames(std::span(buffer).first(count)));
      const size_t kept = std::min(count, kMostHeader - std::min(kMostHeader, beginning_.size()));
      beginning_.insert(beginning_.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(kept));
      GError* error = nullptr;
      if (!gdk_pixbuf_loader_write(loader_, reinterpret_cast<const guchar*>(buffer.data()), count, &error)) {
        return failure(error);
      }
    }
    // gdk-pixbuf parses the rest of a small file only here.
    closed_ = true;
    GError* error = nullptr;
    const bool closed = gdk_pixbuf_loader_close(loader_, &error) != FALSE;
    return closed && !refused_ ? Status() : failure(error);
  }
  Result<PixbufPtr> pixbuf() {
    GdkPixbuf* pixbuf = gdk_pixbuf_loader_get_pixbuf(loader_);
    if (pixbuf == nullptr) return invalid_argument("it contains no image");
    // Formats with as many bytes as pixels report no size earlier.
    take_size(loader_, gdk_pixbuf_get_width(pixbuf), gdk_pixbuf_get_height(pixbuf), this);
    if (refused_) return too_large();
    // gdk-pixbuf reads the orientation of JPEG files only.
    const int orientation = image_facts(beginning_).orientation;
    if (gdk_pixbuf_get_option(pixbuf, "orientation") == nullptr) {
      gdk_pixbuf_set_option(pixbuf, "orientation", std::to_string(orientation).c_str());
    }
    PixbufPtr upright(gdk_pixbuf_apply_embedded_orientation(pixbuf));
    if (upright == nullptr) return resource_exhausted("out of memory");
    return upright;
  }
  bool knows_size() const { return width_ > 0; }

 private:
  Status begin(std::span<const std::byte> beginning) {
    const char* const format = format_of(beginning);
    if (format == nullptr) return invalid_argument("its format is not PNG, JPEG, GIF or PNM; convert it to PNG");
    is_gif_ = std::string_view(format) == "gif";
    GError* error = nullptr;
    loader_ = gdk_pixbuf_loader_new_with_type(format, &error);
    if (loader_ == nullptr) return failure(error);  // no decoder installed
    g_signal_connect(loader_, "size-prepared", G_CALLBACK(&Decoder::take_size), this);
    return {};
  }
  // The decoder of GIF allocates each frame with the size in its header, whatever the size of the image.
  Status check_frames(std::span<const std::byte> bytes) {
    gif_frames_.feed(bytes);
    if (int64_t{gif_frames_.width()} * gif_frames_.height() <= most_pixels_) return {};
    return resource_exhausted("it has a frame of " + std::to_string(gif_frames_.width()) + "x" +
                              std::to_string(gif_frames_.height()) +
                              " pixels, too many for a file of its size; scale it down");
  }
  static void take_size(GdkPixbufLoader* loader, int width, int height, gpointer data) {
    auto* self = static_cast<Decoder*>(data);
    self->width_ = width;
    self->height_ = height;
    self->refused_ =
        width > self->largest_side_ || height > self->largest_side_ || int64_t{width} * height > self->most_pixels_;
    // The decoder then stops before it allocates, as gdk-pixbuf requires.
    if (self->refused_) gdk_pixbuf_loader_set_size(loader, 0, 0);
  }
  // Takes ownership of `error`.
  Status failure(GError* error) const {
    std::string reason = error != nullptr ? error->message : "gdk-pixbuf cannot read it";
    g_clear_error(&error);
    return refused_ ? too_large() : invalid_argument(std::move(reason));
  }
  Status too_large() const {
    if (width_ <= largest_side_ && height_ <= largest_side_) {
      return resource_exhausted("it has " + std::to_string(width_) + "x" + std::to_string(height_) +
                                " pixels, too many for a file of its size; scale it down");
    }
    return resource_exhausted("it has " + std::to_string(width_) + "x" + std::to_string(height_) +
                              " pixels, but textures of this device have at most " + std::to_string(largest_side_) +
                              " in each direction; scale it down");
  }

  static constexpr size_t kMostHeader = size_t{1} << 20;
  // A small file can describe a large image, which takes up to ten bytes per pixel while it is decoded.
  static constexpr int64_t kAnyPixels = int64_t{1} << 24, kPixelsPerByte = 8;

  const int32_t largest_side_;
  const int64_t most_pixels_;
  std::vector<std::byte> beginning_;   // of the file, with its EXIF data
  GdkPixbufLoader* loader_ = nullptr;  // set once the format is known
  int width_ = 0, height_ = 0;
  bool refused_ = false, closed_ = false, is_gif_ = false;
  GifFrames gif_frames_;
};

}  // namespace

Result<PixbufPtr> decode_picture(const std::string& path, int32_t largest_side) {
  SIGHTGLASS_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  Decoder decoder(largest_side, file.size());
  SIGHTGLASS_RETURN_IF_ERROR(decoder.read(file));
  return decoder.pixbuf();
}

Status check_picture(const std::string& path) {
  SIGHTGLASS_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  Decoder decoder(0, file.size());
  const Status status = decoder.read(file);
  return decoder.knows_size() ? Status() : status;
}

}  // namespace sightglass
