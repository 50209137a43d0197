#include "serve/serve.h"

#include <fcntl.h>
#include <glib.h>
#include <gst/gst.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "serve/api.h"
#include "serve/http_server.h"
#include "sightglass/status.h"
#include "video/frame_layout.h"
#include "video/gst_setup.h"
#include "video/player.h"
#include "video/video_job.h"

namespace sightglass::serve {

// Hands a random token to the user when standard error is not a terminal: it may end in a log.
// A file that only this user can read. It is removed at the end.
class TokenFile {
 public:
  TokenFile() = default;
  ~TokenFile();
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

  // In the runtime directory of the service or of the user.
  Status write(const std::string& token, uint16_t port);
  // Empty: was not written.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

namespace {

std::string runtime_directory() {
  // Set by systemd for units with RuntimeDirectory=.
  const char* service = std::getenv("RUNTIME_DIRECTORY");
  if (service != nullptr && *service == '/') return std::string(service, std::strcspn(service, ":"));
  return g_get_user_runtime_dir();  // or the cache directory of the user
}

}  // namespace

TokenFile::~TokenFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Status TokenFile::write(const std::string& token, uint16_t port) {
  const std::string folder = runtime_directory();
  const std::string path = folder + "/sightglass-" + std::to_string(port) + ".token";
  constexpr int kOnlyUser = 0700;
  g_mkdir_with_parents(folder.c_str(), kOnlyUser);
  ::unlink(path.c_str());  // of a process that was killed
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const std::string line = token + "\n";
  const bool written = file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int reason = errno;
  if (file >= 0) path_ = path;
  if (file >= 0) ::close(file);
  if (written) return {};
  return device_error(path + ": cannot write the token: " + std::strerror(reason) +
                      "; set SIGHTGLASS_TOKEN to a token of at least 16 letters, digits, and -._~");
}

// Reports to systemd, or another manager with its protocol, that the server is ready and alive.
// Without NOTIFY_SOCKET in the environment, it does nothing. Lives on the main loop.
class ServiceManager {
 public:
  // The manager restarts the process when `alive` returns false for longer than WatchdogSec=, or when the main loop
  // hangs.
  explicit ServiceManager(std::function<bool()> alive);
  ~ServiceManager();
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  void ready() const { send("READY=1"); }

 private:
  void send(const char* state) const;
  static gboolean on_timer(gpointer manager);

  const std::function<bool()> alive_;
  const std::string address_;
  guint timer_ = 0;  // 0: no watchdog
};

namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

uint64_t number(const std::string& text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

ServiceManager::ServiceManager(std::function<bool()> alive)
    : alive_(std::move(alive)), address_(variable("NOTIFY_SOCKET")) {
  const std::string process = variable("WATCHDOG_PID");
  const uint64_t microseconds = number(variable("WATCHDOG_USEC"));
  const bool watched = process.empty() || number(process) == static_cast<uint64_t>(::getpid());
  constexpr uint64_t kPerMillisecond = 1000, kLongest = 3'600'000;
  // Twice as often as the manager requires.
  const uint64_t interval = std::min(microseconds / 2 / kPerMillisecond, kLongest);
  if (!address_.empty() && watched && interval > 0) {
    timer_ = g_timeout_add(static_cast<guint>(interval), on_timer, this);
  }
}

ServiceManager::~ServiceManager() {
  if (timer_ != 0) g_source_remove(timer_);
  send("STOPPING=1");
}

gboolean ServiceManager::on_timer(gpointer data) {
  const auto* self = static_cast<const ServiceManager*>(data);
  if (self->alive_()) self->send("WATCHDOG=1");
  return G_SOURCE_CONTINUE;
}

void ServiceManager::send(const char* state) const {
  sockaddr_un address{};
  if (address_.empty() || address_.size() >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, address_.data(), address_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // an abstract address
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  ::sendto(socket, state, std::strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&address),
           size);
  ::close(socket);
}

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
  video::correct_demuxers(pipeline.get());
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
