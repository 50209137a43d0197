#include "texture_source.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2ext.h>
#include <gst/video/video.h>

#include <cstring>

#include "gl/gl_bridge.h"
#include "test_pipeline.h"

namespace sightglass::test {

struct TextureSource::Job {
  TextureSource* source;
  const Rgba* picture;
  bool external;
  GLuint texture;  // 0 if none could be created
};

namespace {

// EGL and GStreamer take the name of a texture as a pointer.
void* as_pointer(GLuint name) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(name));  // NOLINT(performance-no-int-to-ptr)
}

// Creates an EGL image of the texture in the current context; null if EGL rejects it.
EGLImageKHR make_image(GLuint texture) {
  const EGLDisplay display = eglGetCurrentDisplay();
  const char* extensions = eglQueryString(display, EGL_EXTENSIONS);
  if (extensions == nullptr || std::strstr(extensions, "EGL_KHR_gl_texture_2D_image") == nullptr) {
    return EGL_NO_IMAGE_KHR;
  }
  const auto create = reinterpret_cast<PFNEGLCREATEIMAGEKHRPROC>(eglGetProcAddress("eglCreateImageKHR"));
  return create(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR, as_pointer(texture), nullptr);
}

}  // namespace

TextureSource::TextureSource() {
  init_gstreamer();
  display_ = gst_gl_display_new();
  GError* error = nullptr;
  if (!gst_gl_display_create_context(display_, nullptr, &context_, &error)) g_error("%s", error->message);
  gst_gl_display_add_context(display_, context_);
  gst_gl_context_thread_add(
      context_,
      [](GstGLContext* context, gpointer data) {
        const auto gl = load_gl_api(context);
        if (!gl.ok()) g_error("%s", gl.status().message().c_str());
        *static_cast<GlApi*>(data) = *gl;
      },
      &gl_);
}

TextureSource::~TextureSource() {
  gst_gl_context_thread_add(
      context_,
      [](GstGLContext*, gpointer data) {
        auto* source = static_cast<TextureSource*>(data);
        const auto destroy = reinterpret_cast<PFNEGLDESTROYIMAGEKHRPROC>(eglGetProcAddress("eglDestroyImageKHR"));
        for (void* image : source->images_) destroy(eglGetCurrentDisplay(), image);
        source->textures_.clear();
      },
      this);
  gst_object_unref(context_);
  gst_object_unref(display_);
}

void TextureSource::give_to(GstElement* pipeline) const {
  GstContext* context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(context, display_);
  gst_element_set_context(pipeline, context);
  gst_context_unref(context);
}

void TextureSource::make_textures(Job& job) {
  textures_.push_back(upload(gl_, *job.picture));
  if (job.external) {
    const EGLImageKHR image = make_image(textures_.back().id());
    if (image == EGL_NO_IMAGE_KHR) return;
    images_.push_back(image);
    GLuint id = 0;
    gl_.GenTextures(1, &id);
    textures_.emplace_back(gl_, id);
    gl_.BindTexture(GL_TEXTURE_EXTERNAL_OES, id);
    const auto target =
        reinterpret_cast<PFNGLEGLIMAGETARGETTEXTURE2DOESPROC>(eglGetProcAddress("glEGLImageTargetTexture2DOES"));
    target(GL_TEXTURE_EXTERNAL_OES, image);
    const bool made = gl_.GetError() == GL_NO_ERROR;
    gl_.BindTexture(GL_TEXTURE_EXTERNAL_OES, 0);
    if (!made) return;
  }
  job.texture = textures_.back().id();
}

GstBuffer* TextureSource::make(const Rgba& picture, GstGLTextureTarget target) {
  Job job{this, &picture, target == GST_GL_TEXTURE_TARGET_EXTERNAL_OES, 0};
  gst_gl_context_thread_add(
      context_,
      [](GstGLContext*, gpointer data) {
        auto* that = static_cast<Job*>(data);
        that->source->make_textures(*that);
      },
      &job);
  if (job.texture == 0) return nullptr;
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGBA, static_cast<guint>(picture.width),
                            static_cast<guint>(picture.height));
  GstGLVideoAllocationParams* params = gst_gl_video_allocation_params_new_wrapped_gl_handle(
      context_, nullptr, &info, 0, nullptr, target, GST_GL_RGBA8, as_pointer(job.texture), nullptr, nullptr);
  GstGLMemoryAllocator* allocator = gst_gl_memory_allocator_get_default(context_);
  GstBuffer* buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer,
                           GST_MEMORY_CAST(gst_gl_base_memory_alloc(GST_GL_BASE_MEMORY_ALLOCATOR(allocator),
                                                                    reinterpret_cast<GstGLAllocationParams*>(params))));
  gst_object_unref(allocator);
  gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams*>(params));
  gst_buffer_add_video_meta(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGBA, static_cast<guint>(picture.width),
                            static_cast<guint>(picture.height));
  return buffer;
}

std::string TextureSource::caps(int32_t width, int32_t height, GstGLTextureTarget target) {
  return "video/x-raw(memory:GLMemory),format=RGBA,framerate=30/1,width=" + std::to_string(width) +
         ",height=" + std::to_string(height) + ",texture-target=" + gst_gl_texture_target_to_string(target);
}

}  // namespace sightglass::test
