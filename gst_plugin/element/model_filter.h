// Base class of elements that run a model on frames in GL textures: pads and caps, GL contexts, allocation,
// orientation, latency, QoS and errors. The ModelElement processes the frames.
//
// A derived type calls model_filter_set_element() in its instance init. In its class init it calls
// model_filter_pass_properties() and, if it has a model, install_model_properties(), and adds its metadata, properties
// and pad documentation. Its property IDs start at kFirstOwnProperty.
#pragma once

#include <gst/gl/gl.h>

#include <memory>

#include "element/model_element.h"
#include "results/frame_queue.h"

struct GstGLModelFilter {
  GstGLBaseFilter parent;
  sightglass::ModelElement* element;  // owned
  sightglass::FrameQueue* frames;     // owned
  gint warned_of_formats;             // since the element started; atomic
};
struct GstGLModelFilterClass {
  GstGLBaseFilterClass parent_class;
  GstDebugCategory* log;  // of the derived type, which sets it; the base class logs to it too
};

GType gst_gl_model_filter_get_type();

namespace sightglass {

void model_filter_set_element(gpointer filter, std::unique_ptr<ModelElement> element);
// Forwards the class's own properties to the ModelElement. Call before they are installed.
void model_filter_pass_properties(GObjectClass* object_class);

// Whether QoS dropped the frame, after submit_input_buffer() of the base class returned `flow`: only QoS accepts a
// frame without queuing it.
bool model_filter_has_dropped(GstBaseTransform* filter, GstFlowReturn flow);

// `Element` is the type passed to model_filter_set_element().
template <typename Element = ModelElement>
Element& element_of(gpointer filter) {
  return static_cast<Element&>(*static_cast<GstGLModelFilter*>(filter)->element);
}

// For the base class only.

// The functions of its class for GL contexts, caps, allocation, events, and queries (model_filter_negotiation.cpp).
void model_filter_negotiate(GstGLBaseFilterClass* filter_class, GstBaseTransformClass* parent_class);
// Rejects caps with an error that says why. Call it in the instance init.
void model_filter_explain_refusals(GstGLModelFilter* filter);
// Pushes all held frames and results before whatever follows. Waits for the GPU once.
void model_filter_drain(gpointer filter);

}  // namespace sightglass
