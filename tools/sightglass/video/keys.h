// Keys that change a running job, in the terminal and in the window.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sightglass::video {

enum class KeyAction { kBackground, kModel, kOverlay, kHud, kPause, kQuit, kHelp };

struct Key {
  char key;
  KeyAction action;
  const char* help;
};
// All keys. A key whose property the element lacks has no effect, and is not listed by keys_help().
std::span<const Key> all_keys();

// The keys that have an effect on the element, one line each. `element` may be null.
std::string keys_help(GstElement* element);

// Changes the property of the action, and returns what to show, such as "background=blur"; empty if the element lacks
// the property. `models`: names to choose from. Not for kPause, kQuit and kHelp.
std::string apply(KeyAction action, GstElement* element, const std::vector<std::string>& models);

// Reads single keys from standard input while it is a terminal, and restores its settings afterward. The main loop
// calls `pressed`.
class TerminalKeys {
 public:
  explicit TerminalKeys(std::function<void(char)> pressed);
  ~TerminalKeys();
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;
  bool active() const { return source_ != 0; }

 private:
  std::function<void(char)> pressed_;
  guint source_ = 0;
};

// The key of a navigation message of a window; 0 if the message is something else.
char window_key(GstMessage* message);

}  // namespace sightglass::video
