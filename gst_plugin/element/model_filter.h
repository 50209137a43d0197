// Base class of elements that run a model on frames in GL textures: pads and caps, GL contexts, allocation,
// orientation, latency, QoS and errors. The ModelRuntime processes the frames.
//
// A derived type calls model_filter_set_runtime() in its instance init. In its class init it calls
// model_filter_pass_properties() and adds its metadata, properties and pad documentation. Its property IDs start at
// kFirstOwnProperty.
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "element/model_runtime.h"
#include "results/frame_queue.h"

struct GstGLModelFilter {
  GstGLBaseFilter parent;
  sightglass::ModelRuntime* runtime;  // owned
  sightglass::FrameQueue* frames;     // owned
  gint warned_of_formats;             // since the element started; atomic
};
struct GstGLModelFilterClass {
  GstGLBaseFilterClass parent_class;
  GstDebugCategory* log;  // of the derived type, which sets it; the base class logs to it too
};

GType gst_gl_model_filter_get_type();

namespace sightglass {

void model_filter_set_runtime(gpointer filter, std::unique_ptr<ModelRuntime> runtime);
// Forwards the class's own properties to the runtime. Call before they are installed.
void model_filter_pass_properties(GObjectClass* object_class);

// Whether QoS dropped the frame, after submit_input_buffer() of the base class returned `flow`: only QoS accepts a
// frame without queuing it.
bool model_filter_has_dropped(GstBaseTransform* filter, GstFlowReturn flow);

// `Runtime` is the type passed to model_filter_set_runtime().
template <typename Runtime>
Runtime& runtime_of(gpointer filter) {
  return static_cast<Runtime&>(*static_cast<GstGLModelFilter*>(filter)->runtime);
}

}  // namespace sightglass
