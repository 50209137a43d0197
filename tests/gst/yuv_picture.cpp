#include "yuv_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sightglass::test {

namespace {

struct Coding {
  double kr = 0, kb = 0;
  std::array<double, 3> offset{}, scale{};
};

Coding coding_of(const GstVideoInfo& info) {
  Coding coding;
  gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &coding.kr, &coding.kb);
  std::array<gint, GST_VIDEO_MAX_COMPONENTS> offset{}, scale{};
  gst_video_color_range_offsets(info.colorimetry.range, info.finfo, offset.data(), scale.data());
  std::copy_n(offset.begin(), 3, coding.offset.begin());
  std::copy_n(scale.begin(), 3, coding.scale.begin());
  return coding;
}

// The position of an image pixel in a chroma plane, in samples.
double chroma_place(int32_t pixel, bool cosited) { return cosited ? pixel / 2.0 : (pixel - 0.5) / 2.0; }

}  // namespace

YuvPicture::YuvPicture(const std::string& format, int32_t width, int32_t height, const std::string& extra)
    : caps("video/x-raw,format=" + format + ",width=" + std::to_string(width) + ",height=" + std::to_string(height) +
           ",framerate=30/1" + extra) {
  GstCaps* parsed = gst_caps_from_string(caps.c_str());
  if (parsed == nullptr || !gst_video_info_from_caps(&info, parsed)) g_error("not video caps: %s", caps.c_str());
  gst_caps_unref(parsed);
  bytes.resize(info.size);
}

uint8_t& YuvPicture::sample(guint component, int32_t x, int32_t y) {
  return bytes[GST_VIDEO_INFO_COMP_OFFSET(&info, component) +
               static_cast<size_t>(y) * static_cast<size_t>(GST_VIDEO_INFO_COMP_STRIDE(&info, component)) +
               static_cast<size_t>(x) * static_cast<size_t>(GST_VIDEO_INFO_COMP_PSTRIDE(&info, component))];
}

uint8_t YuvPicture::sample(guint component, int32_t x, int32_t y) const {
  return const_cast<YuvPicture*>(this)->sample(component, x, y);
}

std::vector<double> YuvPicture::to_rgb() const {
  const Coding coding = coding_of(info);
  const auto site = static_cast<unsigned>(info.chroma_site);
  const auto interpolated = [&](guint component, int32_t x, int32_t y) {
    const int32_t width = GST_VIDEO_INFO_COMP_WIDTH(&info, component);
    const int32_t height = GST_VIDEO_INFO_COMP_HEIGHT(&info, component);
    const double at_x = chroma_place(x, (site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0);
    const double at_y = chroma_place(y, (site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0);
    const auto get = [&](double column, double row) {
      return static_cast<double>(sample(component, std::clamp(static_cast<int32_t>(column), 0, width - 1),
                                        std::clamp(static_cast<int32_t>(row), 0, height - 1)));
    };
    const double left = std::floor(at_x), top = std::floor(at_y), fx = at_x - left, fy = at_y - top;
    return (1 - fy) * ((1 - fx) * get(left, top) + fx * get(left + 1, top)) +
           fy * ((1 - fx) * get(left, top + 1) + fx * get(left + 1, top + 1));
  };
  std::vector<double> rgb;
  for (int32_t y = 0; y < info.height; ++y) {
    for (int32_t x = 0; x < info.width; ++x) {
      const double luma = (sample(0, x, y) - coding.offset[0]) / coding.scale[0];
      const double cb = (interpolated(1, x, y) - coding.offset[1]) / coding.scale[1];
      const double cr = (interpolated(2, x, y) - coding.offset[2]) / coding.scale[2];
      const double red = luma + 2 * (1 - coding.kr) * cr, blue = luma + 2 * (1 - coding.kb) * cb;
      const double green = (luma - coding.kr * red - coding.kb * blue) / (1 - coding.kr - coding.kb);
      for (const double value : {red, green, blue}) rgb.push_back(255 * std::clamp(value, 0.0, 1.0));
    }
  }
  return rgb;
}

Rgba YuvPicture::to_rgba() const {
  Rgba picture(info.width, info.height);
  const std::vector<double> rgb = to_rgb();
  for (size_t i = 0; i < rgb.size() / 3; ++i) {
    for (size_t c = 0; c < 3; ++c) picture.pixels[4 * i + c] = static_cast<uint8_t>(std::lround(rgb[3 * i + c]));
    picture.pixels[4 * i + 3] = 255;
  }
  return picture;
}

YuvPicture noisy_picture(const std::string& format, int32_t width, int32_t height, const std::string& extra) {
  YuvPicture picture(format, width, height, extra);
  uint32_t state = 12345;
  for (guint component = 0; component < 3; ++component) {
    const int32_t columns = GST_VIDEO_INFO_COMP_WIDTH(&picture.info, component);
    const int32_t rows = GST_VIDEO_INFO_COMP_HEIGHT(&picture.info, component);
    for (int32_t y = 0; y < rows; ++y) {
      for (int32_t x = 0; x < columns; ++x) {
        state = state * 1664525U + 1013904223U;
        const int32_t slope = component == 1 ? 128 * y / rows : 128 * x / columns;
        picture.sample(component, x, y) = static_cast<uint8_t>(32 + slope + static_cast<int32_t>(state >> 26));
      }
    }
  }
  return picture;
}

YuvPicture to_yuv(const Rgba& picture, const std::string& format, const std::string& extra) {
  YuvPicture yuv(format, picture.width, picture.height, extra);
  const Coding coding = coding_of(yuv.info);
  for (guint component = 0; component < 3; ++component) {
    const int32_t step = component == 0 ? 1 : 2;
    for (int32_t y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT(&yuv.info, component); ++y) {
      for (int32_t x = 0; x < GST_VIDEO_INFO_COMP_WIDTH(&yuv.info, component); ++x) {
        double sum = 0;
        for (int32_t i = 0; i < step * step; ++i) {
          const uint8_t* p = picture.at(std::min(x * step + i % step, picture.width - 1),
                                        std::min(y * step + i / step, picture.height - 1));
          const double luma = (coding.kr * p[0] + (1 - coding.kr - coding.kb) * p[1] + coding.kb * p[2]) / 255;
          sum += component == 0   ? luma
                 : component == 1 ? (p[2] / 255.0 - luma) / (2 * (1 - coding.kb))
                                  : (p[0] / 255.0 - luma) / (2 * (1 - coding.kr));
        }
        yuv.sample(component, x, y) = static_cast<uint8_t>(std::clamp(
            std::lround(coding.offset[component] + coding.scale[component] * sum / (step * step)), 0L, 255L));
      }
    }
  }
  return yuv;
}

}  // namespace sightglass::test
