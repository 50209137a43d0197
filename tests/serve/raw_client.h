// Connections of tests that send what no HTTP library sends.
#pragma once

#include <sys/types.h>

#include <string>

namespace sightglass::test {

class RawClient {
 public:
  // Connects to a port of 127.0.0.1.
  explicit RawClient(int port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return socket_ >= 0; }
  // False: the server has closed the connection.
  bool send(const std::string& text) const;
  // No more is sent; the answer can still be read.
  void finish_sending() const;
  // Everything up to the end of the connection; or what arrived when the time is over, or after `limit` bytes.
  std::string read_all(int seconds, size_t limit = size_t{16} << 20U);
  // Whether the server closed the connection before the time was over.
  bool closed() const { return closed_; }

 private:
  int socket_ = -1;
  bool closed_ = false;
};

// Of a running process.
int count_descriptors(pid_t process);
int count_threads(pid_t process);
double resident_mib(pid_t process);

}  // namespace sightglass::test
