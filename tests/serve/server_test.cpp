// `sightglass serve` by HTTP: routes, validation, streams, and who is refused.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "pictures.h"
#include "serve/serve_process.h"

namespace sightglass::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kJson = "Content-Type: application/json";
const std::vector<std::string> kFigures = {"--input", "figures", "--size", "160x120"};

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

// One server for all tests that change nothing that others need.
class Server : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<ServeProcess>(kFigures);
    ASSERT_FALSE(server_->url().empty()) << server_->process().output();
    // The first frame takes seconds.
    const HttpReply early = server_->get("/healthz");
    if (early.status != 200) {
      EXPECT_EQ(early.status, 503);
      EXPECT_EQ(early.body, "no frame yet: the pipeline is starting\n");
    }
    ASSERT_TRUE(server_->wait_until_ready()) << server_->process().output();
  }
  static void TearDownTestSuite() { server_.reset(); }

  static std::unique_ptr<ServeProcess> server_;
};
std::unique_ptr<ServeProcess> Server::server_;

nlohmann::json property(const nlohmann::json& list, const std::string& name) {
  for (const auto& one : list["properties"]) {
    if (one["name"] == name) return one;
  }
  return nullptr;
}

uint64_t frames_of(const ServeProcess& server) { return server.get("/api/stats").json().value("frames", uint64_t{0}); }

// Waits until the server has pushed so many frames more, for at most a minute: machines without a GPU are slow.
uint64_t frames_after(const ServeProcess& server, uint64_t more) {
  const uint64_t before = frames_of(server);
  uint64_t now = before;
  for (int i = 0; i < 600 && now < before + more; ++i) {
    std::this_thread::sleep_for(milliseconds(100));
    now = frames_of(server);
  }
  return now - before;
}

// Share of pixels that are nearly of this color.
double share_of(const std::string& image, int red, int green, int blue) {
  const std::string path = (scratch_folder() / "picture").string();
  std::ofstream(path, std::ios::binary) << image;
  const Result<PixbufPtr> decoded = decode_picture(path, 4096);
  if (!decoded.ok()) return -1;
  GdkPixbuf* const pixels = decoded->get();
  const int width = gdk_pixbuf_get_width(pixels), height = gdk_pixbuf_get_height(pixels);
  const int channels = gdk_pixbuf_get_n_channels(pixels), stride = gdk_pixbuf_get_rowstride(pixels);
  const guchar* const data = gdk_pixbuf_get_pixels(pixels);
  int close = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const guchar* const pixel = data + y * stride + x * channels;
      close += std::abs(pixel[0] - red) + std::abs(pixel[1] - green) + std::abs(pixel[2] - blue) < 60 ? 1 : 0;
    }
  }
  return static_cast<double>(close) / (width * height);
}

TEST_F(Server, ListsPropertiesFromTheTableOfTheElement) {
  const HttpReply reply = server_->get("/api/properties");
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  const nlohmann::json list = reply.json();
  EXPECT_EQ(list["element"], "glsegment");
  const nlohmann::json strength = property(list, "blur-strength");
  EXPECT_EQ(strength["type"], "number");
  EXPECT_EQ(strength["minimum"], 0);
  EXPECT_EQ(strength["maximum"], 25);
  EXPECT_EQ(strength["default"], 8);
  EXPECT_EQ(strength["live"], true);
  EXPECT_EQ(property(list, "smoothing")["maximum"], 0.95) << "as in the table, not the nearest float";
  EXPECT_EQ(property(list, "background")["type"], "choice");
  EXPECT_EQ(property(list, "background")["words"][0]["word"], "blur");
  EXPECT_EQ(property(list, "hud")["type"], "switch");
  EXPECT_EQ(property(list, "background-color")["type"], "color");
  EXPECT_EQ(property(list, "inference-interval")["type"], "integer");
  EXPECT_EQ(
      property(list, "model")["words"],
      nlohmann::json::parse(R"([{"word": "figure", "meaning": ""}, {"word": "figure-recurrent", "meaning": ""}])"));
  for (const char* fixed : {"precision", "cache-dir", "background-location"}) {
    EXPECT_EQ(property(list, fixed)["live"], false) << fixed;
    EXPECT_NE(property(list, fixed).value("reason", ""), "") << fixed;
  }
}

TEST_F(Server, ChangesThePicture) {
  ASSERT_EQ(server_->put("/api/properties", R"({"background": "color", "background-color": 4294901760})").status, 200);
  frames_after(*server_, 5);  // some frames are on their way
  const HttpReply red = server_->get("/api/still.png");
  ASSERT_EQ(red.status, 200) << red.body;
  EXPECT_EQ(red.headers.at("content-type"), "image/png");
  EXPECT_EQ(red.headers.at("content-disposition"), "attachment; filename=\"sightglass.png\"");
  const double share = share_of(red.body, 255, 0, 0);
  const HttpReply changed = server_->put("/api/properties", R"({"background": "blur", "hud": false})");
  ASSERT_EQ(changed.status, 200);
  EXPECT_EQ(property(changed.json(), "background")["value"], "blur");
  frames_after(*server_, 5);  // some frames are on their way
  const double blurred = share_of(server_->get("/api/still.png").body, 255, 0, 0);
  std::printf("red pixels: %.3f with background=color, %.3f with background=blur\n", share, blurred);
  EXPECT_GT(share, 0.3);
  EXPECT_GE(blurred, 0);
  EXPECT_LT(blurred, 0.1);
}

TEST_F(Server, RejectsWrongChangesAndChangesNothing) {
  const struct {
    const char* body;
    int status;
    std::string_view error;
  } cases[] = {
      {R"({"blur-strength": 99})", 400, "blur-strength: '99' is not a valid value; use 0 to 25"},
      {R"({"blur-strength": "much"})", 400, "blur-strength: 'much' is not a valid value; use 0 to 25"},
      {R"({"blur-strength": true})", 400, "blur-strength: 'true' is not a valid value; use 0 to 25"},
      {R"({"blur-strength": null})", 400, "blur-strength: a number, a text, true, or false is needed"},
      {R"({"blur-strength": [1]})", 400, "blur-strength: a number, a text, true, or false is needed"},
      {R"({"inference-interval": 1.5})", 400, "inference-interval: '1.5' is not a valid value; use 1 to 3600"},
      {R"({"inference-interval": 4294967297})", 400,
       "inference-interval: '4294967297' is not a valid value; use 1 to 3600"},
      {R"({"background-color": 4294967299})", 400,
       "background-color: '4294967299' is not a valid value; use 0 to 4294967295"},
      {R"({"background-color": -1})", 400, "background-color: '-1' is not a valid value; use 0 to 4294967295"},
      {R"({"inference-interval": ""})", 400, "inference-interval: '' is not a valid value; use 1 to 3600"},
      {R"({"blur-strength": "8x"})", 400, "blur-strength: '8x' is not a valid value; use 0 to 25"},
      {R"({"blur-strength": "nan"})", 400, "blur-strength: 'nan' is not a valid value; use 0 to 25"},
      {R"({"bokeh": ""})", 400, "bokeh: '' is not a valid value; use gaussian, disc"},
      {R"({"bokeh": "disc\u0000"})", 400,
       std::string_view("bokeh: 'disc\0' is not a valid value; use gaussian, disc", 55)},
      {R"({"bokeh": "square"})", 400, "bokeh: 'square' is not a valid value; use gaussian, disc"},
      {R"({"bokeh": 1})", 400, "bokeh: '1' is not a valid value; use gaussian, disc"},
      {R"({"hud": 1})", 400, "hud: '1' is not a valid value; use true, false"},
      {R"({"blur-strength": 5, "bokeh": "square"})", 400, "bokeh: 'square' is not a valid value; use gaussian, disc"},
      {R"({"blur-radios": 5})", 404, "blur-radios: is not a property of glsegment"},
      {R"({"name": "other"})", 404, "name: is not a property of glsegment"},
      {R"({"precision": "fp16"})", 409, "precision: can be set only at start, on the command line"},
      {R"({"cache-dir": "/tmp"})", 403, "cache-dir: can be set only on the command line"},
      {R"({"background-location": "/etc/passwd"})", 403, "background-location: can be set only on the command line"},
      {R"({"model": "/etc/passwd"})", 400,
       "model: '/etc/passwd' is not a known model on this machine; use figure, figure-recurrent"},
      {R"({"model": "selfie-segmenter"})", 400,
       "model: 'selfie-segmenter' is not a known model on this machine; use figure, figure-recurrent"},
      {R"([])", 400, R"(the body must be a JSON object such as {"hud": true})"},
      {R"({"hud": tru)", 400, R"(the body must be a JSON object such as {"hud": true})"},
  };
  const nlohmann::json before = server_->get("/api/properties").json();
  for (const auto& c : cases) {
    const HttpReply reply = server_->put("/api/properties", c.body);
    EXPECT_EQ(reply.status, c.status) << c.body;
    EXPECT_EQ(reply.json().value("error", ""), c.error) << c.body;
  }
  EXPECT_EQ(server_->put("/api/properties", "{}", {"Content-Type: text/plain"}).status, 415);
  EXPECT_EQ(server_->put("/api/properties", std::string(70000, ' '), {kJson}).status, 413);
  EXPECT_EQ(server_->put("/api/properties", "{}", {kJson, "Transfer-Encoding: chunked"}).status, 411);
  EXPECT_EQ(server_->get("/api/properties").json(), before);
}

TEST_F(Server, RefusesForeignRequestsAndUnknownOnes) {
  const struct {
    const char* path;
    std::vector<std::string> headers;
    int status;
  } cases[] = {
      {"/api/stats", {"Host: evil.example"}, 403},
      {"/healthz", {"Host: evil.example"}, 403},
      {"/api/stats", {"Origin: http://evil.example"}, 403},
      {"/api/stats", {"Origin: null"}, 403},
      {"/", {"Sec-Fetch-Site: cross-site"}, 403},
      {"/api/picture.mjpeg", {"Sec-Fetch-Site: same-site"}, 403},
      {"/api/stats", {"Sec-Fetch-Site: same-origin"}, 200},
      {"/none", {}, 404},
      {"/api/../etc/passwd", {}, 404},
      {"/api/stats?x=1", {}, 200},
  };
  for (const auto& c : cases) EXPECT_EQ(server_->get(c.path, c.headers).status, c.status) << c.path;
  const HttpReply put = server_->put("/api/properties", R"({"hud": true})", {kJson, "Origin: http://evil.example"});
  EXPECT_EQ(put.status, 403);
  EXPECT_EQ(property(server_->get("/api/properties").json(), "hud")["value"], false);
  HttpRequest request;
  request.method = "DELETE";
  request.url = server_->url() + "/api/properties";
  const HttpReply deleted = send(request);
  EXPECT_EQ(deleted.status, 405);
  EXPECT_EQ(deleted.headers.at("allow"), "GET, PUT");
}

TEST_F(Server, SendsThePageWithAStrictPolicy) {
  const HttpReply page = server_->get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.headers.at("content-security-policy"),
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.headers.at("referrer-policy"), "no-referrer");
  for (const char* file : {"/app.js", "/style.css", "/icon.svg", "/api/openapi.json"}) {
    EXPECT_EQ(server_->get(file).status, 200) << file;
  }
  EXPECT_TRUE(server_->get("/api/openapi.json").json().is_object());
}

TEST_F(Server, ReportsStatisticsAndMetrics) {
  const nlohmann::json first = server_->get("/api/stats").json();
  EXPECT_EQ(first["task"], "segment");
  EXPECT_EQ(first["input"], "figures");
  EXPECT_EQ(first["model"], "figure");
  EXPECT_EQ(first["width"], 160);
  EXPECT_EQ(first["ready"], true);
  EXPECT_GT(first["rate"], 0.0);
  EXPECT_GT(first["frame_ms"], 0.0);
  EXPECT_TRUE(first["dropped"].is_number());
  EXPECT_GE(frames_after(*server_, 1), 1U);
  const HttpReply metrics = server_->get("/metrics");
  EXPECT_EQ(metrics.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  expect_words(metrics.body,
               {"\nsightglass_ready 1\n", "# TYPE sightglass_frames_total counter\nsightglass_frames_total ",
                "\nsightglass_frames_dropped_total 0\n", "\nsightglass_streams{kind=\"mjpeg\"} 0\n",
                "\nsightglass_frame_seconds "});
}

TEST_F(Server, StreamsMotionJpeg) {
  HttpRequest request;
  request.url = server_->url() + "/api/picture.mjpeg";
  const std::string boundary = "\r\n--frame\r\n";
  request.enough = [&](const std::string& body) {
    const size_t first = body.find(boundary);
    return first != std::string::npos && body.find(boundary, first + 1) != std::string::npos;
  };
  const HttpReply reply = send(request);
  ASSERT_EQ(reply.status, 200) << reply.failure;
  EXPECT_EQ(reply.headers.at("content-type"), "multipart/x-mixed-replace; boundary=frame");
  const size_t begin = reply.body.find("\r\n\r\n") + 4;
  const size_t length = std::stoul(reply.body.substr(reply.body.find("Content-Length: ") + 16));
  EXPECT_EQ(reply.body.compare(begin + length, boundary.size(), boundary), 0);
  EXPECT_GE(share_of(reply.body.substr(begin, length), 0, 0, 0), 0) << "not an image";
}

int connect_to(const ServeProcess& server) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int small = 2048;
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::stoi(server.url().substr(server.url().rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const std::string text = "GET /api/picture.mjpeg HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_EQ(::send(socket, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return socket;
}

// Returns how many clients watch a Motion JPEG stream: `count`, unless it was another for twenty seconds.
nlohmann::json wait_for_streams(const ServeProcess& server, int count) {
  nlohmann::json streams;
  for (int i = 0; i < 400; ++i) {
    streams = server.get("/api/stats").json()["streams"]["mjpeg"];
    if (streams == count) break;
    std::this_thread::sleep_for(milliseconds(50));
  }
  return streams;
}

TEST_F(Server, SlowClientsStallNothingAndStreamsAreLimited) {
  ASSERT_EQ(wait_for_streams(*server_, 0), 0) << "clients of the tests before";
  std::vector<int> sockets;
  for (int i = 0; i < 16; ++i) sockets.push_back(connect_to(*server_));  // they never read
  EXPECT_EQ(wait_for_streams(*server_, 16), 16);
  const HttpReply refused = server_->get("/api/picture.mjpeg");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.json().value("error", ""), "too many streams: at most 16 can be open");
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t frames = frames_after(*server_, 12);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%d frames in %.1f s with 16 clients that read nothing\n", static_cast<int>(frames), seconds.count());
  EXPECT_GE(frames, 12U);
  EXPECT_EQ(server_->get("/api/still.png").status, 200);
  for (const int socket : sockets) ::close(socket);
  EXPECT_EQ(wait_for_streams(*server_, 0), 0) << "clients that left";
}

TEST_F(Server, SegmentHasNoResults) {
  const HttpReply reply = server_->get("/api/results");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.json().value("error", ""), "segment has no results: pose, detect, and classify have them");
}

TEST_F(Server, RejectsOffersThatAreNone) {
  if (server_->get("/api/stats").json()["webrtc"] != true) GTEST_SKIP() << "needs webrtcbin, nicesink, and vp8enc";
  HttpRequest request;
  request.method = "POST";
  request.url = server_->url() + "/api/offer";
  request.headers = {"Content-Type: application/sdp"};
  for (const char* body : {"nonsense", "v=0\r\na=rtpmap:96 VP8/90000\r\n", "a=rtpmap:12345 VP8/90000", " VP8/90000"}) {
    request.body = body;
    const HttpReply reply = send(request);
    EXPECT_EQ(reply.status / 100, 4) << body << ": " << reply.body;
  }
  EXPECT_EQ(server_->get("/api/stats").json()["streams"]["webrtc"], 0);
}

TEST_F(Server, ReportsATakenPort) {
  const std::string port = server_->url().substr(server_->url().rfind(':') + 1);
  const CommandResult second = expect_output(
      run_program(quoted(SIGHTGLASS_COMMAND) + " serve --input figures --listen 127.0.0.1:" + port + " 2>&1"), 1, {});
  EXPECT_EQ(second.output, "sightglass: http://localhost:" + port + ": cannot listen there: port " + port +
                               " is in use; use --listen 127.0.0.1:PORT with another port\n");
}

TEST(Serve, UsageErrors) {
  const std::string serve = quoted(SIGHTGLASS_COMMAND) + " serve ";
  for (const char* arguments : {"--listen nonsense", "--listen 127.0.0.1:99999", "--token short", "juggle",
                                "--blur-strength 99", "--input figures segment", "pose --blur-strength 5"}) {
    const CommandResult result = run_program(serve + arguments + " --input figures 2>&1");
    EXPECT_EQ(result.status, arguments == std::string("--listen nonsense") ? 2 : result.status);
    EXPECT_NE(result.status, 0) << arguments << "\n" << result.output;
  }
  EXPECT_EQ(run_program(serve + "--help 2>&1").status, 0);
}

TEST(Serve, OtherMachinesNeedTheToken) {
  ServeProcess server(with(kFigures, {"--listen", "0.0.0.0:0"}));
  ASSERT_FALSE(server.url().empty()) << server.process().output();
  ASSERT_EQ(server.token().size(), 32U) << server.process().output();
  EXPECT_EQ(server.process().output().find(server.token()), std::string::npos) << "the output may be a log";
  EXPECT_EQ(server.get("/").status, 401);
  EXPECT_EQ(server.get("/metrics").status, 401);
  EXPECT_EQ(server.get("/none").status, 401);
  EXPECT_NE(server.get("/healthz").status, 401) << "probes have no token";
  EXPECT_EQ(server.get("/metrics", {"Authorization: Bearer " + server.token()}).status, 200);
  EXPECT_EQ(server.get("/metrics", {"Authorization: Bearer 0" + server.token()}).status, 401);
  EXPECT_EQ(server.put("/api/properties", R"({"hud": true})").status, 401);
  EXPECT_EQ(server.get("/?token=wrong").status, 401);
  const HttpReply redirected = server.get("/?token=" + server.token());
  ASSERT_EQ(redirected.status, 303);
  EXPECT_EQ(redirected.headers.at("location"), "/");
  const std::string cookie = redirected.headers.at("set-cookie");
  EXPECT_NE(cookie.find("; Path=/; HttpOnly; SameSite=Strict"), std::string::npos) << cookie;
  EXPECT_EQ(server.get("/", {"Cookie: " + cookie.substr(0, cookie.find(';'))}).status, 200);
}

TEST(Serve, EndsAtOnceWheneverItIsInterrupted) {
  for (const int wait_ms : {0, 300, 1000}) {
    ServeProcess server(kFigures);
    ASSERT_FALSE(server.url().empty()) << server.process().output();
    std::this_thread::sleep_for(milliseconds(wait_ms + 100));
    server.process().interrupt();
    server.process().interrupt();
    EXPECT_EQ(server.process().exit_status(), 0) << wait_ms << "\n" << server.process().output();
  }
}

TEST(Serve, FilesStartAgain) {
  const std::string path = (scratch_folder() / "short.mkv").string();
  succeeded(
      run_program("gst-launch-1.0 -q videotestsrc num-buffers=10 ! video/x-raw,width=160,height=120,framerate=10/1 ! "
                  "jpegenc ! matroskamux ! filesink location=" +
                  path + " 2>&1"));
  ServeProcess server({"--input", path, "--model", "figure"});
  ASSERT_TRUE(server.wait_until_ready()) << server.process().output();
  uint64_t frames = 0;
  for (int i = 0; i < 300 && frames <= 25; ++i) {
    frames = frames_of(server);
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_GT(frames, 25U) << "of a file with 10 frames";
  // Branches that nobody has watched until now still deliver.
  EXPECT_EQ(server.get("/api/still.png").status, 200);
  server.process().interrupt();
  EXPECT_EQ(server.process().exit_status(), 0) << server.process().output();
}

TEST(Serve, SendsResultsAsEventsAndEndsCleanly) {
  ServeProcess server(with({"pose"}, kFigures));
  ASSERT_TRUE(server.wait_until_ready()) << server.process().output();
  HttpRequest request;
  request.url = server.url() + "/api/results";
  request.enough = [](const std::string& body) {
    const size_t first = body.find("data: {");
    return first != std::string::npos && body.find("\n\n", first) != std::string::npos;
  };
  const HttpReply reply = send(request);
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.headers.at("content-type"), "text/event-stream");
  const size_t begin = reply.body.find("data: {") + 6;
  const nlohmann::json event =
      nlohmann::json::parse(reply.body.substr(begin, reply.body.find("\n\n", begin) - begin), nullptr, false);
  ASSERT_TRUE(event.is_object()) << reply.body;
  ASSERT_FALSE(event["objects"].empty()) << event;
  EXPECT_FALSE(event["objects"][0]["keypoints"].empty()) << event;
  EXPECT_EQ(event["resolution"]["width"], 160);
  // A client that still watches does not keep the server alive.
  std::thread watcher([&server] {
    HttpRequest stream;
    stream.url = server.url() + "/api/picture.mjpeg";
    send(stream);
  });
  for (int i = 0; i < 100 && server.get("/api/stats").json()["streams"]["mjpeg"] != 1; ++i) {
    std::this_thread::sleep_for(milliseconds(50));
  }
  server.process().interrupt();
  EXPECT_EQ(server.process().exit_status(), 0) << server.process().output();
  watcher.join();
}

}  // namespace
}  // namespace sightglass::test
