// A GTK 4 window with live controls. The pipeline shares the OpenGL ES context of a GtkGLArea, so the area draws the
// textures of the frames without a copy. A list and sliders set properties of glsegment while it plays.
//
//   gtk4_window ["v4l2src ! glupload ! glcolorconvert"]
//
// Plays rendered figures, or frames of other elements, until they end, you close the window, or press Ctrl-C.
#include <EGL/egl.h>
#include <GLES3/gl31.h>
#include <glib-unix.h>
#include <gst/app/gstappsink.h>
#include <gst/gl/egl/gstgldisplay_egl.h>
#include <gst/gl/gl.h>
#include <gtk/gtk.h>

namespace {

struct App {
  GMainLoop* loop = nullptr;
  GstElement *pipeline = nullptr, *sink = nullptr;
  GstGLContext* context = nullptr;  // that of the GtkGLArea, wrapped
  GstSample* sample = nullptr;      // the frame in the window
  int status = 0;
};

void fail(App* app, const char* message) {
  g_printerr("gtk4_window: %s\n", message);
  app->status = 1;
  g_main_loop_quit(app->loop);
}

gboolean on_message(GstBus* /*bus*/, GstMessage* message, gpointer data) {
  auto* app = static_cast<App*>(data);
  g_autoptr(GError) error = nullptr;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) g_main_loop_quit(app->loop);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) gst_message_parse_error(message, &error, nullptr);
  if (error != nullptr) fail(app, error->message);
  return G_SOURCE_CONTINUE;
}

// The area has its context now. Elements that receive it create contexts that share objects with it.
void on_realize(GtkGLArea* area, App* app) {
  gtk_gl_area_make_current(area);
  if (const GError* error = gtk_gl_area_get_error(area)) return fail(app, error->message);
  const auto handle = reinterpret_cast<guintptr>(eglGetCurrentContext());
  if (handle == 0) return fail(app, "GTK does not use EGL; on X11, GDK_DEBUG=gl-egl selects it");
  g_autoptr(GstGLDisplay) display = GST_GL_DISPLAY(gst_gl_display_egl_new_with_egl_display(eglGetCurrentDisplay()));
  app->context = gst_gl_context_new_wrapped(display, handle, GST_GL_PLATFORM_EGL, GST_GL_API_GLES2);
  gst_gl_context_activate(app->context, TRUE);
  gst_gl_context_fill_info(app->context, nullptr);
  g_autoptr(GstContext) for_display = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(for_display, display);
  gst_element_set_context(app->pipeline, for_display);
  g_autoptr(GstContext) for_sharing = gst_context_new("gst.gl.app_context", TRUE);
  gst_structure_set(gst_context_writable_structure(for_sharing), "context", GST_TYPE_GL_CONTEXT, app->context, nullptr);
  gst_element_set_context(app->pipeline, for_sharing);
  gst_element_set_state(app->pipeline, GST_STATE_PLAYING);
}

// Before each frame of the display: a new frame of the pipeline replaces the one in the window.
gboolean on_tick(GtkWidget* area, GdkFrameClock* /*clock*/, gpointer data) {
  auto* app = static_cast<App*>(data);
  if (GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(app->sink), 0)) {
    if (app->sample != nullptr) gst_sample_unref(app->sample);
    app->sample = sample;
    gtk_gl_area_queue_render(GTK_GL_AREA(area));
  }
  return G_SOURCE_CONTINUE;
}

// The GPU waits for the commands that draw the frame. Then it scales the frame to the area.
gboolean on_render(GtkGLArea* /*area*/, GdkGLContext* /*context*/, App* app) {
  static GLuint framebuffer = 0;
  if (framebuffer == 0) glGenFramebuffers(1, &framebuffer);
  GstMapInfo map;
  GstBuffer* buffer = app->sample == nullptr ? nullptr : gst_sample_get_buffer(app->sample);
  if (!buffer || !gst_buffer_map(buffer, &map, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_GL))) return FALSE;
  if (GstGLSyncMeta* sync = gst_buffer_get_gl_sync_meta(buffer)) gst_gl_sync_meta_wait(sync, app->context);
  auto* frame = reinterpret_cast<GstGLMemory*>(map.memory);
  const int width = gst_gl_memory_get_texture_width(frame), height = gst_gl_memory_get_texture_height(frame);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, frame->tex_id, 0);
  GLint view[4] = {};
  glGetIntegerv(GL_VIEWPORT, view);
  glBlitFramebuffer(0, height, width, 0, 0, 0, view[2], view[3], GL_COLOR_BUFFER_BIT, GL_LINEAR);
  gst_buffer_unmap(buffer, &map);
  return TRUE;
}

// A slider that starts with the value of a property, and sets the property when it moves.
GtkWidget* slider_for(GstElement* element, const char* name) {
  const auto* range = G_PARAM_SPEC_FLOAT(g_object_class_find_property(G_OBJECT_GET_CLASS(element), name));
  gfloat value = 0;
  g_object_get(element, name, &value, nullptr);
  GtkWidget* slider = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, range->minimum, range->maximum, 0.01);
  gtk_range_set_value(GTK_RANGE(slider), value);
  g_object_bind_property(gtk_range_get_adjustment(GTK_RANGE(slider)), "value", element, name, G_BINDING_DEFAULT);
  return slider;
}

gboolean quit(gpointer loop) { return g_main_loop_quit(static_cast<GMainLoop*>(loop)), TRUE; }

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) return g_printerr("Usage: gtk4_window [SOURCE ELEMENTS]\n"), 2;
  g_setenv("GDK_DEBUG", "gl-egl", FALSE);  // on X11, some versions of GTK prefer GLX
  gst_init(nullptr, nullptr);
  if (!gtk_init_check()) return g_printerr("gtk4_window: cannot open a display\n"), 1;
  g_autofree char* text = g_strconcat(
      argc > 1 ? argv[1] : "glfiguresrc seed-interval=90 is-live=true",
      " ! glsegment name=segment model=figure alpha=premultiplied ! appsink name=sink max-buffers=2 drop=true "
      "caps=video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D",
      nullptr);
  g_autoptr(GError) error = nullptr;
  g_autoptr(GstElement) pipeline = gst_parse_launch(text, &error);
  if (error != nullptr) return g_printerr("gtk4_window: %s\n", error->message), 1;
  g_autoptr(GstElement) segment = gst_bin_get_by_name(GST_BIN(pipeline), "segment");
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GMainLoop) loop = g_main_loop_new(nullptr, FALSE);
  App app{loop, pipeline, sink};
  gst_bus_add_watch(GST_ELEMENT_BUS(pipeline), on_message, &app);
  g_unix_signal_add(SIGINT, quit, loop);
  GtkWidget *window = gtk_window_new(), *grid = gtk_grid_new(), *area = gtk_gl_area_new();
  gtk_gl_area_set_use_es(GTK_GL_AREA(area), TRUE);
  gtk_widget_add_tick_callback(area, on_tick, &app, nullptr);
  g_signal_connect(area, "realize", G_CALLBACK(on_realize), &app);
  g_signal_connect(area, "render", G_CALLBACK(on_render), &app);
  g_signal_connect_swapped(window, "close-request", G_CALLBACK(quit), loop);
  g_object_set(area, "hexpand", TRUE, "vexpand", TRUE, nullptr);
  gtk_grid_attach(GTK_GRID(grid), area, 0, 0, 2, 1);
  const char* backgrounds[] = {"blur", "color", "image", "transparent", nullptr};  // in the order of their values
  GtkWidget* list = gtk_drop_down_new_from_strings(backgrounds);
  g_object_bind_property(list, "selected", segment, "background", G_BINDING_DEFAULT);
  gtk_grid_attach(GTK_GRID(grid), list, 0, 1, 2, 1);
  const char* const properties[] = {"blur-strength", "softness", "smoothing", "light-wrap"};
  for (int row = 2; const char* name : properties) {
    gtk_grid_attach(GTK_GRID(grid), gtk_label_new(name), 0, row, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), slider_for(segment, name), 1, row++, 1, 1);
  }
  gtk_window_set_default_size(GTK_WINDOW(window), 960, 720);
  gtk_window_set_child(GTK_WINDOW(window), grid);
  gtk_window_present(GTK_WINDOW(window));
  if (app.status == 0) g_main_loop_run(loop);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  if (app.sample != nullptr) gst_sample_unref(app.sample);  // before the context that its texture belongs to
  gst_clear_object(&app.context);
  gtk_window_destroy(GTK_WINDOW(window));
  return app.status;
}
