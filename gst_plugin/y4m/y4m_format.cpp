#include "y4m/y4m_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

namespace sightglass {

namespace {

struct Colorspace {
  std::string_view name;  // behind "C"
  GstVideoFormat format;
  GstVideoChromaSite site;
};
// The first row of a format and a site is the one that is written.
constexpr Colorspace kColorspaces[] = {
    {"420jpeg", GST_VIDEO_FORMAT_I420, GST_VIDEO_CHROMA_SITE_JPEG},
    {"420mpeg2", GST_VIDEO_FORMAT_I420, GST_VIDEO_CHROMA_SITE_MPEG2},
    {"420paldv", GST_VIDEO_FORMAT_I420, GST_VIDEO_CHROMA_SITE_DV},
    {"420", GST_VIDEO_FORMAT_I420, GST_VIDEO_CHROMA_SITE_JPEG},
    {"422", GST_VIDEO_FORMAT_Y42B, GST_VIDEO_CHROMA_SITE_MPEG2},
    {"444", GST_VIDEO_FORMAT_Y444, GST_VIDEO_CHROMA_SITE_UNKNOWN},
    {"411", GST_VIDEO_FORMAT_Y41B, GST_VIDEO_CHROMA_SITE_MPEG2},
    {"mono", GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_CHROMA_SITE_UNKNOWN},
    {"420p10", GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_CHROMA_SITE_MPEG2},
    {"422p10", GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_CHROMA_SITE_MPEG2},
    {"444p10", GST_VIDEO_FORMAT_Y444_10LE, GST_VIDEO_CHROMA_SITE_UNKNOWN},
    {"420p12", GST_VIDEO_FORMAT_I420_12LE, GST_VIDEO_CHROMA_SITE_MPEG2},
    {"422p12", GST_VIDEO_FORMAT_I422_12LE, GST_VIDEO_CHROMA_SITE_MPEG2},
    {"444p12", GST_VIDEO_FORMAT_Y444_12LE, GST_VIDEO_CHROMA_SITE_UNKNOWN},
    {"mono16", GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_CHROMA_SITE_UNKNOWN},
};

constexpr std::string_view kMagic = "YUV4MPEG2";

std::string names_of_colorspaces() {
  std::string names;
  for (const Colorspace& space : kColorspaces) names += (names.empty() ? "" : ", ") + std::string(space.name);
  return names;
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Fraction {
  int numerator = 0, denominator = 0;
};

std::optional<Fraction> fraction_of(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  const auto numerator = number_of(text.substr(0, colon)), denominator = number_of(text.substr(colon + 1));
  if (!numerator || !denominator || *numerator < 0 || *denominator < 0) return std::nullopt;
  return Fraction{*numerator, *denominator};
}

Status bad_parameter(std::string_view parameter, const std::string& reason) {
  return invalid_argument("the Y4M header has " + std::string(parameter) + ": " + reason);
}

// The parameters of a header.
struct Header {
  int width = 0, height = 0;
  Fraction rate{0, 1}, aspect{1, 1};
  const Colorspace* space = kColorspaces;
  char interlacing = 'p';
  bool full_range = false;

  Status read(std::string_view parameter);
};

Status Header::read(std::string_view parameter) {
  const std::string_view value = parameter.substr(1);
  switch (parameter[0]) {
    case 'W':
    case 'H': {
      constexpr int kMostSide = 32767;
      const auto number = number_of(value);
      if (!number || *number < 1 || *number > kMostSide) {
        return bad_parameter(parameter, "use a size from 1 to " + std::to_string(kMostSide));
      }
      (parameter[0] == 'W' ? width : height) = *number;
      return {};
    }
    case 'F':
    case 'A': {
      const auto fraction = fraction_of(value);
      if (!fraction) return bad_parameter(parameter, "use NUMERATOR:DENOMINATOR");
      // 0:0 means unknown.
      if (fraction->numerator > 0 && fraction->denominator > 0) (parameter[0] == 'F' ? rate : aspect) = *fraction;
      return {};
    }
    case 'C': {
      const auto* found = std::ranges::find(kColorspaces, value, &Colorspace::name);
      if (found == std::end(kColorspaces)) {
        return unsupported("Y4M frames of format " + std::string(value) + " are not supported; use one of " +
                           names_of_colorspaces());
      }
      space = found;
      return {};
    }
    case 'I':
      if (!value.empty()) interlacing = value[0];
      return {};
    case 'X':
      if (value == "COLORRANGE=FULL") full_range = true;
      return {};
    default:
      return {};  // unknown parameters are comments
  }
}

}  // namespace

GstVideoInfo y4m_layout(const GstVideoInfo& info) {
  GstVideoInfo packed = info;
  const GstVideoFormatInfo* const format = info.finfo;
  gsize offset = 0;
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES(&info); ++plane) {
    const gint width = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(format, plane, GST_VIDEO_INFO_WIDTH(&info));
    const gint height = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(format, plane, GST_VIDEO_INFO_HEIGHT(&info));
    packed.stride[plane] = width * GST_VIDEO_FORMAT_INFO_PSTRIDE(format, plane);
    packed.offset[plane] = offset;
    offset += static_cast<gsize>(packed.stride[plane]) * static_cast<gsize>(height);
  }
  packed.size = offset;
  return packed;
}

bool same_layout(const GstVideoInfo& one, const GstVideoInfo& other) {
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES(&one); ++plane) {
    if (one.stride[plane] != other.stride[plane] || one.offset[plane] != other.offset[plane]) return false;
  }
  return true;
}

Result<GstVideoInfo> parse_y4m_header(std::string_view line) {
  if (!line.starts_with(kMagic)) return invalid_argument("the stream does not begin with " + std::string(kMagic));
  Header header;
  for (std::string_view rest = line.substr(kMagic.size()); !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) SIGHTGLASS_RETURN_IF_ERROR(header.read(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (header.width == 0 || header.height == 0) return invalid_argument("the Y4M header has no width (W) or height (H)");
  GstVideoInfo info;
  if (!gst_video_info_set_format(&info, header.space->format, static_cast<guint>(header.width),
                                 static_cast<guint>(header.height))) {
    return invalid_argument("the Y4M frames are too large: " + std::to_string(header.width) + "x" +
                            std::to_string(header.height));
  }
  info.fps_n = header.rate.numerator;
  info.fps_d = header.rate.denominator;
  info.par_n = header.aspect.numerator;
  info.par_d = header.aspect.denominator;
  info.chroma_site = header.space->site;
  // GStreamer takes gray frames for full-range ones, but these are the luma of video.
  info.colorimetry.range = header.full_range ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
  if (header.interlacing == 't' || header.interlacing == 'b') {
    info.interlace_mode = GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
    GST_VIDEO_INFO_FIELD_ORDER(&info) =
        header.interlacing == 't' ? GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST : GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST;
  }
  return y4m_layout(info);
}

std::string y4m_header(const GstVideoInfo& info) {
  const Colorspace* space = nullptr;
  for (const Colorspace& candidate : kColorspaces) {
    if (candidate.format != GST_VIDEO_INFO_FORMAT(&info)) continue;
    if (space == nullptr || candidate.site == info.chroma_site) space = &candidate;
    if (candidate.site == info.chroma_site) break;
  }
  const bool interlaced = info.interlace_mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
  const bool bottom = GST_VIDEO_INFO_FIELD_ORDER(&info) == GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST;
  // Readers reject a rate of 0, which frames of a variable rate and still images have.
  const bool rated = info.fps_n > 0 && info.fps_d > 0;
  const auto fraction = [](int numerator, int denominator) {
    return std::to_string(numerator) + ":" + std::to_string(denominator);
  };
  std::string header = std::string(kMagic) + " W" + std::to_string(GST_VIDEO_INFO_WIDTH(&info)) + " H" +
                       std::to_string(GST_VIDEO_INFO_HEIGHT(&info)) + " F" +
                       (rated ? fraction(info.fps_n, info.fps_d) : fraction(30, 1)) + " I" +
                       (interlaced ? (bottom ? "b" : "t") : "p") + " A" + fraction(info.par_n, info.par_d);
  if (space != nullptr) header += " C" + std::string(space->name);
  if (info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255) header += " XCOLORRANGE=FULL";
  return header + "\n";
}

}  // namespace sightglass
