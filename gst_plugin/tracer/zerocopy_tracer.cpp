#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "copy_record.h"
#include "scope.h"
#include "tracer/tracers.h"

namespace sightglass::zerocopy {

// Prints the table when GStreamer or the process ends, and sets the exit status.

// Exit status with `fail=true` if there were copies and the process would otherwise exit with 0.
constexpr int kCopiedStatus = 88;

// Prints the table to stderr, once. Prints nothing in processes that start no element, such as gst-inspect-1.0, which
// creates a tracer to show it.
void report_now();

namespace {

pid_t owner = 0;
std::atomic<bool> reported{false}, fails{false};

// Not atexit(), which does not pass the status.
void on_process_exit(int status, void*) {
  if (getpid() != owner) return;
  report_now();
  if (!fails || status != 0 || !CopyRecord::of_process().has_copies()) return;
  std::fflush(nullptr);
  _exit(kCopiedStatus);  // calling exit() again is undefined
}

}  // namespace

// Makes this process report when it calls exit() or returns from main(). A forked child does not report.
void report_at_exit() {
  if (owner == getpid()) return;
  owner = getpid();
  on_exit(on_process_exit, nullptr);
}

// Makes the process exit with `kCopiedStatus` if there were copies.
void fail_at_exit() { fails = true; }

void report_now() {
  const CopyRecord& record = CopyRecord::of_process();
  if (record.is_empty() || reported.exchange(true)) return;
  std::fflush(stdout);
  std::fputs(record.table(is_gl_watched()).c_str(), stderr);
}

}  // namespace sightglass::zerocopy

#define GST_USE_UNSTABLE_API
#include <gst/gsttracer.h>

#include <atomic>
#include <string>

#include "copy_record.h"
#include "gobject/guarded.h"
#include "memory_watch.h"
#include "scope.h"

using namespace sightglass::zerocopy;

struct GstZeroCopyTracer {
  GstTracer parent;
};
struct GstZeroCopyTracerClass {
  GstTracerClass parent_class;
};

G_DEFINE_TYPE(GstZeroCopyTracer, gst_zero_copy_tracer, GST_TYPE_TRACER)

namespace {

// "bin0/upload": the names from the pipeline down, without its own.
std::string path_of(GstElement* element) {
  std::string path = GST_OBJECT_NAME(element);
  GstObject* parent = gst_object_get_parent(GST_OBJECT(element));
  while (parent != nullptr) {
    GstObject* grandparent = gst_object_get_parent(parent);
    if (grandparent != nullptr) path = std::string(GST_OBJECT_NAME(parent)) + "/" + path;
    gst_object_unref(parent);
    parent = grandparent;
  }
  return path;
}

// Caches workers with elements and pads.
GQuark worker_quark() {
  static const GQuark quark = g_quark_from_static_string("sightglass-zerocopy-worker");
  return quark;
}

// nullptr for bins, which do no work themselves.
Worker* worker_of_element(GstElement* element) {
  if (GST_IS_BIN(element)) return nullptr;
  if (gpointer known = g_object_get_qdata(G_OBJECT(element), worker_quark())) return static_cast<Worker*>(known);
  Worker* worker = CopyRecord::of_process().worker(path_of(element), true);
  g_object_set_qdata(G_OBJECT(element), worker_quark(), worker);
  return worker;
}

// nullptr for the pads of bins and for pads without an element.
Worker* worker_of_pad(GstPad* pad) {
  if (gpointer known = g_object_get_qdata(G_OBJECT(pad), worker_quark())) return static_cast<Worker*>(known);
  if (GST_IS_PROXY_PAD(pad)) return nullptr;
  GstElement* element = gst_pad_get_parent_element(pad);
  if (element == nullptr) return nullptr;
  Worker* worker = worker_of_element(element);
  gst_object_unref(element);
  g_object_set_qdata(G_OBJECT(pad), worker_quark(), worker);
  return worker;
}

// Needs no lock; nullptr until worker_of_pad() has found it.
Worker* known_worker(GstPad* pad) { return static_cast<Worker*>(g_object_get_qdata(G_OBJECT(pad), worker_quark())); }

gboolean remember_pad(GstElement*, GstPad* pad, gpointer) {
  worker_of_pad(pad);
  return TRUE;
}

// Holds the lock of the pad, without which its peer could disappear while its worker is read. When newer GStreamer
// versions (1.26, not 1.22) resend events, they call the hooks with this lock held. There, a lock that cannot be taken
// is assumed to be held by the caller.
class HookLock {
 public:
  explicit HookLock(GstPad* pad) : pad_(pad), is_ours_(try_lock(pad)) {}
  ~HookLock() {
    if (is_ours_) GST_OBJECT_UNLOCK(pad_);
  }
  HookLock(const HookLock&) = delete;
  HookLock& operator=(const HookLock&) = delete;

 private:
  static bool try_lock(GstPad* pad) {
    static const bool caller_may_hold_it = [] {
      guint major = 0, minor = 0, micro = 0, nano = 0;
      gst_version(&major, &minor, &micro, &nano);
      return major > 1 || minor > 22;
    }();
    if (caller_may_hold_it) return GST_OBJECT_TRYLOCK(pad) != FALSE;
    GST_OBJECT_LOCK(pad);
    return true;
  }

  GstPad* pad_;
  const bool is_ours_;
};

// With the lock of the pad held.
Worker* known_worker_of_peer(GstPad* pad) {
  GstPad* peer = GST_PAD_PEER(pad);
  return peer == nullptr ? nullptr : known_worker(peer);
}

// A thread that runs the task of this pad also works for its element between pushes; other threads that push do not.
// With the lock of the pad held.
void settle_task(GstPad* pad, Worker* worker) {
  if (!at_top() || worker == nullptr) return;
  const GstTask* task = GST_PAD_TASK(pad);
  settle(task != nullptr && task->thread == g_thread_self() ? worker : nullptr);
}

void enter_or_stay(Worker* worker) { enter(worker != nullptr ? worker : present_errand().worker); }

// Hooks. The first two arguments from GStreamer are the tracer and the time.

void settle_pusher(GstPad* pad, Worker* worker) {
  if (!at_top()) return;
  const HookLock lock(pad);
  settle_task(pad, worker);
}

void on_push(GstTracer*, GstClockTime, GstPad* pad, GstBuffer* buffer) {
  Worker* worker = worker_of_pad(pad);
  if (worker != nullptr) {
    settle_pusher(pad, worker);
    note_pushed(pad, buffer, worker);
    worker->push(1);
  }
  enter_or_stay(worker);
}

void on_push_list(GstTracer*, GstClockTime, GstPad* pad, GstBufferList* list) {
  Worker* worker = worker_of_pad(pad);
  if (worker != nullptr) {
    settle_pusher(pad, worker);
    const guint length = gst_buffer_list_length(list);
    for (guint i = 0; i < length; ++i) note_pushed(pad, gst_buffer_list_get(list, i), worker);
    worker->push(length);
  }
  enter_or_stay(worker);
}

void on_chain(GstTracer*, GstClockTime, GstPad* pad, GstBuffer*) {
  Worker* worker = worker_of_pad(pad);
  if (worker != nullptr) worker->receive(1);
  enter_or_stay(worker);
}

void on_chain_list(GstTracer*, GstClockTime, GstPad* pad, GstBufferList* list) {
  Worker* worker = worker_of_pad(pad);
  if (worker != nullptr) worker->receive(gst_buffer_list_length(list));
  enter_or_stay(worker);
}

void on_flow_end(GstTracer*, GstClockTime, GstPad*, GstFlowReturn) { leave(); }

void on_pull(GstTracer*, GstClockTime, GstPad* pad, guint64, guint) {
  const HookLock lock(pad);
  enter_or_stay(known_worker_of_peer(pad));
}
void on_pull_end(GstTracer*, GstClockTime, GstPad*, GstBuffer*, GstFlowReturn) { leave(); }

void on_event(GstTracer*, GstClockTime, GstPad* pad, GstEvent*) {
  const HookLock lock(pad);
  settle_task(pad, known_worker(pad));
  enter_or_stay(known_worker_of_peer(pad));
}
void on_event_end(GstTracer*, GstClockTime, GstPad*, gboolean) { leave(); }

void on_state(GstTracer*, GstClockTime, GstElement* element, GstStateChange change) {
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_element_foreach_pad(element, sightglass::guarded<remember_pad>, nullptr);
  enter_or_stay(worker_of_element(element));
}
void on_state_end(GstTracer*, GstClockTime, GstElement*, GstStateChange, GstStateChangeReturn) { leave(); }

void on_object(GstTracer*, GstClockTime, GObject* object) { watch_object(object); }

// Parameters: "fail=true,skip=10".

void read_parameter(const std::string& name, const GValue* value) {
  gchar* text = gst_value_serialize(value);
  const std::string shown = text != nullptr ? text : "";
  g_free(text);
  if (name == "fail") {
    if (!G_VALUE_HOLDS_BOOLEAN(value)) {
      g_warning("tracer zerocopy: ignoring fail=%s: not a boolean; set true or false", shown.c_str());
    } else if (g_value_get_boolean(value) != FALSE) {
      fail_at_exit();
    }
  } else if (name == "skip") {
    if (!G_VALUE_HOLDS_INT(value) || g_value_get_int(value) < 0) {
      g_warning("tracer zerocopy: ignoring skip=%s: not a number of frames", shown.c_str());
    } else {
      CopyRecord::of_process().skip(static_cast<uint64_t>(g_value_get_int(value)));
    }
  } else {
    g_warning("tracer zerocopy: ignoring unknown parameter %s; use fail=true|false or skip=FRAMES", name.c_str());
  }
}

void read_parameters(const gchar* text) {
  const std::string structure_text = std::string("zerocopy,") + text;
  GstStructure* structure = gst_structure_from_string(structure_text.c_str(), nullptr);
  if (structure == nullptr) {
    g_warning("tracer zerocopy: ignoring invalid parameters \"%s\"; use the form fail=true,skip=FRAMES", text);
    return;
  }
  for (gint i = 0; i < gst_structure_n_fields(structure); ++i) {
    const gchar* name = gst_structure_nth_field_name(structure, static_cast<guint>(i));
    read_parameter(name, gst_structure_get_value(structure, name));
  }
  gst_structure_free(structure);
}

void constructed(GObject* object) {
  G_OBJECT_CLASS(gst_zero_copy_tracer_parent_class)->constructed(object);
  gchar* parameters = nullptr;
  g_object_get(object, "params", &parameters, nullptr);
  if (parameters != nullptr && *parameters != '\0') read_parameters(parameters);
  g_free(parameters);
  open_copy_log();
  report_at_exit();
  listen_to_gl();
}

// gst_deinit() releases the tracer; processes that do not call it report when they exit.
void finalize(GObject* object) {
  report_now();
  G_OBJECT_CLASS(gst_zero_copy_tracer_parent_class)->finalize(object);
}

}  // namespace

static void gst_zero_copy_tracer_class_init(GstZeroCopyTracerClass* klass) {
  G_OBJECT_CLASS(klass)->constructed = sightglass::guarded<constructed>;
  G_OBJECT_CLASS(klass)->finalize = sightglass::guarded<finalize>;
}

static void gst_zero_copy_tracer_init(GstZeroCopyTracer* self) {
  const auto hook = [self](const char* name, auto function) {
    gst_tracing_register_hook(GST_TRACER(self), name, G_CALLBACK(function));
  };
  hook("pad-push-pre", sightglass::guarded<on_push>);
  hook("pad-push-post", sightglass::guarded<on_flow_end>);
  hook("pad-push-list-pre", sightglass::guarded<on_push_list>);
  hook("pad-push-list-post", sightglass::guarded<on_flow_end>);
  hook("pad-chain-pre", sightglass::guarded<on_chain>);
  hook("pad-chain-post", sightglass::guarded<on_flow_end>);
  hook("pad-chain-list-pre", sightglass::guarded<on_chain_list>);
  hook("pad-chain-list-post", sightglass::guarded<on_flow_end>);
  hook("pad-pull-range-pre", sightglass::guarded<on_pull>);
  hook("pad-pull-range-post", sightglass::guarded<on_pull_end>);
  hook("pad-push-event-pre", sightglass::guarded<on_event>);
  hook("pad-push-event-post", sightglass::guarded<on_event_end>);
  hook("element-change-state-pre", sightglass::guarded<on_state>);
  hook("element-change-state-post", sightglass::guarded<on_state_end>);
  hook("object-created", sightglass::guarded<on_object>);
}

bool sightglass::register_zero_copy_tracer(GstPlugin* plugin) {
  return gst_tracer_register(plugin, "zerocopy", gst_zero_copy_tracer_get_type()) != FALSE;
}
