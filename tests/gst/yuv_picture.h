// Pictures of planes for tests, and what they look like: a scalar conversion by GStreamer's description of the caps.
#pragma once

#include <gst/video/video.h>

#include <string>
#include <vector>

#include "gl_pictures.h"

namespace sightglass::test {

struct YuvPicture {
  std::string caps;
  GstVideoInfo info;
  std::vector<uint8_t> bytes;  // in GStreamer's default layout

  // `format` is one of those of 4:2:0 with 8 bits; `extra` are further fields of the caps: ",colorimetry=bt709".
  YuvPicture(const std::string& format, int32_t width, int32_t height, const std::string& extra);

  // Component 0 to 2 (Y, Cb, Cr) in its plane.
  uint8_t& sample(guint component, int32_t x, int32_t y);
  uint8_t sample(guint component, int32_t x, int32_t y) const;
  // As RGBA, not rounded: chroma is interpolated linearly between samples that lie where the caps say.
  std::vector<double> to_rgb() const;  // by pixel: R, G and B in [0,255]
  Rgba to_rgba() const;
};

// Noise over gradients in all three components, in reach of the range that the caps say.
YuvPicture noisy_picture(const std::string& format, int32_t width, int32_t height, const std::string& extra);
// What a picture becomes in another format.
YuvPicture to_yuv(const Rgba& picture, const std::string& format, const std::string& extra);

}  // namespace sightglass::test
