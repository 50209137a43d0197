#include "serve/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace sightglass::serve {

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

}  // namespace sightglass::serve
