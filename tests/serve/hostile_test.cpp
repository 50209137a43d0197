// Hostile and broken clients of `sightglass serve`: what they send, and how they leave. SIGHTGLASS_HOSTILE_REQUESTS
// sets the number of requests. `./dev serve-test` sends more, and waits for the clients that are ended by time.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/scratch_folder.h"
#include "serve/raw_client.h"
#include "serve/serve_process.h"

namespace sightglass::test {
namespace {

using std::chrono::steady_clock;

const std::string kToken = "a-token-from-the-environment";
const std::string kHost = "Host: localhost\r\n", kBearer = "Authorization: Bearer " + kToken + "\r\n";

// A stand-in for the service manager, which notes what the server reports.
class ManagerSocket {
 public:
  ManagerSocket() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const std::string path = (scratch_folder() / "manager").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    bound_ = ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "400000", 1);
  }
  ~ManagerSocket() {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
    ::close(socket_);
  }
  ManagerSocket(const ManagerSocket&) = delete;
  ManagerSocket& operator=(const ManagerSocket&) = delete;

  bool bound() const { return bound_; }
  std::string next() const {
    timeval limit{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    char text[64];
    const ssize_t size = ::recv(socket_, text, sizeof(text), 0);
    return size > 0 ? std::string(text, static_cast<size_t>(size)) : std::string();
  }

 private:
  int socket_;
  bool bound_ = false;
};

class HostileClients : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    manager_ = std::make_unique<ManagerSocket>();
    ::setenv("SIGHTGLASS_TOKEN", kToken.c_str(), 1);
    server_ = std::make_unique<ServeProcess>(std::vector<std::string>{"--input", "figures", "--size", "160x120"});
    ::unsetenv("SIGHTGLASS_TOKEN");
    ASSERT_FALSE(server_->url().empty()) << server_->process().output();
    ASSERT_TRUE(server_->wait_until_ready()) << server_->process().output();
  }
  static void TearDownTestSuite() {
    server_.reset();
    manager_.reset();
  }

  static int port() { return std::stoi(server_->url().substr(server_->url().rfind(':') + 1)); }
  static pid_t process() { return server_->process().id(); }
  // The status of a request that is sent as it is; 0: no answer.
  static int status_of(const std::string& request, int seconds = 10) {
    RawClient client(port());
    client.send(request);
    const std::string reply = client.read_all(seconds);
    EXPECT_TRUE(client.closed()) << request.substr(0, 80);
    return reply.starts_with("HTTP/1.") && reply.size() > 12 ? std::stoi(reply.substr(9, 3)) : 0;
  }

  static std::unique_ptr<ManagerSocket> manager_;
  static std::unique_ptr<ServeProcess> server_;
};
std::unique_ptr<ManagerSocket> HostileClients::manager_;
std::unique_ptr<ServeProcess> HostileClients::server_;

std::string put(const std::string& headers, const std::string& body) {
  return "PUT /api/properties HTTP/1.1\r\n" + kHost + kBearer + "Content-Type: application/json\r\n" + headers +
         "\r\n" + body;
}

TEST_F(HostileClients, TokensFromTheEnvironmentCountAndAreNotPrinted) {
  EXPECT_EQ(server_->process().output().find(kToken), std::string::npos) << server_->process().output();
  EXPECT_EQ(server_->get("/api/stats").status, 401);
  EXPECT_EQ(server_->get("/api/stats", {"Authorization: Bearer " + kToken}).status, 200);
}

TEST_F(HostileClients, TheServiceManagerHearsThatTheServerIsReadyAndAlive) {
  ASSERT_TRUE(manager_->bound());
  EXPECT_EQ(manager_->next(), "READY=1");
  EXPECT_EQ(manager_->next(), "WATCHDOG=1");
  EXPECT_EQ(manager_->next(), "WATCHDOG=1");
}

TEST_F(HostileClients, HeadsThatReadersCouldUnderstandDifferentlyAreRejectedAtOnce) {
  const struct {
    std::string request;
    int status;
  } cases[] = {
      {put("Content-Length: 2\r\n", "{}"), 200},
      {put("Content-Length: -2\r\n", "{}"), 400},
      {put("Content-Length: +2\r\n", "{}"), 400},
      {put("Content-Length: 2, 2\r\n", "{}"), 400},
      {put("Content-Length: 0x2\r\n", "{}"), 400},
      {put("Content-Length: 2\r\nContent-Length: 300\r\n", "{}"), 400},
      {put("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400},
      {put("Content-Length: 99999999999999999999999\r\n", "{}"), 413},
      {put("Content-Length: 10000000000\r\n", "{}"), 413},
      {put("Content-Length: 70000\r\n", "{}"), 413},
      {put("Content-Length: 10000000000\r\nExpect: 100-continue\r\n", ""), 413},
      {put("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"), 411},
      {put("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "{}"), 400},
      {put("Content-Length: 2\r\nHost: localhost\r\n", "{}"), 400},
      {put("Content-Length: 2\r\nContent-Type: text/plain\r\n", "{}"), 400},
      {"GET /healthz HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n\r\n", 400},
      {"GET /api/stats HTTP/1.1\r\n" + kHost + kBearer + kBearer + "\r\n", 400},
      {"GET /api/stats HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/0.9\r\n\r\n", 505},
  };
  for (const auto& c : cases) {
    const auto begin = steady_clock::now();
    EXPECT_EQ(status_of(c.request), c.status) << c.request.substr(0, 200);
    EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(8)) << c.request.substr(0, 200);
  }
  std::string many;
  for (int i = 0; i < 200; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(status_of("GET /healthz HTTP/1.1\r\n" + kHost + many + "\r\n"), 431);
}

TEST_F(HostileClients, RangesAreIgnored) {
  std::string ranges = "Range: bytes=0-";
  for (int i = 1; i < 20'000; ++i) ranges += ",0-";
  const double before = resident_mib(process());
  for (const char* path : {"/api/still.png", "/app.js", "/api/stats", "/metrics"}) {
    RawClient client(port());
    client.send("GET " + std::string(path) + " HTTP/1.1\r\n" + kHost + kBearer + ranges + "\r\nIf-Range: x\r\n\r\n");
    const std::string reply = client.read_all(20);
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 ")) << path << ": " << reply.substr(0, 80);
    EXPECT_LT(reply.size(), 2'000'000U) << path;
  }
  EXPECT_EQ(status_of("GET /app.js HTTP/1.1\r\n" + kHost + kBearer + "Range: bytes=0-1\r\n\r\n"), 200);
  const double more = resident_mib(process()) - before;
  std::printf("%.0f MiB more after requests with 20,000 ranges\n", more);
  EXPECT_LT(more, 100);
}

// Each way in which a request can end.
void send_request(int port, int kind) {
  const std::string get = "GET /healthz HTTP/1.1\r\n" + kHost;
  RawClient client(port);
  switch (kind % 10) {
    case 0:  // ended by us; the client would keep the connection
      client.send(get + "Connection: keep-alive\r\n\r\n");
      client.read_all(10);
      EXPECT_TRUE(client.closed());
      return;
    case 1:  // the client leaves without reading
      client.send(get + "\r\n");
      return;
    case 2:  // in the middle of the head
      client.send(get);
      return;
    case 3:  // in the middle of the body
      client.send(put("Content-Length: 1000\r\n", "{"));
      return;
    case 4:  // without a request
      return;
    case 5:  // a client that sends no more, but reads
      client.send(get + "\r\n");
      client.finish_sending();
      client.read_all(10);
      EXPECT_TRUE(client.closed());
      return;
    case 6:  // a stream, ended by the client
      client.send("GET /api/picture.mjpeg HTTP/1.1\r\n" + kHost + kBearer + "\r\n");
      client.read_all(10, 100);
      return;
    case 7:  // refused, with a body
      client.send("POST /api/offer HTTP/1.1\r\n" + kHost + "Content-Length: 4000\r\n\r\n" + std::string(4000, 'x'));
      client.read_all(10);
      EXPECT_TRUE(client.closed());
      return;
    case 8:  // not HTTP
      client.send(std::string("\x16\x03\x01\0\xa5\r\n\r\n", 9));
      client.read_all(10);
      return;
    case 9:  // several at once
      client.send(get + "\r\n" + get + "\r\n" + get + "\r\n");
      client.read_all(10);
      EXPECT_TRUE(client.closed());
      return;
  }
}

TEST_F(HostileClients, DescriptorsThreadsAndMemoryStayFlat) {
  const char* wish = std::getenv("SIGHTGLASS_HOSTILE_REQUESTS");
  const int requests = wish != nullptr ? std::atoi(wish) : 2000;
  // What is created once exists after the first ones.
  for (int i = 0; i < 20; ++i) send_request(port(), i);
  const auto settle = [](int expected) {
    int count = count_descriptors(process());
    for (int i = 0; i < 300 && count > expected; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      count = count_descriptors(process());
    }
    return count;
  };
  int before = 0;
  do {
    before = count_descriptors(process());
    std::this_thread::sleep_for(std::chrono::seconds(1));
  } while (count_descriptors(process()) != before);
  const int descriptors = count_descriptors(process()), threads = count_threads(process());
  const double memory = resident_mib(process());
  for (int i = 0; i < requests; ++i) send_request(port(), i);
  const int descriptors_after = settle(descriptors), threads_after = count_threads(process());
  const double memory_after = resident_mib(process());
  std::printf("%d requests: descriptors %d to %d, threads %d to %d, memory %.1f to %.1f MiB\n", requests, descriptors,
              descriptors_after, threads, threads_after, memory, memory_after);
  EXPECT_LE(descriptors_after, descriptors);
  EXPECT_LE(threads_after, threads + 2);
  EXPECT_LT(memory_after, memory + 32);
  EXPECT_EQ(server_->get("/healthz").status, 200);
}

TEST_F(HostileClients, IdleConnectionsDoNotKeepOthersOut) {
  const int before = count_descriptors(process());
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 70; ++i) {
    idle.push_back(std::make_unique<RawClient>(port()));
    idle.back()->send("GET /");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the queue of the listening socket is short
  }
  const auto begin = steady_clock::now();
  EXPECT_EQ(server_->get("/healthz").status, 200);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_LE(count_descriptors(process()), before + 70) << "at most 64 connections";
}

TEST_F(HostileClients, ClientsThatDoNothingAreEndedByTime) {
  RawClient silent(port()), slow(port()), deaf(port());
  slow.send(put("Content-Length: 1000\r\n", "{"));
  deaf.send("GET /api/picture.mjpeg HTTP/1.1\r\n" + kHost + kBearer + "\r\n");
  const auto begin = steady_clock::now();
  const auto seconds = [begin] { return std::chrono::duration<double>(steady_clock::now() - begin).count(); };
  silent.read_all(20);
  slow.read_all(20);
  std::printf("clients without a request: %.1f s\n", seconds());
  EXPECT_TRUE(silent.closed());
  EXPECT_TRUE(slow.closed());
  const auto watchers = [this] {
    return server_->get("/api/stats", {"Authorization: Bearer " + kToken}).json()["streams"].value("mjpeg", -1);
  };
  while (watchers() != 0 && seconds() < 60) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::printf("a client that reads nothing: %.1f s\n", seconds());
  EXPECT_LT(seconds(), 40) << "20 seconds after its buffers are full";
}

}  // namespace
}  // namespace sightglass::test
