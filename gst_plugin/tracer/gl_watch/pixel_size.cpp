#include "entry.h"

namespace sightglass::gl_watch {

namespace {

// By value: the headers of desktop GL and OpenGL ES cannot be combined.
uint64_t components(unsigned format) {
  switch (format) {
    case 0x1901:  // GL_STENCIL_INDEX
    case 0x1902:  // GL_DEPTH_COMPONENT
    case 0x1903:  // GL_RED
    case 0x1904:  // GL_GREEN
    case 0x1905:  // GL_BLUE
    case 0x1906:  // GL_ALPHA
    case 0x1909:  // GL_LUMINANCE
    case 0x8D94:  // GL_RED_INTEGER
      return 1;
    case 0x190A:  // GL_LUMINANCE_ALPHA
    case 0x8227:  // GL_RG
    case 0x8228:  // GL_RG_INTEGER
    case 0x84F9:  // GL_DEPTH_STENCIL
      return 2;
    case 0x1907:  // GL_RGB
    case 0x80E0:  // GL_BGR
    case 0x8D98:  // GL_RGB_INTEGER
    case 0x8D9A:  // GL_BGR_INTEGER
      return 3;
    case 0x1908:  // GL_RGBA
    case 0x80E1:  // GL_BGRA
    case 0x8D99:  // GL_RGBA_INTEGER
    case 0x8D9B:  // GL_BGRA_INTEGER
      return 4;
    default:
      return 0;
  }
}

uint64_t bytes_of_pixel(unsigned format, unsigned type) {
  switch (type) {
    case 0x1400:  // GL_BYTE
    case 0x1401:  // GL_UNSIGNED_BYTE
      return components(format);
    case 0x1402:  // GL_SHORT
    case 0x1403:  // GL_UNSIGNED_SHORT
    case 0x140B:  // GL_HALF_FLOAT
    case 0x8D61:  // GL_HALF_FLOAT_OES
      return 2 * components(format);
    case 0x1404:  // GL_INT
    case 0x1405:  // GL_UNSIGNED_INT
    case 0x1406:  // GL_FLOAT
      return 4 * components(format);
    case 0x8032:  // GL_UNSIGNED_BYTE_3_3_2
    case 0x8362:  // GL_UNSIGNED_BYTE_2_3_3_REV
      return 1;
    case 0x8033:  // GL_UNSIGNED_SHORT_4_4_4_4
    case 0x8034:  // GL_UNSIGNED_SHORT_5_5_5_1
    case 0x8363:  // GL_UNSIGNED_SHORT_5_6_5
    case 0x8364:  // GL_UNSIGNED_SHORT_5_6_5_REV
    case 0x8365:  // GL_UNSIGNED_SHORT_4_4_4_4_REV
    case 0x8366:  // GL_UNSIGNED_SHORT_1_5_5_5_REV
      return 2;
    case 0x8035:  // GL_UNSIGNED_INT_8_8_8_8
    case 0x8036:  // GL_UNSIGNED_INT_10_10_10_2
    case 0x8367:  // GL_UNSIGNED_INT_8_8_8_8_REV
    case 0x8368:  // GL_UNSIGNED_INT_2_10_10_10_REV
    case 0x84FA:  // GL_UNSIGNED_INT_24_8
    case 0x8C3B:  // GL_UNSIGNED_INT_10F_11F_11F_REV
    case 0x8C3E:  // GL_UNSIGNED_INT_5_9_9_9_REV
      return 4;
    case 0x8DAD:  // GL_FLOAT_32_UNSIGNED_INT_24_8_REV
      return 8;
    default:
      return 0;
  }
}

}  // namespace

uint64_t pixel_bytes(unsigned format, unsigned type, int64_t width, int64_t height, int64_t depth) {
  if (width < 0 || height < 0 || depth < 0) return 0;
  return bytes_of_pixel(format, type) * static_cast<uint64_t>(width) * static_cast<uint64_t>(height) *
         static_cast<uint64_t>(depth);
}

}  // namespace sightglass::gl_watch
