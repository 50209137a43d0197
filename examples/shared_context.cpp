// An application that embeds the elements and draws with its own OpenGL ES context: the pipeline shares the context, so
// its frames are textures of the application. Shows a video with a blurred background in an SDL window; the up and down
// keys change the blur.
//
//   shared_context [FRAMES] [SOURCE ELEMENTS]
//
// For example: shared_context 300 "v4l2src ! glupload ! glcolorconvert". 0 frames: until the window is closed.
#include <EGL/egl.h>
#include <GLES3/gl31.h>
#include <SDL.h>
#include <gst/app/gstappsink.h>
#include <gst/gl/egl/gstgldisplay_egl.h>
#include <gst/gl/gl.h>
#include <gst/gst.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct SharedContext {
  GstGLDisplay* display;
  GstGLContext* context;  // that of the application, wrapped
};

// Elements ask the application for a display and a context before they create their own.
GstBusSyncReply answer(GstBus* /*bus*/, GstMessage* message, gpointer user_data) {
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_NEED_CONTEXT) return GST_BUS_PASS;
  const auto* shared = static_cast<SharedContext*>(user_data);
  const gchar* type = nullptr;
  gst_message_parse_context_type(message, &type);
  GstContext* context = nullptr;
  if (g_strcmp0(type, GST_GL_DISPLAY_CONTEXT_TYPE) == 0) {
    context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    gst_context_set_gl_display(context, shared->display);
  } else if (g_strcmp0(type, "gst.gl.app_context") == 0) {
    context = gst_context_new("gst.gl.app_context", TRUE);
    gst_structure_set(gst_context_writable_structure(context), "context", GST_TYPE_GL_CONTEXT, shared->context,
                      nullptr);
  } else {
    return GST_BUS_PASS;
  }
  gst_element_set_context(GST_ELEMENT(GST_MESSAGE_SRC(message)), context);
  gst_context_unref(context);
  gst_message_unref(message);
  return GST_BUS_DROP;
}

// Draws a texture over the window. SDL 2 has no function for foreign textures.
void draw(GLuint texture, int width, int height, SDL_Window* window) {
  static GLuint framebuffer = 0;
  if (framebuffer == 0) glGenFramebuffers(1, &framebuffer);
  int window_width = 0, window_height = 0;
  SDL_GL_GetDrawableSize(window, &window_width, &window_height);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  glBlitFramebuffer(0, height, width, 0, 0, 0, window_width, window_height, GL_COLOR_BUFFER_BIT, GL_LINEAR);
  SDL_GL_SwapWindow(window);
}

// Waits on the GPU for the commands that draw the frame, and shows it.
bool show(GstSample* sample, GstGLContext* context, SDL_Window* window) {
  GstBuffer* buffer = gst_sample_get_buffer(sample);
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample))) return false;
  if (GstGLSyncMeta* sync = gst_buffer_get_gl_sync_meta(buffer)) gst_gl_sync_meta_wait(sync, context);
  if (!gst_video_frame_map(&frame, &info, buffer, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_GL))) return false;
  draw(*static_cast<GLuint*>(frame.data[0]), info.width, info.height, window);
  gst_video_frame_unmap(&frame);
  return true;
}

// Returns false when the window is to be closed.
bool handle_events(GstElement* segment) {
  SDL_Event event;
  while (SDL_PollEvent(&event) != 0) {
    if (event.type == SDL_QUIT) return false;
    if (event.type != SDL_KEYDOWN) continue;
    const int step = event.key.keysym.sym == SDLK_UP ? 4 : event.key.keysym.sym == SDLK_DOWN ? -4 : 0;
    gfloat radius = 0;
    g_object_get(segment, "blur-radius", &radius, nullptr);
    if (step != 0)
      g_object_set(segment, "blur-radius", std::clamp(radius + static_cast<gfloat>(step), 0.0F, 256.0F), nullptr);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::atoi(argv[1]) : 0;
  const std::string source = argc > 2 ? argv[2] : "glfiguresrc seed-interval=90 is-live=true";
  gst_init(nullptr, nullptr);
  SDL_SetHint(SDL_HINT_VIDEO_X11_FORCE_EGL, "1");
  SDL_SetHint(SDL_HINT_OPENGL_ES_DRIVER, "1");
  if (SDL_Init(SDL_INIT_VIDEO) != 0) return std::fprintf(stderr, "shared_context: %s\n", SDL_GetError()), 1;
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_ES);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 1);
  SDL_Window* window = SDL_CreateWindow("Sightglass", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 1280, 720,
                                        SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
  if (window == nullptr || SDL_GL_CreateContext(window) == nullptr) {
    return std::fprintf(stderr, "shared_context: %s\n", SDL_GetError()), 1;
  }
  GstGLDisplay* display = GST_GL_DISPLAY(gst_gl_display_egl_new_with_egl_display(eglGetCurrentDisplay()));
  const auto handle = reinterpret_cast<guintptr>(eglGetCurrentContext());
  SharedContext shared{display, gst_gl_context_new_wrapped(display, handle, GST_GL_PLATFORM_EGL, GST_GL_API_GLES2)};
  gst_gl_context_activate(shared.context, TRUE);
  gst_gl_context_fill_info(shared.context, nullptr);

  const std::string text = source +
                           " ! video/x-raw(memory:GLMemory),width=1280,height=720"
                           " ! glsegment name=segment model=figure blur-radius=32"
                           " ! video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D"
                           " ! appsink name=sink max-buffers=2 drop=true";
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(text.c_str(), &error);
  if (error != nullptr) return std::fprintf(stderr, "shared_context: %s\n", error->message), 1;
  GstBus* bus = gst_element_get_bus(pipeline);
  gst_bus_set_sync_handler(bus, answer, &shared, nullptr);
  GstElement* segment = gst_bin_get_by_name(GST_BIN(pipeline), "segment");
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);

  int shown = 0;
  while ((frames == 0 || shown < frames) && handle_events(segment)) {
    GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 20 * GST_MSECOND);
    if (sample == nullptr) {
      if (gst_app_sink_is_eos(GST_APP_SINK(sink)) != 0) break;
      continue;
    }
    shown += show(sample, shared.context, window) ? 1 : 0;
    gst_sample_unref(sample);
  }
  int status = 0;
  if (GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR)) {
    gst_message_parse_error(message, &error, nullptr);
    std::fprintf(stderr, "shared_context: %s\n", error->message);
    status = 1;
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  std::printf("%d frames\n", shown);
  return status;
}
