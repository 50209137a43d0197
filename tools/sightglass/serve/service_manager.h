// Reports to systemd, or another manager with its protocol, that the server is ready and alive.
#pragma once

#include <glib.h>

#include <functional>
#include <string>

namespace sightglass::serve {

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

}  // namespace sightglass::serve
