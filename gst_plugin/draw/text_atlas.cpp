#include "draw/text_atlas.h"

#include <cairo.h>
#include <gst/gst.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "detect/detections.h"
#include "draw/label_table.h"
#include "gl/objects.h"
#include "gpu_engine/quoted.h"

namespace sightglass {

namespace {

constexpr size_t kMostBytes = 256;
constexpr const char* kNoFont =
    "cannot draw text: no font is installed; install one, such as the Debian package fonts-dejavu-core";

template <auto Release>
struct Releaser {
  template <typename Object>
  void operator()(Object* object) const {
    Release(object);
  }
};
using Surface = std::unique_ptr<cairo_surface_t, Releaser<cairo_surface_destroy>>;
using Canvas = std::unique_ptr<cairo_t, Releaser<cairo_destroy>>;
using FontOptions = std::unique_ptr<cairo_font_options_t, Releaser<cairo_font_options_destroy>>;
using FontDescription = std::unique_ptr<PangoFontDescription, Releaser<pango_font_description_free>>;
using FontMetrics = std::unique_ptr<PangoFontMetrics, Releaser<pango_font_metrics_unref>>;

void warn_of_missing_fonts() {
  static std::once_flag once;
  std::call_once(once, [] { GST_WARNING("%s", kNoFont); });
}

// Stems and advances are on whole pixels, so text stays sharp. Subpixel rendering would depend on the display.
void choose_rendering(PangoContext* context) {
  const FontOptions options(cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_ON);
  pango_cairo_context_set_font_options(context, options.get());
}

}  // namespace

std::optional<std::string> missing_font_warning(const std::string& property) {
  if (Typesetter(24).has_font()) return {};
  return property + ": " + kNoFont;
}

void Typesetter::Unref::operator()(void* object) const { g_object_unref(object); }

// Font maps belong to one thread, so each typesetter has its own.
Typesetter::Typesetter(int32_t line_height) : line_height_(line_height), font_map_(pango_cairo_font_map_new()) {
  auto* map = static_cast<PangoFontMap*>(font_map_.get());
  const std::unique_ptr<PangoContext, Unref> context(pango_font_map_create_context(map));
  choose_rendering(context.get());
  const FontDescription font(pango_font_description_new());
  pango_font_description_set_family_static(font.get(), "Sans");
  pango_font_description_set_absolute_size(font.get(), kEmShare * line_height * PANGO_SCALE);
  const std::unique_ptr<PangoFont, Unref> found(pango_font_map_load_font(map, context.get(), font.get()));
  if (found == nullptr) {
    warn_of_missing_fonts();
    return;
  }
  const FontMetrics metrics(pango_font_get_metrics(found.get(), nullptr));
  const int ascent = PANGO_PIXELS(pango_font_metrics_get_ascent(metrics.get()));
  const int descent = PANGO_PIXELS(pango_font_metrics_get_descent(metrics.get()));
  baseline_ = std::clamp((line_height - ascent - descent) / 2 + ascent, 1, line_height);
  auto* layout = pango_layout_new(context.get());
  layout_.reset(layout);
  pango_layout_set_font_description(layout, font.get());
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
}

TextPicture Typesetter::set(std::string_view utf8, int32_t most_width) const {
  if (layout_ == nullptr || utf8.empty()) return {};
  auto* layout = static_cast<PangoLayout*>(layout_.get());
  const std::string text = printable(utf8, kMostBytes);
  pango_layout_set_text(layout, text.data(), static_cast<int>(text.size()));
  pango_layout_set_width(layout, std::min(most_width, G_MAXINT / PANGO_SCALE) * PANGO_SCALE);
  PangoLayoutLine* line = pango_layout_get_line_readonly(layout, 0);
  PangoRectangle ink, logical;  // from the left end of the baseline
  pango_layout_line_get_pixel_extents(line, &ink, &logical);
  if (ink.width <= 0) return {};
  // Letters of other fonts may be taller than the line: the whole text shrinks to fit.
  const int above = std::max(1, -ink.y), below = std::max(1, ink.y + ink.height);
  const double scale = std::min({1.0, static_cast<double>(baseline_) / above,
                                 std::max(1.0, static_cast<double>(line_height_ - baseline_)) / below});
  const int left = std::min(logical.x, ink.x);
  const int width = std::max(logical.x + logical.width, ink.x + ink.width) - left;

  TextPicture picture{std::min(static_cast<int32_t>(width * scale + 0.5), most_width), line_height_, {}};
  if (picture.width <= 0) return {};
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, picture.width, picture.height));
  const Canvas canvas(cairo_create(surface.get()));
  cairo_translate(canvas.get(), -left * scale, baseline_);
  cairo_scale(canvas.get(), scale, scale);
  pango_cairo_show_layout_line(canvas.get(), line);
  cairo_surface_flush(surface.get());
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) return {};  // out of memory
  const unsigned char* row = cairo_image_surface_get_data(surface.get());
  for (int32_t y = 0; y < picture.height; ++y, row += cairo_image_surface_get_stride(surface.get())) {
    picture.coverage.insert(picture.coverage.end(), row, row + picture.width);
  }
  return picture;
}

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

// Class labels, percentages and digits, for shaders to select.

namespace {

// The start of the block Labels.
struct Header {
  float height = 0, scale = 1;
  float unused[2]{};
};

}  // namespace

LabelTable::LabelTable(const GlApi& gl, std::span<const std::string> labels) : gl_(&gl) {
  for (int32_t percent = 0; percent <= kMostPercent; ++percent) lines_.push_back(std::to_string(percent) + "%");
  for (int32_t digit = 0; digit < 10; ++digit) lines_.push_back(std::to_string(digit));
  lines_.push_back("#");
  lines_.insert(lines_.end(), labels.begin(), labels.end());
  upload();
}

void LabelTable::set_height(int32_t height) {
  constexpr int32_t kMostWidth = 12;  // of a label, in multiples of the height
  if (height == atlas_.height()) return;
  atlas_ = TextAtlas(*gl_, lines_, height, kMostWidth * height);
  upload();
}

void LabelTable::upload() {
  const Header header{static_cast<float>(atlas_.height()), atlas_.scale()};
  const auto places = std::as_bytes(std::span(atlas_.places()));
  std::vector<std::byte> bytes(sizeof(header) + places.size());
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::ranges::copy(places, bytes.begin() + sizeof(header));
  buffer_ = make_storage(*gl_, static_cast<GLsizeiptr>(bytes.size()), bytes.data());
  block_ = {buffer_.id(), 0, static_cast<GLsizeiptr>(bytes.size())};
}

namespace {

struct PlacedLabel {  // of shaders/draw/label_places.glsl, in std430 layout
  std::array<float, 4> box{};
  std::array<int32_t, 4> owner{};
};
struct PlacedLabels {
  std::array<int32_t, 4> count{};
  std::array<PlacedLabel, kMaxDetections> labels{};
};

}  // namespace

LabelPlaces::LabelPlaces(const GlApi& gl) {
  const PlacedLabels none;
  buffer_ = make_storage(gl, sizeof(none), &none);
}

BufferRange LabelPlaces::block() const { return {buffer_.id(), 0, sizeof(PlacedLabels)}; }

}  // namespace sightglass
