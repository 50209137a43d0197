#include "serve/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sightglass::test {

namespace {

int count_entries(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  return error ? -1 : static_cast<int>(std::distance(begin(entries), end(entries)));
}

}  // namespace

RawClient::RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return;
  ::close(socket_);
  socket_ = -1;
}

RawClient::~RawClient() {
  if (socket_ >= 0) ::close(socket_);
}

bool RawClient::send(const std::string& text) const {
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t size = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) return false;
    sent += static_cast<size_t>(size);
  }
  return true;
}

void RawClient::finish_sending() const { ::shutdown(socket_, SHUT_WR); }

std::string RawClient::read_all(int seconds, size_t limit) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(seconds);
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() < limit) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd descriptor{socket_, POLLIN, 0};
    if (left <= 0 || ::poll(&descriptor, 1, static_cast<int>(left)) <= 0) return text;
    const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (size <= 0) {
      closed_ = true;
      return text;
    }
    text.append(buffer.data(), static_cast<size_t>(size));
  }
  return text;
}

int count_descriptors(pid_t process) { return count_entries("/proc/" + std::to_string(process) + "/fd"); }

int count_threads(pid_t process) { return count_entries("/proc/" + std::to_string(process) + "/task"); }

double resident_mib(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  std::string line;
  constexpr double kPerMib = 1024;
  while (std::getline(status, line)) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / kPerMib;
  }
  return -1;
}

}  // namespace sightglass::test
