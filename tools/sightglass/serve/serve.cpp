#include "serve/serve.h"

#include <unistd.h>

#include <memory>
#include <utility>

#include "serve/api.h"
#include "serve/http_server.h"
#include "serve/service_manager.h"
#include "serve/token_file.h"
#include "video/launch_text.h"
#include "video/player.h"
#include "video/raw_layout.h"
#include "video/run_job.h"
#include "video/video_job.h"

namespace sightglass::serve {

namespace {

using video::Input;

constexpr const char* kSplitTee = "split";
// Without a GPU, rendering figures is slow.
constexpr int kFigureRate = 15;

bool repeats(const Input& input) { return input.kind == Input::Kind::kFile; }

bool has_webrtc(const ServeJob& job) { return !repeats(job.input) && WebRtc::available(); }

std::string pipeline_text(const ServeJob& job) {
  video::SourceLimits limits;
  limits.figure_rate = kFigureRate;
  std::string text = video::source_text(job.input, limits);
  text += std::string(" ! ") + job.task->bin + " name=" + video::kModelElement + video::launch_text(job.properties) +
          " ! video/x-raw(memory:GLMemory) ! tee name=" + kSplitTee;
  // Keeps the pace of the input, and drops late frames. Rendered figures move slowly instead.
  const bool rendered = job.input.kind == Input::Kind::kFigures;
  text += std::string(" ") + kSplitTee +
          ". ! queue max-size-buffers=2 max-size-bytes=0 max-size-time=0 ! fakesink sync=true" +
          (rendered ? "" : " qos=true");
  return text + branches_text(kSplitTee, video::has_results(*job.task), has_webrtc(job));
}

// Whether frames flow, or cannot: a camera that is unplugged is waited for. A driver that hangs is not.
bool is_alive(const FrameStatistics& statistics, const video::PlayerSettings& settings) {
  constexpr double kStartSeconds = 300, kStalledSeconds = 60;
  if (statistics.idle_seconds() < (statistics.started() ? kStalledSeconds : kStartSeconds)) return true;
  return settings.camera_available && !settings.camera_available();
}

// How the user gets the token. One that was given is known. A random one may be shown, but not be logged.
Result<std::string> address_text(const ServeJob& job, const ListenAddress& listen, TokenFile& file) {
  const std::string url = listen.url() + "/";
  if (job.token.empty()) return url + " until Ctrl-C";
  if (!job.random_token) return url + " until Ctrl-C, for requests with the given token";
  if (::isatty(STDERR_FILENO) != 0) return url + "?" + kTokenField + "=" + job.token + " until Ctrl-C";
  SIGHTGLASS_RETURN_IF_ERROR(file.write(job.token, listen.port));
  return url + " until Ctrl-C, for requests with the token in " + file.path();
}

std::vector<std::string> host_names(const ServeJob& job) {
  std::vector<std::string> names = job.host_names;
  char name[256] = {};
  if (!job.listen.loopback() && ::gethostname(name, sizeof(name) - 1) == 0) {
    names.emplace_back(name);
    names.push_back(std::string(name) + ".local");
  }
  return names;
}

}  // namespace

Status serve(const ServeJob& job) {
  const std::string text = pipeline_text(job);
  SIGHTGLASS_ASSIGN_OR_RETURN(const video::ElementPtr pipeline, video::parse_launch(text));
  video::pad_raw_frames(pipeline.get());
  const video::ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline.get()), video::kModelElement));
  SIGHTGLASS_ASSIGN_OR_RETURN(LiveProperties properties, LiveProperties::create(*job.task, element.get()));
  Api api({*job.task, job.input.name, pipeline.get(), element.get(), video::has_results(*job.task), has_webrtc(job)},
          std::move(properties));
  // Cookies of all ports of a host are shared.
  RequestGuard guard(host_names(job), job.token, "sightglass-" + std::to_string(job.listen.port));
  HttpServer server(std::move(guard),
                    [&api](SoupServerMessage* message, const Route& route) { api.act(message, route); });
  ListenAddress listen = job.listen;
  SIGHTGLASS_RETURN_IF_ERROR(server.listen(listen));
  TokenFile token_file;
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string address, address_text(job, listen, token_file));
  video::PlaybackReport report(video::ReportStyle::kText);
  report.starting(text);
  video::PlayerSettings settings = video::input_settings(job.input, *job.task);
  settings.ends_at_once = true;
  settings.repeat = repeats(job.input);
  const ServiceManager manager([&api, &settings] { return is_alive(api.statistics(), settings); });
  settings.ready = [&] {
    report.note_with_secret("listening", "serving at " + address);
    manager.ready();
  };
  const video::Playback playback = video::play(pipeline.get(), element.get(), settings, report);
  if (playback.status.ok() && playback.result.frames > 0) report.finished(playback.result, "");
  return playback.status;
}

}  // namespace sightglass::serve
