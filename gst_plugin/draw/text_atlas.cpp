#include "draw/text_atlas.h"

#include <gst/gst.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "draw/typesetter.h"
#include "gl/objects.h"
#include "gpu_engine/quoted.h"

namespace sightglass {

namespace {

struct Request {
  std::vector<std::string> lines;
  int32_t height = 0, most_width = 0;  // frame pixels
  int32_t most_size = 0;               // maximum texture width and height in texels
  bool operator==(const Request&) const = default;
};

// Lines side by side in rows of equal height. An empty column and row of texels after each line keep neighbors apart
// when lines are scaled.
struct Page {
  int32_t width = 0, height = 0;
  int32_t line_height = 0;  // texels
  std::vector<uint8_t> texels;
  std::vector<TextPlace> places;  // widths in texels
};

Page set_lines(const std::vector<std::string>& lines, int32_t height, int32_t most_width, int32_t most_size) {
  constexpr int32_t kGap = 1;
  const Typesetter typesetter(height);
  Page page{most_size, 0, height, {}, {}};
  int32_t x = 0, y = 0;
  for (const std::string& line : lines) {
    const TextPicture picture = typesetter.set(line, std::min(most_width, most_size - kGap));
    if (x + picture.width + kGap > most_size) {
      x = 0;
      y += height + kGap;
    }
    if (y + height + kGap > most_size) break;
    if (picture.width > 0 && y + height + kGap > page.height) {
      page.height = y + height + kGap;
      page.texels.resize(static_cast<size_t>(page.width) * static_cast<size_t>(page.height));
    }
    for (int32_t row = 0; row < picture.height; ++row) {
      std::copy_n(picture.coverage.data() + static_cast<size_t>(row) * static_cast<size_t>(picture.width),
                  picture.width,
                  page.texels.data() + static_cast<size_t>(y + row) * static_cast<size_t>(page.width) + x);
    }
    page.places.push_back({x | y << 16, picture.width});
    if (picture.width > 0) x += picture.width + kGap;
  }
  return page;
}

void warn_of_left_out(const std::vector<std::string>& lines, size_t placed) {
  GST_WARNING("cannot draw %zu of %zu labels, from %s on: they exceed a texture of this device; use fewer labels",
              lines.size() - placed, lines.size(), quote(lines[placed]).c_str());
}

// Rasterizes the lines at the largest size at which all of them fit.
Page set_page(const Request& request) {
  const std::vector<std::string>& lines = request.lines;
  int32_t height = std::min(request.height, request.most_size / 2);
  for (;;) {
    const double scale = static_cast<double>(height) / request.height;
    Page page = set_lines(lines, height, static_cast<int32_t>(request.most_width * scale), request.most_size);
    const size_t placed = page.places.size();
    if (placed == lines.size()) return page;
    if (height <= TextAtlas::kLeastHeight) {
      warn_of_left_out(lines, placed);
      page.places.resize(lines.size());
      return page;
    }
    // The area grows with the square of the height.
    const double share = static_cast<double>(placed) / static_cast<double>(lines.size());
    height = std::clamp(static_cast<int32_t>(height * std::sqrt(share) * 0.97), TextAtlas::kLeastHeight, height - 1);
  }
}

}  // namespace

struct TextAtlas::SharedPage {
  Request request;
  Page page;
};

// Other threads that need the same page wait for it.
std::shared_ptr<const TextAtlas::SharedPage> TextAtlas::share_page(std::span<const std::string> lines, int32_t height,
                                                                   int32_t most_width, int32_t most_size) {
  static std::mutex mutex;
  static std::vector<std::weak_ptr<const SharedPage>> pages;
  Request request{{lines.begin(), lines.end()}, height, most_width, most_size};
  const std::lock_guard lock(mutex);
  std::erase_if(pages, [](const auto& page) { return page.expired(); });
  for (const auto& known : pages) {
    if (auto page = known.lock(); page && page->request == request) return page;
  }
  Page page = set_page(request);
  auto shared = std::make_shared<const SharedPage>(SharedPage{std::move(request), std::move(page)});
  pages.push_back(shared);
  return shared;
}

TextAtlas::TextAtlas(const GlApi& gl, std::span<const std::string> lines, int32_t height, int32_t most_width)
    : height_(height) {
  GLint device_limit = 0;
  gl.GetIntegerv(GL_MAX_TEXTURE_SIZE, &device_limit);
  page_ = share_page(lines, height, most_width, std::min<int32_t>(device_limit, kMostSize));
  const Page& page = page_->page;
  scale_ = static_cast<float>(page.line_height) / static_cast<float>(height);
  places_ = page.places;
  for (TextPlace& place : places_) {
    place.width = static_cast<int32_t>(std::lround(static_cast<float>(place.width) / scale_));
  }
  if (page.texels.empty()) return;
  texture_ = make_texture(gl, GL_R8, page.width, page.height);
  fill_texture(gl, {texture_.id(), GL_TEXTURE_2D, page.width, page.height}, GL_RED, page.texels.data());
}

Primitive TextAtlas::primitive(size_t line, float x, float y, const std::array<float, 4>& color) const {
  const TextPlace& place = places_[line];
  const float right = x + static_cast<float>(place.width), bottom = y + static_cast<float>(height_);
  if (place.width == 0) return {};
  return {{x, y, right, bottom}, color, scale_, PrimitiveKind::kText, place.texel, 0};
}

}  // namespace sightglass
