// Frames that are textures from the start, as from decoders and cameras: 2D or external, of any size.
#pragma once

#include <gst/gl/gl.h>

#include <string>
#include <vector>

#include "gl_pictures.h"
#include "sightglass/gl_api.h"

namespace sightglass::test {

// A GL display and context to share with pipelines. The buffers must not outlive it.
class TextureSource {
 public:
  TextureSource();
  ~TextureSource();
  TextureSource(const TextureSource&) = delete;
  TextureSource& operator=(const TextureSource&) = delete;

  GstGLContext* context() const { return context_; }
  // Call this while the pipeline is stopped.
  void give_to(GstElement* pipeline) const;

  // Returns a buffer of GstGLMemory with the image in a texture of this target; null if EGL cannot make an external
  // texture from a 2D one (EGL_KHR_gl_texture_2D_image).
  GstBuffer* make(const Rgba& picture, GstGLTextureTarget target);
  // The caps of such a buffer, of this or another size.
  static std::string caps(int32_t width, int32_t height, GstGLTextureTarget target);

 private:
  struct Job;
  void make_textures(Job& job);

  GstGLDisplay* display_ = nullptr;
  GstGLContext* context_ = nullptr;
  GlApi gl_;
  std::vector<GlTexture> textures_;
  std::vector<void*> images_;  // EGLImageKHR
};

}  // namespace sightglass::test
