// A Qt 6 window in QML with live controls. qml6glsink draws the textures of the frames into the scene without a copy.
//
//   qt6_window ["v4l2src ! glupload ! glcolorconvert"]
//
// Plays rendered figures, or frames of other elements, until they end, you close the window, or press Ctrl-C. Needs the
// GStreamer element qml6glsink (Debian: gstreamer1.0-qt6) and the QML modules of QtQuick.Controls and QtQuick.Layouts.
#include <glib-unix.h>
#include <gst/gst.h>

#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QQmlContext>
#include <QQmlPropertyMap>
#include <QQuickItem>
#include <QQuickWindow>
#include <cstdio>
#include <string>

namespace {

// Qt runs the main loop of GLib on Linux, so that watches of GLib and GStreamer work.
gboolean on_message(GstBus* /*bus*/, GstMessage* message, gpointer /*data*/) {
  g_autoptr(GError) error = nullptr;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) QCoreApplication::quit();
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) gst_message_parse_error(message, &error, nullptr);
  if (error != nullptr) {
    std::fprintf(stderr, "qt6_window: %s\n", error->message);
    QCoreApplication::exit(1);
  }
  return G_SOURCE_CONTINUE;
}

gboolean quit(gpointer /*data*/) {
  QCoreApplication::quit();
  return G_SOURCE_CONTINUE;
}

// Properties of the element that QML reads and writes: its writes set them while the pipeline plays.
void share_properties(GstElement* element, QQmlPropertyMap& map) {
  const char* const names[] = {"blur-strength", "softness", "smoothing", "light-wrap"};
  for (const char* name : names) {
    gfloat value = 0;
    g_object_get(element, name, &value, nullptr);
    map.insert(name, value);
  }
  map.insert("background", "blur");
  QObject::connect(&map, &QQmlPropertyMap::valueChanged, [element](const QString& name, const QVariant& value) {
    gst_util_set_object_arg(G_OBJECT(element), name.toUtf8().constData(), value.toString().toUtf8().constData());
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
    return std::fprintf(stderr, "Usage: qt6_window [SOURCE ELEMENTS]\n"), 2;
  const std::string source = argc > 1 ? argv[1] : "glfiguresrc seed-interval=90 is-live=true";
  QQuickWindow::setGraphicsApi(QSGRendererInterface::OpenGL);  // qml6glsink draws with GL only
  QGuiApplication application(argc, argv);
  gst_init(nullptr, nullptr);

  g_autoptr(GError) error = nullptr;
  const std::string text = source +  // the sink also shows late frames, so that slow machines show a video too
                           " ! glsegment name=segment model=figure alpha=premultiplied"
                           " ! video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D"
                           " ! qml6glsink name=sink max-lateness=-1 qos=false";
  g_autoptr(GstElement) pipeline = gst_parse_launch(text.c_str(), &error);
  if (error != nullptr) return std::fprintf(stderr, "qt6_window: %s\n", error->message), 1;
  g_autoptr(GstElement) segment = gst_bin_get_by_name(GST_BIN(pipeline), "segment");
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_bus_add_watch(bus, on_message, nullptr);
  g_unix_signal_add(SIGINT, quit, nullptr);

  int status = 1;
  {
    QQmlPropertyMap properties;
    share_properties(segment, properties);
    QQmlApplicationEngine engine;  // qml6glsink exists by now, so that QML knows its item
    engine.rootContext()->setContextProperty("segment", &properties);
    engine.load(QUrl("qrc:/main.qml"));
    if (engine.rootObjects().isEmpty()) return 1;  // Qt has printed the reason
    auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().first());
    g_object_set(sink, "widget", window->findChild<QQuickItem*>("video"), nullptr);
    // The sink shares the context of the scene, which exists when the window is drawn for the first time.
    QObject::connect(
        window, &QQuickWindow::sceneGraphInitialized, window,
        [&] { gst_element_set_state(pipeline, GST_STATE_PLAYING); }, Qt::QueuedConnection);
    status = QGuiApplication::exec();
    gst_element_set_state(pipeline, GST_STATE_NULL);  // before the item and its context
  }
  gst_bus_remove_watch(bus);
  return status;
}
