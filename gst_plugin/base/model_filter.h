// Base class of elements that run a model on the frames of GL textures that come to them: pads and their caps, GL
// contexts, allocation, orientation, latency, QoS and errors. What they do with frames is a ModelRuntime's.
//
// A derived type calls model_filter_set_runtime() in its instance's init. In its class's it calls
// model_filter_pass_properties(), and adds its metadata, properties and pads' documentation. Its properties have
// numbers from kFirstOwnProperty on.
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "base/model_runtime.h"
#include "results/frame_queue.h"

struct GstGLModelFilter {
  GstGLBaseFilter parent;
  sightglass::ModelRuntime* runtime;  // owned
  sightglass::FrameQueue* frames;     // owned
  gint warned_of_formats;             // since the element started; atomic
};
struct GstGLModelFilterClass {
  GstGLBaseFilterClass parent_class;
  GstDebugCategory* log;  // of the derived type, which sets it: also for what the base class does
};

GType gst_gl_model_filter_get_type();

namespace sightglass {

void model_filter_set_runtime(gpointer filter, std::unique_ptr<ModelRuntime> runtime);
// The class's own properties are the runtime's: before they are installed.
void model_filter_pass_properties(GObjectClass* object_class);

// After the base class's submit_input_buffer() came to `flow`: nothing but QoS takes a frame and keeps none.
bool model_filter_has_dropped(GstBaseTransform* filter, GstFlowReturn flow);

// `Runtime` is what the instance was given.
template <typename Runtime>
Runtime& runtime_of(gpointer filter) {
  return static_cast<Runtime&>(*static_cast<GstGLModelFilter*>(filter)->runtime);
}

}  // namespace sightglass
