#include "http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace sightglass::test {

namespace {

constexpr int kPollMs = 20;

Request parse(const std::string& text) {
  Request request;
  const size_t begin = text.find(' ') + 1;
  request.path = text.substr(begin, text.find(' ', begin) - begin);
  const std::string field = "Range: bytes=";
  if (const size_t range = text.find(field); range != std::string::npos) {
    request.from = std::stoll(text.substr(range + field.size()));
  }
  const std::string credentials = "Authorization: ";
  if (const size_t at = text.find(credentials); at != std::string::npos) {
    const size_t value = at + credentials.size();
    request.authorization = text.substr(value, text.find('\r', value) - value);
  }
  return request;
}

}  // namespace

HttpServer::HttpServer(std::vector<Answer> answers) : answers_(std::move(answers)) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (socket_ < 0 || ::bind(socket_, generic, size) != 0 || ::listen(socket_, SOMAXCONN) != 0 ||
      ::getsockname(socket_, generic, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "a server on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  listener_ = std::thread([this] { listen(); });
}

HttpServer::~HttpServer() {
  stopped_ = true;
  listener_.join();
  for (std::thread& connection : connections_) connection.join();
  ::close(socket_);
}

std::string HttpServer::address() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::vector<Request> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void HttpServer::listen() {
  while (!stopped_) {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, kPollMs) <= 0) continue;
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) connections_.emplace_back([this, connection] { serve(connection); });
  }
}

Answer HttpServer::next(Request request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
  return answers_[std::min(requests_.size(), answers_.size()) - 1];
}

// One request per connection.
void HttpServer::serve(int connection) {
  std::string text;
  std::array<char, 4096> buffer;
  while (text.find("\r\n\r\n") == std::string::npos && !stopped_) {
    pollfd waiting{connection, POLLIN, 0};
    if (::poll(&waiting, 1, kPollMs) <= 0) continue;
    const ssize_t read = ::recv(connection, buffer.data(), buffer.size(), 0);
    if (read <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(read));
  }
  if (text.find("\r\n\r\n") != std::string::npos) {
    const Request request = parse(text);
    const Answer answer = next(request);
    const auto size = static_cast<int64_t>(answer.body.size());
    int64_t from = answer.ranges && answer.status == 200 ? request.from : 0;
    int status = answer.status;
    std::string fields;
    if (from > 0 && from < size) {
      status = 206;
      fields = "Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(size - 1) + "/" +
               std::to_string(size) + "\r\n";
    } else if (from >= size && size > 0) {
      status = 416;
      fields = "Content-Range: bytes */" + std::to_string(size) + "\r\n";
      from = size;
    }
    if (answer.says_length) fields += "Content-Length: " + std::to_string(size - from) + "\r\n";
    if (!answer.location.empty()) fields += "Location: " + answer.location + "\r\n";
    const std::string head =
        "HTTP/1.1 " + std::to_string(status) + " as told\r\nConnection: close\r\n" + fields + "\r\n";
    if (send_all(connection, head.data(), head.size())) send_body(connection, answer, from);
  }
  ::close(connection);
}

void HttpServer::send_body(int connection, const Answer& answer, int64_t from) const {
  auto end = static_cast<int64_t>(answer.body.size());
  for (const int64_t limit : {answer.cut_after, answer.stall_after}) {
    if (limit >= 0) end = std::min(end, from + limit);
  }
  for (int64_t at = from; at < end && !stopped_; at += answer.piece) {
    if (!send_all(connection, answer.body.data() + at, static_cast<size_t>(std::min(answer.piece, end - at)))) return;
    if (answer.pause_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(answer.pause_ms));
  }
  while (answer.stall_after >= 0 && !stopped_) std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
}

bool HttpServer::send_all(int connection, const char* data, size_t count) const {
  while (count > 0 && !stopped_) {
    const ssize_t sent = ::send(connection, data, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) {
      pollfd waiting{connection, POLLOUT, 0};
      ::poll(&waiting, 1, kPollMs);
      continue;
    }
    if (sent < 0) return false;
    data += sent;
    count -= static_cast<size_t>(sent);
  }
  return count == 0;
}

}  // namespace sightglass::test
