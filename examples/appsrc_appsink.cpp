// An application with its own frames in textures: pushes them into a pipeline with appsrc, and receives the composited
// frames in an appsink, as textures. Nothing is copied to the CPU. Here, the frames show an image that moves.
//
//   appsrc_appsink IMAGE [FRAMES [LAST.png]]
//
// Pushes FRAMES frames (default: 60), or fewer if you press Ctrl-C. With LAST.png, it reads the last composited frame
// back and writes it.
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <gst/video/video.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<bool> interrupted = false;

struct App {
  GstGLContext* context = nullptr;  // of the application; the elements use it too
  GstBufferPool* pool = nullptr;    // textures to draw frames into
  GstVideoInfo info = {};
  GdkPixbuf* image = nullptr;  // RGBA
  GLuint texture = 0, framebuffer = 0;
  int number = 0, frames = 60, received = 0;
  GstBuffer* frame = nullptr;  // to draw next
  GstSample* last = nullptr;   // received last
};

void save(GstSample* sample, const char* path, GError** error) {
  GstVideoInfo info;
  GstVideoFrame frame;
  gst_video_info_from_caps(&info, gst_sample_get_caps(sample));
  if (!gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) return;
  g_autoptr(GdkPixbuf) image =
      gdk_pixbuf_new_from_data(static_cast<guchar*>(frame.data[0]), GDK_COLORSPACE_RGB, TRUE, 8, info.width,
                               info.height, GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0), nullptr, nullptr);
  gdk_pixbuf_save(image, path, "png", error, nullptr);
  gst_video_frame_unmap(&frame);
}

// In the thread of the context: draws the image, which moves by one pixel per frame.
void draw(GstGLContext* context, gpointer data) {
  auto* app = static_cast<App*>(data);
  const GstGLFuncs* gl = context->gl_vtable;
  const int width = app->info.width, height = app->info.height, shift = app->number % width;
  if (app->texture == 0) {
    gl->GenFramebuffers(1, &app->framebuffer);
    gl->GenTextures(1, &app->texture);
    gl->BindTexture(GL_TEXTURE_2D, app->texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   gdk_pixbuf_read_pixels(app->image));
  }
  gl->BindFramebuffer(GL_FRAMEBUFFER, app->framebuffer);
  gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, app->texture, 0);
  gl->BindTexture(GL_TEXTURE_2D, reinterpret_cast<GstGLMemory*>(gst_buffer_peek_memory(app->frame, 0))->tex_id);
  gl->CopyTexSubImage2D(GL_TEXTURE_2D, 0, shift, 0, 0, 0, width - shift, height);
  gl->CopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width - shift, 0, shift, height);
  gl->BindTexture(GL_TEXTURE_2D, 0);
  gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
  gst_gl_sync_meta_set_sync_point(gst_buffer_get_gl_sync_meta(app->frame), context);  // elements wait for it on the GPU
}

// appsrc has room for a frame.
void on_need_data(GstAppSrc* source, guint /*length*/, gpointer data) {
  auto* app = static_cast<App*>(data);
  if (interrupted || app->number == app->frames ||
      gst_buffer_pool_acquire_buffer(app->pool, &app->frame, nullptr) != GST_FLOW_OK) {
    gst_app_src_end_of_stream(source);
    return;
  }
  gst_gl_context_thread_add(app->context, draw, app);
  GST_BUFFER_PTS(app->frame) = gst_util_uint64_scale(static_cast<guint64>(app->number++), GST_SECOND, 30);
  gst_app_src_push_buffer(source, app->frame);
}

GstFlowReturn on_new_sample(GstAppSink* sink, gpointer data) {
  auto* app = static_cast<App*>(data);
  GstSample* sample = gst_app_sink_pull_sample(sink);
  if (sample == nullptr) return GST_FLOW_EOS;
  ++app->received;  // a real application draws the texture here
  if (app->last != nullptr) gst_sample_unref(app->last);
  app->last = sample;
  return GST_FLOW_OK;
}

int fail(const GError* error) { return std::fprintf(stderr, "appsrc_appsink: %s\n", error->message), 1; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4 || argv[1][0] == '-')
    return std::fprintf(stderr, "Usage: appsrc_appsink IMAGE [FRAMES [LAST.png]]\n"), 2;
  App app;
  if (argc > 2) app.frames = std::atoi(argv[2]);
  gst_init(nullptr, nullptr);
  std::signal(SIGINT, [](int) { interrupted = true; });
  g_autoptr(GError) error = nullptr;
  g_autoptr(GdkPixbuf) file = gdk_pixbuf_new_from_file(argv[1], &error);
  if (file == nullptr) return fail(error);
  app.image = gdk_pixbuf_add_alpha(file, FALSE, 0, 0, 0);
  gst_video_info_set_format(&app.info, GST_VIDEO_FORMAT_RGBA, gdk_pixbuf_get_width(file), gdk_pixbuf_get_height(file));
  g_autoptr(GstElement) pipeline = gst_parse_launch(
      "appsrc name=source format=time ! glsegment model=figure ! "
      "appsink name=sink emit-signals=true sync=false caps=video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D",
      &error);
  if (error != nullptr) return fail(error);
  // Elements that receive this display use the context of the application, in its thread.
  g_autoptr(GstGLDisplay) display = gst_gl_display_new();
  if (!gst_gl_display_create_context(display, nullptr, &app.context, &error)) return fail(error);
  gst_gl_display_add_context(display, app.context);
  g_autoptr(GstContext) for_display = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(for_display, display);
  gst_element_set_context(pipeline, for_display);

  g_autoptr(GstCaps) caps = gst_video_info_to_caps(&app.info);
  gst_caps_set_features_simple(caps, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
  gst_caps_set_simple(caps, "texture-target", G_TYPE_STRING, "2D", nullptr);
  app.pool = gst_gl_buffer_pool_new(app.context);
  GstStructure* config = gst_buffer_pool_get_config(app.pool);
  gst_buffer_pool_config_set_params(config, caps, static_cast<guint>(app.info.size), 2, 0);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
  gst_buffer_pool_set_config(app.pool, config);
  gst_buffer_pool_set_active(app.pool, TRUE);

  g_autoptr(GstElement) source = gst_bin_get_by_name(GST_BIN(pipeline), "source");
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_object_set(source, "caps", caps, nullptr);
  g_signal_connect(source, "need-data", G_CALLBACK(on_need_data), &app);
  g_signal_connect(sink, "new-sample", G_CALLBACK(on_new_sample), &app);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(
      GST_ELEMENT_BUS(pipeline), GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) gst_message_parse_error(message, &error, nullptr);
  if (error == nullptr && argc > 3 && app.last != nullptr) save(app.last, argv[3], &error);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  std::printf("%d frames pushed, %d received\n", app.number, app.received);
  if (app.last != nullptr) gst_sample_unref(app.last);
  gst_object_unref(app.pool);
  gst_object_unref(app.context);
  return error != nullptr ? fail(error) : 0;
}
