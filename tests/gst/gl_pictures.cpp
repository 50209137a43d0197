#include "gl_pictures.h"

#include <gdk-pixbuf/gdk-pixbuf.h>

#include <cstring>
#include <filesystem>

#include "harness/scratch_folder.h"

namespace sightglass::test {

GlTexture upload(const GlApi& gl, const Rgba& picture) {
  GlTexture texture = make_texture(gl, GL_RGBA8, picture.width, picture.height);
  gl.BindTexture(GL_TEXTURE_2D, texture.id());
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, picture.width, picture.height, GL_RGBA, GL_UNSIGNED_BYTE,
                   picture.pixels.data());
  gl.BindTexture(GL_TEXTURE_2D, 0);
  return texture;
}

GlTexture upload_mask(const GlApi& gl, int32_t width, int32_t height, const std::vector<float>& values) {
  std::vector<float> rgba;
  for (const float value : values) rgba.insert(rgba.end(), {value, value, value, 1});
  GlTexture texture = make_texture(gl, GL_RGBA16F, width, height);
  gl.BindTexture(GL_TEXTURE_2D, texture.id());
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_FLOAT, rgba.data());
  gl.BindTexture(GL_TEXTURE_2D, 0);
  return texture;
}

Rgba download(const GlApi& gl, GLuint texture, int32_t width, int32_t height) {
  Rgba picture(width, height);
  GLuint framebuffer = 0;
  gl.GenFramebuffers(1, &framebuffer);
  gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  gl.ReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
  gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl.DeleteFramebuffers(1, &framebuffer);
  return picture;
}

Rgba load_picture(const std::string& path) {
  GdkPixbuf* file = gdk_pixbuf_new_from_file(path.c_str(), nullptr);
  if (file == nullptr) return {};
  GdkPixbuf* rgba = gdk_pixbuf_add_alpha(file, FALSE, 0, 0, 0);
  g_object_unref(file);
  Rgba picture(gdk_pixbuf_get_width(rgba), gdk_pixbuf_get_height(rgba));
  for (int32_t y = 0; y < picture.height; ++y) {
    std::memcpy(picture.at(0, y),
                gdk_pixbuf_read_pixels(rgba) + static_cast<ptrdiff_t>(y) * gdk_pixbuf_get_rowstride(rgba),
                static_cast<size_t>(picture.width) * 4);
  }
  g_object_unref(rgba);
  return picture;
}

bool save_png(const Rgba& picture, const std::string& path) {
  GdkPixbuf* pixbuf = gdk_pixbuf_new_from_data(picture.pixels.data(), GDK_COLORSPACE_RGB, TRUE, 8, picture.width,
                                               picture.height, picture.width * 4, nullptr, nullptr);
  const gboolean saved = gdk_pixbuf_save(pixbuf, path.c_str(), "png", nullptr, nullptr);
  g_object_unref(pixbuf);
  return saved != FALSE;
}

double iou(const Rgba& a, const Rgba& b) {
  size_t both = 0, either = 0;
  for (size_t i = 0; i < a.pixels.size() && i < b.pixels.size(); i += 4) {
    const bool in_a = a.pixels[i] > 127, in_b = b.pixels[i] > 127;
    both += in_a && in_b ? 1 : 0;
    either += in_a || in_b ? 1 : 0;
  }
  return either == 0 ? 1.0 : static_cast<double>(both) / static_cast<double>(either);
}

namespace {

// A link to a directory in the directory of the test.
std::string linked(const std::filesystem::path& directory, const char* name) {
  const std::filesystem::path link = scratch_folder() / name;
  std::error_code error;
  if (!std::filesystem::is_symlink(link, error)) std::filesystem::create_directory_symlink(directory, link);
  return link.string();
}

}  // namespace

std::string shared_directory() {
  const std::filesystem::path path = std::filesystem::path(SIGHTGLASS_SOURCE_DIR).parent_path() / "shared";
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? linked(path, "shared") : std::string();
}

std::string figure_file() { return linked(SIGHTGLASS_SOURCE_DIR "/models/figure", "bundled") + "/figure.tflite"; }

}  // namespace sightglass::test
