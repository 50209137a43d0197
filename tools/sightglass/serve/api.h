// Answers the requests of all routes.
#pragma once

#include <gst/gst.h>
#include <libsoup/soup.h>

#include <memory>
#include <string>
#include <vector>

#include "serve/frame_statistics.h"
#include "serve/live_properties.h"
#include "serve/routes.h"
#include "serve/tap.h"
#include "serve/webrtc.h"
#include "video/task.h"

namespace sightglass::serve {

constexpr int kMaxStreams = 16;

// The branches that the API needs, in gst-launch syntax, from a tee. Results only of tasks that have them. WebRTC, if
// it is available, only if the input never starts again: its clock does not.
std::string branches_text(const std::string& tee, bool results, bool webrtc);

// Lives on the main loop. The pipeline must have stopped before this is destroyed.
class Api {
 public:
  struct Source {
    const video::VideoTask& task;
    std::string input;     // its name
    GstElement* pipeline;  // has branches_text()
    GstElement* element;   // runs the model
    bool results, webrtc;  // whether the pipeline has these branches
  };
  Api(const Source& source, LiveProperties properties);
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  const FrameStatistics& statistics() const { return statistics_; }

  void act(SoupServerMessage* message, const Route& route);

 private:
  struct Still;
  Viewers viewers() const;
  bool full(SoupServerMessage* message) const;
  void send_stats(SoupServerMessage* message) const;
  void send_health(SoupServerMessage* message) const;
  void change_properties(SoupServerMessage* message) const;
  void begin_still(SoupServerMessage* message);
  void end_stills(GBytes* png);
  void remove_still(Still* still);
  void begin_webrtc(SoupServerMessage* message);

  const video::VideoTask& task_;
  const std::string input_;
  const bool results_;
  const LiveProperties properties_;
  FrameStatistics statistics_;
  // Clients of feeds leave their taps.
  std::unique_ptr<Tap> picture_tap_, still_tap_, results_tap_;
  Feed pictures_, events_;
  std::vector<std::unique_ptr<Still>> stills_;
  std::unique_ptr<WebRtc> webrtc_;  // null: not available
};

}  // namespace sightglass::serve
