// Programs that tests of the virtual machine run beside themselves.
#pragma once

#include <glib.h>
#include <signal.h>
#include <sys/wait.h>

#include <string>

#include "harness/program.h"

namespace sightglass::test {

// The command-line tool, with the plugin of this build.
inline const std::string kCommand =
    "env GST_PLUGIN_PATH=" + quoted(SIGHTGLASS_PLUGIN_FOLDER) + " " + quoted(SIGHTGLASS_COMMAND);

// A separate program that runs at most as long as the object exists.
class ChildProcess {
 public:
  // `line` is split into words as a shell does.
  explicit ChildProcess(const std::string& line) {
    gchar** words = nullptr;
    if (!g_shell_parse_argv(line.c_str(), nullptr, &words, nullptr)) return;
    constexpr auto kFlags = static_cast<GSpawnFlags>(G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD);
    started_ = g_spawn_async(nullptr, words, nullptr, kFlags, nullptr, nullptr, &id_, nullptr);
    g_strfreev(words);
  }
  ~ChildProcess() {
    if (!running()) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool running() {
    if (started_ && waitpid(id_, nullptr, WNOHANG) != 0) started_ = false;
    return started_;
  }
  // Interrupts a running program, as Ctrl-C does, and returns its exit status; -1 if it was killed.
  int interrupt() {
    int status = -1;
    kill(id_, SIGINT);
    waitpid(id_, &status, 0);
    started_ = false;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  GPid id_ = 0;
  bool started_ = false;
};

}  // namespace sightglass::test
