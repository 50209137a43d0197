// Runs a single element that runs a model between the pads of a GstHarness, with frames that are textures of the test.
#pragma once

#include <gst/check/gstharness.h>

#include <memory>
#include <string>
#include <vector>

#include "texture_source.h"

namespace sightglass::test {

struct UnrefMiniObject {
  void operator()(gpointer object) const { gst_mini_object_unref(GST_MINI_OBJECT_CAST(object)); }
};
using OwnBuffer = std::unique_ptr<GstBuffer, UnrefMiniObject>;
using OwnCaps = std::unique_ptr<GstCaps, UnrefMiniObject>;
using OwnEvent = std::unique_ptr<GstEvent, UnrefMiniObject>;
using OwnQuery = std::unique_ptr<GstQuery, UnrefMiniObject>;
using OwnMessage = std::unique_ptr<GstMessage, UnrefMiniObject>;

OwnCaps caps_of(const std::string& text);

// The output of an element, in order: "caps 64x48", "buffer 64x48", names of other events.
using Log = std::vector<std::string>;

class ElementHarness {
 public:
  // Takes gst-launch-1.0 syntax. The element plays from the start, and gets the GL display of the source whenever it
  // requests one. Upstream and downstream are live.
  explicit ElementHarness(const std::string& element);
  ~ElementHarness();
  ElementHarness(const ElementHarness&) = delete;
  ElementHarness& operator=(const ElementHarness&) = delete;

  GstHarness* get() const { return harness_; }
  GstElement* element() const { return harness_->element; }
  GstPad* upstream() const { return harness_->srcpad; }
  GstPad* downstream() const { return harness_->sinkpad; }
  TextureSource& source() { return source_; }

  // Sends the start of a stream of 2D RGBA textures of this size, at 30 frames per second.
  void begin(int32_t width = 64, int32_t height = 48);
  // The parts of begin().
  void send_caps(const std::string& caps) const;
  bool send_segment(GstClockTime start = 0, double rate = 1) const;
  // Returns a frame one thirtieth of a second later than the previous one.
  GstBuffer* frame(int32_t width = 64, int32_t height = 48);
  GstFlowReturn push(GstBuffer* buffer) const { return gst_harness_push(harness_, buffer); }
  // Returns the next output frame; null if there is none.
  OwnBuffer pull() const { return OwnBuffer(gst_harness_try_pull(harness_)); }
  // Reads what an application would query.
  guint64 stat(const char* name) const;

  // Returns the log since the last call.
  Log take_log();
  // Returns the next event of this type that went upstream; null if there is none.
  OwnEvent upstream_event(GstEventType type) const;
  // Returns the next message of this type; null if there is none.
  OwnMessage message(GstMessageType type) const;
  // Returns the text of the next error; empty if there is none.
  std::string error() const;

 private:
  TextureSource source_;  // outlives the buffers
  GstBus* bus_ = nullptr;
  GstHarness* harness_ = nullptr;
  Log log_;
  GstClockTime next_ = 0;
};

}  // namespace sightglass::test
