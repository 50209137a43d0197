// The interface: https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.ScreenCast.html
#include "video/screen_portal.h"

#include <gio/gio.h>
#include <gio/gunixfdlist.h>

#include <memory>
#include <string>

#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kInterface = "org.freedesktop.portal.ScreenCast";
constexpr int kPatienceMilliseconds = 10000;  // for replies of the portal
constexpr guint kPatienceForUserSeconds = 120;

struct UnrefVariant {
  void operator()(GVariant* variant) const { g_variant_unref(variant); }
};
using VariantPtr = std::unique_ptr<GVariant, UnrefVariant>;
using ConnectionPtr = std::unique_ptr<GDBusConnection, UnrefGObject>;

Status error_of(const std::string& what, GError* error) {
  Status status = device_error("screen: " + what + ": " + (error != nullptr ? error->message : "no answer"));
  g_clear_error(&error);
  return status;
}

ConnectionPtr session_bus(GError** error) { return ConnectionPtr(g_bus_get_sync(G_BUS_TYPE_SESSION, nullptr, error)); }

// The answer to a request arrives as a signal.
struct Answer {
  GMainLoop* loop;
  guint32 response = 2;  // 0: granted, 1: the user declined, 2: ended otherwise
  VariantPtr results;
};

void on_response(GDBusConnection*, const gchar*, const gchar*, const gchar*, const gchar*, GVariant* parameters,
                 gpointer data) {
  auto* answer = static_cast<Answer*>(data);
  GVariant* results = nullptr;
  g_variant_get(parameters, "(u@a{sv})", &answer->response, &results);
  answer->results.reset(results);
  g_main_loop_quit(answer->loop);
}

class Portal {
 public:
  explicit Portal(GDBusConnection* bus) : bus_(bus) {}

  // Calls a method with the given arguments, options last, and waits for its answer.
  Result<VariantPtr> request(const char* method, GVariant* session, const char* parent, GVariantBuilder* options) {
    const std::string token = "sightglass" + std::to_string(++requests_);
    std::string sender = g_dbus_connection_get_unique_name(bus_) + 1;  // without the colon
    for (char& c : sender) c = c == '.' ? '_' : c;
    const std::string path = std::string(kPath) + "/request/" + sender + "/" + token;
    const std::unique_ptr<GMainLoop, void (*)(GMainLoop*)> loop(g_main_loop_new(nullptr, FALSE), g_main_loop_unref);
    Answer answer{loop.get(), 2, nullptr};
    // Before the call, because the answer may precede its return.
    const guint signal =
        g_dbus_connection_signal_subscribe(bus_, kPortal, "org.freedesktop.portal.Request", "Response", path.c_str(),
                                           nullptr, G_DBUS_SIGNAL_FLAGS_NONE, on_response, &answer, nullptr);
    g_variant_builder_add(options, "{sv}", "handle_token", g_variant_new_string(token.c_str()));
    GVariantBuilder arguments;
    g_variant_builder_init(&arguments, G_VARIANT_TYPE_TUPLE);
    if (session != nullptr) g_variant_builder_add_value(&arguments, session);
    if (parent != nullptr) g_variant_builder_add(&arguments, "s", parent);
    g_variant_builder_add_value(&arguments, g_variant_builder_end(options));
    GError* error = nullptr;
    const VariantPtr reply(g_dbus_connection_call_sync(bus_, kPortal, kPath, kInterface, method,
                                                       g_variant_builder_end(&arguments), nullptr,
                                                       G_DBUS_CALL_FLAGS_NONE, kPatienceMilliseconds, nullptr, &error));
    if (reply != nullptr && answer.results == nullptr) {
      const auto quit = [](gpointer data) -> gboolean {
        g_main_loop_quit(static_cast<GMainLoop*>(data));
        return G_SOURCE_CONTINUE;
      };
      const guint limit = g_timeout_add_seconds(kPatienceForUserSeconds, quit, loop.get());
      g_main_loop_run(loop.get());
      g_source_remove(limit);
    }
    g_dbus_connection_signal_unsubscribe(bus_, signal);
    if (reply == nullptr || answer.results == nullptr) return error_of(method, error);
    if (answer.response == 0) return std::move(answer.results);
    return device_error(answer.response == 1 ? "screen: sharing was declined" : "screen: the portal ended the request");
  }

 private:
  GDBusConnection* const bus_;
  int requests_ = 0;
};

GVariantBuilder new_options() {
  GVariantBuilder options;
  g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
  return options;
}

Result<int> open_remote(GDBusConnection* bus, GVariant* session) {
  GError* error = nullptr;
  GUnixFDList* list = nullptr;
  GVariantBuilder options = new_options();
  const VariantPtr reply(g_dbus_connection_call_with_unix_fd_list_sync(
      bus, kPortal, kPath, kInterface, "OpenPipeWireRemote",
      g_variant_new("(@o@a{sv})", session, g_variant_builder_end(&options)), G_VARIANT_TYPE("(h)"),
      G_DBUS_CALL_FLAGS_NONE, kPatienceMilliseconds, nullptr, &list, nullptr, &error));
  if (reply == nullptr) return error_of("OpenPipeWireRemote", error);
  const std::unique_ptr<GUnixFDList, UnrefGObject> owner(list);
  gint32 index = 0;
  g_variant_get(reply.get(), "(h)", &index);
  const int descriptor = g_unix_fd_list_get(list, index, &error);
  if (descriptor < 0) return error_of("OpenPipeWireRemote", error);
  return descriptor;
}

// The first of the chosen streams.
Result<uint32_t> node_of(GVariant* results) {
  const VariantPtr streams(g_variant_lookup_value(results, "streams", G_VARIANT_TYPE("a(ua{sv})")));
  if (streams == nullptr || g_variant_n_children(streams.get()) == 0) {
    return device_error("screen: the portal returned no stream");
  }
  guint32 node = 0;
  g_variant_get_child(streams.get(), 0, "(u@a{sv})", &node, nullptr);
  return node;
}

}  // namespace

bool has_screen_portal() {
  GError* error = nullptr;
  const ConnectionPtr bus = session_bus(&error);
  g_clear_error(&error);
  if (bus == nullptr) return false;
  const VariantPtr version(g_dbus_connection_call_sync(
      bus.get(), kPortal, kPath, "org.freedesktop.DBus.Properties", "Get", g_variant_new("(ss)", kInterface, "version"),
      nullptr, G_DBUS_CALL_FLAGS_NONE, kPatienceMilliseconds, nullptr, nullptr));
  return version != nullptr;
}

Result<ScreenCast> open_screen_cast() {
  GError* error = nullptr;
  // The session ends with the connection, which g_bus_get_sync() shares: this reference is kept.
  GDBusConnection* const bus = session_bus(&error).release();
  if (bus == nullptr) return error_of("no session bus", error);
  Portal portal(bus);

  GVariantBuilder options = new_options();
  g_variant_builder_add(&options, "{sv}", "session_handle_token", g_variant_new_string("sightglass"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const VariantPtr created, portal.request("CreateSession", nullptr, nullptr, &options));
  const char* path = nullptr;
  if (!g_variant_lookup(created.get(), "session_handle", "&s", &path)) {
    return device_error("screen: the portal returned no session");
  }
  const VariantPtr session(g_variant_ref_sink(g_variant_new_object_path(path)));

  options = new_options();
  constexpr guint32 kMonitorsAndWindows = 1 | 2;
  g_variant_builder_add(&options, "{sv}", "types", g_variant_new_uint32(kMonitorsAndWindows));
  SIGHTGLASS_ASSIGN_OR_RETURN(const VariantPtr selected,
                              portal.request("SelectSources", session.get(), nullptr, &options));
  options = new_options();
  SIGHTGLASS_ASSIGN_OR_RETURN(const VariantPtr started, portal.request("Start", session.get(), "", &options));
  ScreenCast cast;
  SIGHTGLASS_ASSIGN_OR_RETURN(cast.node, node_of(started.get()));
  SIGHTGLASS_ASSIGN_OR_RETURN(cast.descriptor, open_remote(bus, session.get()));
  return cast;
}

}  // namespace sightglass::video
