#include "serve/api.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/secrets.h"
#include "serve/http_server.h"
#include "serve/routes.h"

namespace sightglass::serve {

namespace {

using nlohmann::ordered_json;

constexpr guint kStillSeconds = 10;
constexpr const char *kPictureTap = "picture", *kResultsTap = "results", *kStillTap = "still";
constexpr const char* kJson = "application/json";

std::string text_of(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string body_of(SoupServerMessage* message) {
  SoupMessageBody* const body = soup_server_message_get_request_body(message);
  return body->data != nullptr ? std::string(body->data, static_cast<size_t>(body->length)) : std::string();
}

bool has_type(SoupServerMessage* message, const char* expected) {
  const char* type = soup_message_headers_get_content_type(soup_server_message_get_request_headers(message), nullptr);
  return type != nullptr && std::strcmp(type, expected) == 0;
}

}  // namespace

std::string branches_text(const std::string& tee, bool results, bool webrtc) {
  std::string text = tap_text(tee, kPictureTap, "gldownload ! videoconvert ! jpegenc quality=80") +
                     tap_text(tee, kStillTap, "gldownload ! videoconvert ! pngenc");
  if (results) text += tap_text(tee, kResultsTap, "resultsjson");
  if (webrtc) text += WebRtc::branch_text(tee);
  return text;
}

// A request that waits for the next frame.
struct Api::Still {
  Api* api;
  SoupServerMessage* message;
  gulong signal;
  guint timer;
};

Api::Api(const Source& source, LiveProperties properties)
    : task_(source.task),
      input_(source.input),
      results_(source.results),
      properties_(std::move(properties)),
      statistics_(source.element),
      picture_tap_(
          std::make_unique<Tap>(source.pipeline, kPictureTap, 1, [this](GBytes* jpeg) { pictures_.send(jpeg); })),
      still_tap_(std::make_unique<Tap>(source.pipeline, kStillTap, 1, [this](GBytes* png) { end_stills(png); })),
      pictures_(motion_jpeg()),
      events_(server_sent_events()) {
  pictures_.watch(*picture_tap_);
  if (results_) {
    results_tap_ =
        std::make_unique<Tap>(source.pipeline, kResultsTap, 64, [this](GBytes* line) { events_.send(line); });
    events_.watch(*results_tap_);
  }
  if (source.webrtc) webrtc_ = std::make_unique<WebRtc>(source.pipeline);
}

Api::~Api() {
  while (!stills_.empty()) remove_still(stills_.back().get());
}

Viewers Api::viewers() const {
  return {pictures_.clients(), events_.clients(), webrtc_ != nullptr ? webrtc_->viewers() : 0};
}

bool Api::full(SoupServerMessage* message) const {
  const Viewers now = viewers();
  if (now.mjpeg + now.results + now.webrtc < kMaxStreams) return false;
  reply_error(message, {kUnavailable, "too many streams: at most " + std::to_string(kMaxStreams) + " can be open"});
  return true;
}

void Api::act(SoupServerMessage* message, const Route& route) {
  switch (route.action) {
    case Action::kFile:
      return reply(message, kOk, route.type, page_file(route.file));
    case Action::kGetProperties:
      return reply(message, kOk, kJson, text_of(properties_.list()));
    case Action::kPutProperties:
      return change_properties(message);
    case Action::kStats:
      return send_stats(message);
    case Action::kResults:
      if (!results_) {
        return reply_error(
            message, {kNotFound, std::string(task_.name) + " has no results: pose, detect, and classify have them"});
      }
      if (!full(message)) events_.add(message);
      return;
    case Action::kPicture:
      if (!full(message)) pictures_.add(message);
      return;
    case Action::kStill:
      return begin_still(message);
    case Action::kOffer:
      return begin_webrtc(message);
    case Action::kHealth:
      return send_health(message);
    case Action::kMetrics:
      return reply(message, kOk, "text/plain; version=0.0.4; charset=utf-8", statistics_.metrics(viewers()));
  }
}

void Api::send_stats(SoupServerMessage* message) const {
  ordered_json report = {{"task", task_.name}, {"input", without_secrets(input_)}};
  report.update(statistics_.report());
  const Viewers now = viewers();
  report["streams"] = {{"mjpeg", now.mjpeg}, {"results", now.results}, {"webrtc", now.webrtc}};
  report["webrtc"] = webrtc_ != nullptr;
  const std::string obstacle = statistics_.obstacle();
  report["ready"] = obstacle.empty();
  if (!obstacle.empty()) report["reason"] = obstacle;
  reply(message, kOk, kJson, text_of(report));
}

void Api::send_health(SoupServerMessage* message) const {
  const std::string obstacle = statistics_.obstacle();
  if (!obstacle.empty()) return reply(message, kUnavailable, "text/plain; charset=utf-8", obstacle + "\n");
  reply(message, kOk, "text/plain; charset=utf-8", "ok\n");
}

void Api::change_properties(SoupServerMessage* message) const {
  // Pages of other origins cannot send this type without asking first.
  if (!has_type(message, kJson)) {
    return reply_error(message, {kWrongType, "the body must have the Content-Type application/json"});
  }
  const HttpError error = properties_.change(body_of(message));
  if (!error.ok()) return reply_error(message, error);
  reply(message, kOk, kJson, text_of(properties_.list()));
}

void Api::begin_still(SoupServerMessage* message) {
  if (soup_server_message_get_method(message) == SOUP_METHOD_HEAD) return reply(message, kOk, "image/png", "");
  if (stills_.size() >= kMaxStreams) return reply_error(message, {kUnavailable, "too many requests for stills"});
  const auto on_finished = +[](SoupServerMessage*, gpointer still) {
    static_cast<Still*>(still)->api->remove_still(static_cast<Still*>(still));
  };
  const auto on_timer = +[](gpointer data) -> gboolean {
    auto* still = static_cast<Still*>(data);
    reply_error(still->message, {kUnavailable, "no frame arrived: " + still->api->statistics_.obstacle()});
    soup_server_message_unpause(still->message);
    still->api->remove_still(still);
    return G_SOURCE_CONTINUE;  // removed above
  };
  auto still = std::make_unique<Still>();
  still->api = this;
  still->message = SOUP_SERVER_MESSAGE(g_object_ref(message));
  still->signal = g_signal_connect(message, "finished", G_CALLBACK(on_finished), still.get());
  still->timer = g_timeout_add_seconds(kStillSeconds, on_timer, still.get());
  stills_.push_back(std::move(still));
  soup_server_message_pause(message);
  still_tap_->begin_watch();
}

void Api::end_stills(GBytes* png) {
  gsize size = 0;
  const auto* data = static_cast<const char*>(g_bytes_get_data(png, &size));
  while (!stills_.empty()) {
    SoupServerMessage* const message = stills_.back()->message;
    soup_message_headers_replace(soup_server_message_get_response_headers(message), "Content-Disposition",
                                 "attachment; filename=\"sightglass.png\"");
    reply(message, kOk, "image/png", {data, size});
    soup_server_message_unpause(message);
    remove_still(stills_.back().get());
  }
}

void Api::remove_still(Still* still) {
  g_source_remove(still->timer);
  g_signal_handler_disconnect(still->message, still->signal);
  g_object_unref(still->message);
  std::erase_if(stills_, [still](const auto& own) { return own.get() == still; });
  still_tap_->end_watch();
}

void Api::begin_webrtc(SoupServerMessage* message) {
  if (webrtc_ == nullptr) {
    const std::string missing = WebRtc::missing();
    return reply_error(message, {kNotFound, "WebRTC is not available: " +
                                                (missing.empty() ? "the input is a file, which repeats" : missing)});
  }
  if (!has_type(message, "application/sdp")) {
    return reply_error(message, {kWrongType, "the body must have the Content-Type application/sdp"});
  }
  if (full(message)) return;
  g_object_ref(message);
  soup_server_message_pause(message);
  webrtc_->answer(body_of(message), [message](const HttpError& error, const std::string& answer) {
    if (error.ok()) reply(message, kOk, "application/sdp", answer);
    if (!error.ok()) reply_error(message, error);
    soup_server_message_unpause(message);
    g_object_unref(message);
  });
}

}  // namespace sightglass::serve
