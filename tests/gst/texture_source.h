// Frames that are textures from the start, as decoders and cameras give them: 2D or external, of any size.
#pragma once

#include <gst/gl/gl.h>

#include <string>
#include <vector>

#include "gl_pictures.h"
#include "gpu_engine/gl_api.h"

namespace sightglass::test {

// A GL display and context that the pipelines it is given to share with it. The buffers must not outlive it.
class TextureSource {
 public:
  TextureSource();
  ~TextureSource();
  TextureSource(const TextureSource&) = delete;
  TextureSource& operator=(const TextureSource&) = delete;

  GstGLContext* context() const { return context_; }
  // While the pipeline is stopped.
  void give_to(GstElement* pipeline) const;

  // A buffer of GstGLMemory with the picture in a texture of this target; null where EGL makes no external texture of a
  // 2D one (EGL_KHR_gl_texture_2D_image).
  GstBuffer* make(const Rgba& picture, GstGLTextureTarget target);
  // What describes it, of this or another size.
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
