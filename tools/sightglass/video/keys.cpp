#include "video/keys.h"

#include <glib-unix.h>
#include <gst/video/navigation.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "common/process.h"
#include "video/gst_setup.h"

namespace sightglass::video {

namespace {

constexpr std::array<Key, 7> kKeys = {{
    {'b', KeyAction::kBackground, "next background"},
    {'m', KeyAction::kModel, "next installed model for this task"},
    {'o', KeyAction::kOverlay, "drawing of results on or off"},
    {'h', KeyAction::kHud, "statistics on or off"},
    {' ', KeyAction::kPause, "pause or resume"},
    {'q', KeyAction::kQuit, "quit; files are completed"},
    {'?', KeyAction::kHelp, "list the keys"},
}};

GParamSpec* property_of(GstElement* element, const char* name) {
  return g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
}

std::string text_of(GstElement* element, const char* name) {
  gchar* text = nullptr;
  g_object_get(element, name, &text, nullptr);
  const TextPtr owner(text);
  return text != nullptr ? text : "";
}

int value_of(GstElement* element, const char* name) {
  int value = 0;
  g_object_get(element, name, &value, nullptr);
  return value;
}

std::string set_word(GstElement* element, GParamSpec* spec, const char* nick) {
  gst_util_set_object_arg(G_OBJECT(element), spec->name, nick);
  return std::string(spec->name) + "=" + nick;
}

// The word after the current one, in a circle, without those in `skipped`.
std::string next_word(GstElement* element, const char* name, const std::vector<std::string_view>& skipped) {
  GParamSpec* const spec = property_of(element, name);
  if (spec == nullptr || !G_IS_PARAM_SPEC_ENUM(spec)) return {};
  const GEnumClass* words = G_PARAM_SPEC_ENUM(spec)->enum_class;
  const int current = value_of(element, name);
  guint at = 0;
  while (at < words->n_values && words->values[at].value != current) ++at;
  for (guint step = 1; step <= words->n_values; ++step) {
    const char* nick = words->values[(at + step) % words->n_values].value_nick;
    if (std::find(skipped.begin(), skipped.end(), nick) == skipped.end()) return set_word(element, spec, nick);
  }
  return {};
}

std::string next_background(GstElement* element) {
  std::vector<std::string_view> skipped;
  if (property_of(element, "background-location") != nullptr && text_of(element, "background-location").empty()) {
    skipped.emplace_back("image");
  }
  return next_word(element, "background", skipped);
}

std::string next_model(GstElement* element, const std::vector<std::string>& models) {
  if (models.empty()) return {};
  const auto current = std::find(models.begin(), models.end(), text_of(element, "model"));
  const std::string& next = current == models.end() || current + 1 == models.end() ? models.front() : *(current + 1);
  if (current != models.end() && next == *current) return "no other model for this task is on this machine";
  g_object_set(element, "model", next.c_str(), nullptr);
  return "model=" + next;
}

std::string toggle(GstElement* element, const char* name) {
  GParamSpec* const spec = property_of(element, name);
  if (spec == nullptr || !G_IS_PARAM_SPEC_BOOLEAN(spec)) return {};
  gboolean on = FALSE;
  g_object_get(element, name, &on, nullptr);
  g_object_set(element, name, !on, nullptr);
  return std::string(name) + (on ? "=false" : "=true");
}

std::string toggle_overlay(GstElement* element) {
  if (GParamSpec* const background = property_of(element, "background")) {
    const GEnumClass* words = G_PARAM_SPEC_ENUM(background)->enum_class;
    const GEnumValue* current = g_enum_get_value(const_cast<GEnumClass*>(words), value_of(element, "background"));
    const bool on = current != nullptr && std::string_view(current->value_nick) == "overlay";
    return set_word(element, background, on ? "blur" : "overlay");
  }
  GParamSpec* const draw = property_of(element, "draw");
  if (draw == nullptr) return {};
  return G_IS_PARAM_SPEC_BOOLEAN(draw) ? toggle(element, "draw") : next_word(element, "draw", {});
}

bool has_effect(KeyAction action, GstElement* element) {
  if (action == KeyAction::kPause || action == KeyAction::kQuit || action == KeyAction::kHelp) return true;
  if (element == nullptr) return false;
  return action != KeyAction::kBackground || property_of(element, "background") != nullptr;
}

termios& saved_settings() {
  static termios settings;
  return settings;
}

// Whether the terminal has other settings than the saved ones.
volatile std::sig_atomic_t settings_changed = 0;

void restore_settings() {
  if (settings_changed != 0) ::tcsetattr(STDIN_FILENO, TCSANOW, &saved_settings());
  settings_changed = 0;
}

gboolean on_input(gint descriptor, GIOCondition, gpointer data) {
  char key = 0;
  if (::read(descriptor, &key, 1) != 1) return G_SOURCE_CONTINUE;
  (*static_cast<std::function<void(char)>*>(data))(key);
  return G_SOURCE_CONTINUE;
}

}  // namespace

std::span<const Key> all_keys() { return kKeys; }

std::string keys_help(GstElement* element) {
  std::string text;
  for (const Key& key : kKeys) {
    if (!has_effect(key.action, element)) continue;
    text += std::string("  ") + (key.key == ' ' ? "space" : std::string(1, key.key)) + "  " + key.help + "\n";
  }
  return text;
}

std::string apply(KeyAction action, GstElement* element, const std::vector<std::string>& models) {
  switch (action) {
    case KeyAction::kBackground:
      return next_background(element);
    case KeyAction::kModel:
      return next_model(element, models);
    case KeyAction::kOverlay:
      return toggle_overlay(element);
    case KeyAction::kHud:
      return toggle(element, "hud");
    case KeyAction::kPause:
    case KeyAction::kQuit:
    case KeyAction::kHelp:
      break;
  }
  return {};
}

TerminalKeys::TerminalKeys(std::function<void(char)> pressed) : pressed_(std::move(pressed)) {
  // A background process that reads from its terminal would be stopped.
  if (::isatty(STDIN_FILENO) != 1 || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
  if (::tcgetattr(STDIN_FILENO, &saved_settings()) != 0) return;
  termios settings = saved_settings();
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  settings.c_cc[VMIN] = 0;
  settings.c_cc[VTIME] = 0;
  before_forced_end(restore_settings);
  settings_changed = 1;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  source_ = g_unix_fd_add(STDIN_FILENO, G_IO_IN, on_input, &pressed_);
}

TerminalKeys::~TerminalKeys() {
  if (!active()) return;
  g_source_remove(source_);
  restore_settings();
}

char window_key(GstMessage* message) {
  GstEvent* event = nullptr;
  const char* key = nullptr;
  char pressed = 0;
  if (gst_navigation_message_parse_event(message, &event)) {
    if (gst_navigation_event_get_type(event) == GST_NAVIGATION_EVENT_KEY_PRESS &&
        gst_navigation_event_parse_key_event(event, &key)) {
      const std::string_view name = key;
      if (name == "space") pressed = ' ';
      if (name == "question" || name == "?") pressed = '?';
      if (name.size() == 1) pressed = name.front();
      if (name == "Escape") pressed = 'q';
    }
    gst_event_unref(event);
  }
  return pressed;
}

}  // namespace sightglass::video
