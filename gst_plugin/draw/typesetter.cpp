#include "draw/typesetter.h"

#include <cairo.h>
#include <gst/gst.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <mutex>
#include <string>

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

}  // namespace sightglass
