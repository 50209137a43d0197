// A web server for tests, on an address of this machine alone: one file, and whatever can go wrong with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sightglass::test {

// How one request is answered.
struct Answer {
  std::string body{};
  int status = 200;
  std::string location{};    // where a redirection leads; with status 302
  bool ranges = true;        // gives a part of the body where one is asked for
  bool says_length = true;   // else the end of the connection is the end of the body
  int64_t cut_after = -1;    // ends the connection after so many bytes of the body; negative: does not
  int64_t stall_after = -1;  // sends nothing after so many bytes, and keeps the connection open
  int64_t piece = 1 << 16;   // sends so many bytes at once,
  int pause_ms = 0;          // and waits so long between them
};

struct Request {
  std::string path;
  int64_t from = 0;           // first byte asked for
  std::string authorization;  // "Basic c29tZQ=="; empty: none
};

class HttpServer {
 public:
  // Listens until it is destroyed. The nth request is answered with the nth answer, all later ones with the last.
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
  std::vector<std::thread> connections_;  // of the listening thread; joined after it
  std::thread listener_;
};

}  // namespace sightglass::test
