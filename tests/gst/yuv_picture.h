// Planar images for tests, and their colors: a scalar conversion that follows GStreamer's description of the caps.
#pragma once

#include <gst/video/video.h>

#include <string>
#include <vector>

#include "gl_pictures.h"

namespace sightglass::test {

struct YuvPicture {
  std::string caps;
  GstVideoInfo info;
  std::vector<uint8_t> bytes;  // in the default layout of GStreamer

  // `format` is an 8-bit 4:2:0 format. `extra` is further fields of the caps: ",colorimetry=bt709".
  YuvPicture(const std::string& format, int32_t width, int32_t height, const std::string& extra);

  // Returns component 0 to 2 (Y, Cb, Cr) in its plane.
  uint8_t& sample(guint component, int32_t x, int32_t y);
  uint8_t sample(guint component, int32_t x, int32_t y) const;
  // Returns RGBA without rounding: chroma is interpolated linearly between samples at the positions that the caps
  // state.
  std::vector<double> to_rgb() const;  // per pixel: R, G, and B in [0,255]
  Rgba to_rgba() const;
};

// Noise over gradients in all three components, within the range that the caps state.
YuvPicture noisy_picture(const std::string& format, int32_t width, int32_t height, const std::string& extra);
// Converts an image to another format.
YuvPicture to_yuv(const Rgba& picture, const std::string& format, const std::string& extra);

}  // namespace sightglass::test
