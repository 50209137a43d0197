// A web server for tests, reachable only from this machine: it serves one file, with any kind of failure.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sightglass::test {

// The answer to one request.
struct Answer {
  std::string body{};
  int status = 200;
  std::string location{};    // target of a redirect, with status 302
  bool ranges = true;        // serves a part of the body on request
  bool says_length = true;   // otherwise the end of the connection ends the body
  int64_t cut_after = -1;    // closes the connection after this many bytes of the body; negative: never
  int64_t stall_after = -1;  // sends nothing after this many bytes, and keeps the connection open; negative: never
  int64_t piece = 1 << 16;   // sends this many bytes at once
  int pause_ms = 0;          // and waits this long in between
};

struct Request {
  std::string path;
  int64_t from = 0;           // first requested byte
  std::string authorization;  // "Basic c29tZQ=="; empty: none
};

class HttpServer {
 public:
  // Listens until it is destroyed. The nth request gets the nth answer; all later requests get the last one.
  explicit HttpServer(std::vector<Answer> answers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string address() const;  // "http://127.0.0.1:1234"
  std::vector<Request> requests() const;

 private:
  void listen();
  void serve(int connection);
  Answer next(Request request);
  void send_body(int connection, const Answer& answer, int64_t from) const;
  bool send_all(int connection, const char* data, size_t count) const;  // false: the connection is gone

  mutable std::mutex mutex_;
  std::vector<Answer> answers_;
  std::vector<Request> requests_;
  std::atomic<bool> stopped_{false};
  int socket_ = -1;
  int port_ = 0;
  std::vector<std::thread> connections_;  // started by the listening thread; joined after it
  std::thread listener_;
};

}  // namespace sightglass::test
