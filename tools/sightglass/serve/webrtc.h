// The picture of a pipeline for browsers, by WebRTC: one encoder, and one webrtcbin per viewer.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/routes.h"
#include "serve/tap.h"
#include "video/gst_setup.h"

namespace sightglass::serve {

// Lives on the main loop.
class WebRtc {
 public:
  static bool available() { return missing().empty(); }
  // The missing element and its package; empty: there is none.
  static std::string missing();
  // In gst-launch syntax, from a tee.
  static std::string branch_text(const std::string& tee);

  // `pipeline` has branch_text(), and outlives this.
  explicit WebRtc(GstElement* pipeline);
  ~WebRtc();
  WebRtc(const WebRtc&) = delete;
  WebRtc& operator=(const WebRtc&) = delete;

  // Adds a viewer for the offer of a browser (SDP). `done` gets the answer with all candidates, or an error, at once or
  // later.
  using Done = std::function<void(const HttpError&, const std::string& answer)>;
  void answer(const std::string& offer, Done done);
  int viewers() const { return static_cast<int>(viewers_.size()); }

 private:
  struct Viewer;
  void remove(Viewer* viewer);
  void check(Viewer* viewer);
  static gboolean on_timer(gpointer webrtc);

  GstElement* const pipeline_;
  Gate gate_;
  const video::ElementPtr tee_;
  std::vector<std::unique_ptr<Viewer>> viewers_;
  guint timer_ = 0;  // runs while there are viewers
};

}  // namespace sightglass::serve
