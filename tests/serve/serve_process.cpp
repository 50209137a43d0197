#include "serve/serve_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include "harness/scratch_folder.h"

namespace sightglass::test {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> serve_arguments(std::vector<std::string> arguments) {
  const bool listens = std::find(arguments.begin(), arguments.end(), "--listen") != arguments.end();
  std::vector<std::string> all = {SIGHTGLASS_COMMAND, "serve"};
  all.insert(all.end(), std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end()));
  if (!listens) all.insert(all.end(), {"--listen", "127.0.0.1:0"});
  // Models and settings of the user do not matter.
  ::setenv("XDG_DATA_HOME", (scratch_folder() / "data").c_str(), 1);
  ::setenv("XDG_RUNTIME_DIR", (scratch_folder() / "run").c_str(), 1);
  ::setenv("GST_PLUGIN_PATH", PLUGINS, 1);
  return all;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(STDIN_FILENO);
    ::open("/dev/null", O_RDONLY);
    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);  // with its children
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(pipe_);
}

bool Process::read_more(int milliseconds) {
  pollfd descriptor{pipe_, POLLIN, 0};
  if (::poll(&descriptor, 1, milliseconds) <= 0) return true;
  char buffer[4096];
  const ssize_t size = ::read(pipe_, buffer, sizeof(buffer));
  if (size <= 0) return false;
  output_.append(buffer, static_cast<size_t>(size));
  return true;
}

std::string Process::wait_for(const std::string& text) {
  const auto deadline = Clock::now() + std::chrono::minutes(1);
  while (Clock::now() < deadline) {
    const size_t found = output_.find(text);
    const size_t end = found == std::string::npos ? found : output_.find('\n', found);
    if (end != std::string::npos) return output_.substr(found + text.size(), end - found - text.size());
    if (!read_more(200)) break;
  }
  return {};
}

void Process::interrupt() const { ::kill(pid_, SIGINT); }

int Process::exit_status() {
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  while (Clock::now() < deadline) {
    read_more(50);
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) continue;
    pollfd descriptor{pipe_, POLLIN, 0};
    while (::poll(&descriptor, 1, 0) > 0 && read_more(0)) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  return -1;
}

ServeProcess::ServeProcess(std::vector<std::string> arguments) : process_(serve_arguments(std::move(arguments))) {
  const std::string line = process_.wait_for("serving at ");
  const size_t end = line.find('/', 8);
  if (end == std::string::npos) return;
  url_ = line.substr(0, end);
  constexpr std::string_view kFile = "the token in ";
  const size_t file = line.find(kFile);
  if (file != std::string::npos) std::ifstream(line.substr(file + kFile.size())) >> token_;
}

bool ServeProcess::wait_until_ready() const {
  const auto deadline = Clock::now() + std::chrono::minutes(1);
  while (Clock::now() < deadline) {
    if (get("/healthz").status == 200) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return false;
}

HttpReply ServeProcess::get(const std::string& path, std::vector<std::string> headers) const {
  HttpRequest request;
  request.url = url_ + path;
  request.headers = std::move(headers);
  return send(request);
}

HttpReply ServeProcess::put(const std::string& path, const std::string& body, std::vector<std::string> headers) const {
  HttpRequest request;
  request.method = "PUT";
  request.url = url_ + path;
  request.headers = std::move(headers);
  request.body = body;
  return send(request);
}

}  // namespace sightglass::test
