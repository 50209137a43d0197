// Text drawn by Pango itself, for comparison with the plugin.
#pragma once

#include <pango/pangocairo.h>

#include <cstdint>
#include <string>
#include <vector>

#include "draw/text_atlas.h"

namespace sightglass::test {

struct PangoReference {
  bool drawable = false;  // fonts for all of its characters are installed
  int32_t width = 0;      // pixels
  std::vector<uint8_t> coverage;
};

// A line of `height` pixels, with the baseline of Latin text in a line of this height.
inline PangoReference draw_with_pango(const std::string& text, int32_t height) {
  PangoFontMap* map = pango_cairo_font_map_new();
  PangoContext* context = pango_font_map_create_context(map);
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON);
  pango_cairo_context_set_font_options(context, options);
  PangoFontDescription* font = pango_font_description_from_string("Sans");
  pango_font_description_set_absolute_size(font, Typesetter::kEmShare * height * PANGO_SCALE);
  PangoLayout* layout = pango_layout_new(context);
  pango_layout_set_font_description(layout, font);
  pango_layout_set_text(layout, "x", -1);
  PangoRectangle latin;
  pango_layout_get_pixel_extents(layout, nullptr, &latin);
  const int baseline = (height - latin.height) / 2 + PANGO_PIXELS(pango_layout_get_baseline(layout));
  pango_layout_set_text(layout, text.c_str(), -1);
  PangoReference reference;
  reference.drawable = pango_layout_get_unknown_glyphs_count(layout) == 0;
  PangoRectangle ink, logical;
  pango_layout_get_pixel_extents(layout, &ink, &logical);
  const int left = std::min(ink.x, logical.x);
  reference.width = std::max(ink.x + ink.width, logical.x + logical.width) - left;
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_A8, reference.width, height);
  cairo_t* canvas = cairo_create(surface);
  cairo_move_to(canvas, -left, baseline - PANGO_PIXELS(pango_layout_get_baseline(layout)));
  pango_cairo_show_layout(canvas, layout);
  cairo_surface_flush(surface);
  for (int32_t y = 0; y < height; ++y) {
    const uint8_t* row = cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface);
    reference.coverage.insert(reference.coverage.end(), row, row + reference.width);
  }
  cairo_destroy(canvas);
  cairo_surface_destroy(surface);
  pango_font_description_free(font);
  cairo_font_options_destroy(options);
  for (gpointer object : {static_cast<gpointer>(layout), static_cast<gpointer>(context), static_cast<gpointer>(map)}) {
    g_object_unref(object);
  }
  return reference;
}

}  // namespace sightglass::test
