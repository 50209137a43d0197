// A running `sightglass serve`, or another program that prints a line when it is ready.
#pragma once

#include <sys/types.h>

#include <string>
#include <thread>
#include <vector>

#include "serve/http_client.h"

namespace sightglass::test {

class Process {
 public:
  // Starts the program. Its standard output and standard error are collected.
  explicit Process(const std::vector<std::string>& arguments);
  // Ends the program if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits until the output contains `text`, and returns the rest of that line; empty if the program ends first, or
  // after a minute.
  std::string wait_for(const std::string& text);
  pid_t id() const { return pid_; }
  void interrupt() const;
  // Waits for the end, for at most 30 seconds; -1: it did not end, or by a signal.
  int exit_status();
  const std::string& output() const { return output_; }

 private:
  bool read_more(int milliseconds);

  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string output_;
};

class ServeProcess {
 public:
  // `arguments` after "serve"; listens on a free port of 127.0.0.1 unless they have --listen.
  explicit ServeProcess(std::vector<std::string> arguments);

  Process& process() { return process_; }
  // "http://localhost:12345"; empty if the server did not start.
  const std::string& url() const { return url_; }
  // The random token; empty: there is none.
  const std::string& token() const { return token_; }
  // Whether /healthz answers 200 within a minute.
  bool wait_until_ready() const;

  HttpReply get(const std::string& path, std::vector<std::string> headers = {}) const;
  HttpReply put(const std::string& path, const std::string& body,
                std::vector<std::string> headers = {"Content-Type: application/json"}) const;

 private:
  Process process_;
  std::string url_, token_;
};

}  // namespace sightglass::test
