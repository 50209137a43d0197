// The parts of `sightglass serve` that need no server: addresses, the guard, routes, and the branches of the pipeline.
#include <gst/gst.h>
#include <gst/sdp/sdp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "serve/request_guard.h"
#include "serve/routes.h"
#include "serve/tap.h"
#include "serve/webrtc_offer.h"

namespace sightglass::serve {
namespace {

TEST(ListenAddress, ReadsAddressesAndPorts) {
  const struct {
    const char* text;
    const char* address;
    int port;
    bool loopback;
    const char* url;
  } cases[] = {
      {"127.0.0.1:9000", "127.0.0.1", 9000, true, "http://localhost:9000"},
      {"localhost", "127.0.0.1", 8080, true, "http://localhost:8080"},
      {"0.0.0.0:80", "0.0.0.0", 80, false, "http://localhost:80"},
      {":8081", "0.0.0.0", 8081, false, "http://localhost:8081"},
      {"[::1]:8082", "::1", 8082, true, "http://localhost:8082"},
      {"[::]:8083", "::", 8083, false, "http://localhost:8083"},
      {"::1", "::1", 8080, true, "http://localhost:8080"},
      {"192.168.1.5", "192.168.1.5", 8080, false, "http://192.168.1.5:8080"},
      {"[fe80::1]:1", "fe80::1", 1, false, "http://[fe80::1]:1"},
      {"127.0.0.2:0", "127.0.0.2", 0, true, "http://127.0.0.2:0"},
  };
  for (const auto& c : cases) {
    const Result<ListenAddress> listen = parse_listen_address(c.text);
    ASSERT_TRUE(listen.ok()) << c.text << ": " << listen.status().message();
    EXPECT_EQ(listen->address, c.address) << c.text;
    EXPECT_EQ(listen->port, c.port) << c.text;
    EXPECT_EQ(listen->loopback(), c.loopback) << c.text;
    EXPECT_EQ(listen->url(), c.url) << c.text;
  }
  for (const std::string& text :
       {std::string(), std::string("example.com:80"), std::string("1.2.3:80"), std::string("127.0.0.1:"),
        std::string("127.0.0.1:65536"), std::string("127.0.0.1:8o"), std::string("[::1"), std::string("[::1]x"),
        std::string("::12%a]:80"), std::string("fe80::1%a:b"), std::string("e::\0:1", 7)}) {
    const Result<ListenAddress> listen = parse_listen_address(text);
    EXPECT_FALSE(listen.ok()) << text << " became " << (listen.ok() ? listen->url() : "");
  }
}

RequestFacts facts_with(const std::string& host) {
  RequestFacts facts;
  facts.host = host;
  facts.local_address = "127.0.0.1";
  return facts;
}

TEST(RequestGuard, AcceptsOnlyNamesOfTheServer) {
  const RequestGuard guard({"Camera.local"}, "", "cookie");
  for (const char* host : {"localhost:8080", "LOCALHOST", "127.0.0.1:8080", "[::1]:8080", "camera.local:443"}) {
    EXPECT_EQ(guard.foreign(facts_with(host)), "") << host;
  }
  // A page at evil.example can make this name resolve to 127.0.0.1.
  for (const char* host :
       {"", "evil.example:8080", "localhost.evil.example", "192.168.1.5:8080", "127.0.0.1.evil.example"}) {
    EXPECT_NE(guard.foreign(facts_with(host)), "") << host;
  }
  RequestFacts lan = facts_with("192.168.1.5:8080");
  lan.local_address = "::ffff:192.168.1.5";
  EXPECT_EQ(guard.foreign(lan), "");
  lan.host = "localhost:8080";
  EXPECT_NE(guard.foreign(lan), "") << "a name of this machine on a connection from another one";
}

TEST(RequestGuard, RefusesOtherOrigins) {
  const RequestGuard guard({}, "", "cookie");
  const struct {
    const char *origin, *site;
    bool foreign;
  } cases[] = {
      {"", "", false},
      {"http://localhost:8080", "same-origin", false},
      {"https://localhost:8080", "", false},  // behind a proxy
      {"", "none", false},
      {"http://localhost:8081", "", true},
      {"http://evil.example", "", true},
      {"null", "", true},
      {"", "cross-site", true},
      {"", "same-site", true},
      {"http://localhost:8080", "cross-site", true},
  };
  for (const auto& c : cases) {
    RequestFacts facts = facts_with("localhost:8080");
    facts.origin = c.origin;
    facts.fetch_site = c.site;
    EXPECT_EQ(!guard.foreign(facts).empty(), c.foreign) << c.origin << ", " << c.site;
  }
}

TEST(RequestGuard, NeedsTheToken) {
  const std::string token = "0123456789abcdef";
  const RequestGuard guard({}, token, "sightglass-8080");
  const struct {
    const char *authorization, *cookie;
    bool authorized;
  } cases[] = {
      {"", "", false},
      {"Bearer 0123456789abcdef", "", true},
      {"bearer  0123456789abcdef ", "", true},
      {"Bearer 0123456789abcdeF", "", false},
      {"Bearer 0123456789abcdef0", "", false},
      {"Bearer 0123456789abcde", "", false},
      {"Bearer", "", false},
      {"Basic 0123456789abcdef", "", false},
      {"", "sightglass-8080=0123456789abcdef", true},
      {"", "a=b; sightglass-8080=0123456789abcdef; c=d", true},
      {"", "sightglass-8080=wrong", false},
      {"", "sightglass-8081=0123456789abcdef", false},
      {"", "xsightglass-8080=0123456789abcdef", false},
      {"", ";;=", false},
  };
  for (const auto& c : cases) {
    RequestFacts facts = facts_with("localhost");
    facts.authorization = c.authorization;
    facts.cookie = c.cookie;
    EXPECT_EQ(guard.authorized(facts), c.authorized) << c.authorization << ", " << c.cookie;
  }
  EXPECT_FALSE(guard.is_token(""));
  EXPECT_NE(guard.cookie().find("; HttpOnly; SameSite=Strict"), std::string::npos) << guard.cookie();
  EXPECT_TRUE(RequestGuard({}, "", "c").authorized(facts_with("localhost")));
}

TEST(RequestGuard, TokensAreRandomAndFitIntoAnAddress) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(random_token());
  EXPECT_EQ(tokens.size(), 100U);
  for (const std::string& token : tokens) EXPECT_TRUE(is_valid_token(token)) << token;
  for (const char* token : {"", "fifteen-letters", "with a space in it!", "semicolon;semicolon"}) {
    EXPECT_FALSE(is_valid_token(token)) << token;
  }
}

TEST(RequestCheck, AcceptsOnlyHeadsThatEveryReaderUnderstandsInOneWay) {
  const struct {
    std::vector<Header> headers;
    int status;
  } cases[] = {
      {{}, kOk},
      {{{"Host", "localhost"}, {"Content-Length", "65536"}}, kOk},
      {{{"Cookie", "a=b"}, {"X", "1"}, {"X", "1"}}, kOk},
      {{{"content-length", "65537"}}, kTooLarge},
      {{{"Content-Length", "18446744073709551618"}}, kTooLarge},
      {{{"Content-Length", ""}}, kBadRequest},
      {{{"Content-Length", " 2"}}, kBadRequest},
      {{{"Content-Length", "-2"}}, kBadRequest},
      {{{"Content-Length", "+2"}}, kBadRequest},
      {{{"Content-Length", "2"}, {"CONTENT-LENGTH", "2"}}, kBadRequest},
      {{{"Host", "a"}, {"host", "a"}}, kBadRequest},
      {{{"Transfer-Encoding", "identity"}}, kLengthRequired},
      {{{"Transfer-Encoding", "chunked"}, {"Content-Length", "2"}}, kBadRequest},
      {std::vector<Header>(kMaxHeaders + 1, Header{"X", "1"}), kTooManyHeaders},
  };
  for (const auto& c : cases) {
    std::string text;
    for (const Header& header : c.headers) text += std::string(header.name) + ": " + std::string(header.value) + "\n";
    EXPECT_EQ(check_head(c.headers).status, c.status) << text.substr(0, 200);
  }
  const Header length[] = {{"Content-Length", "2"}}, none[] = {{"Content-Length", "0"}, {"Host", "a"}};
  EXPECT_TRUE(announces_body(length));
  EXPECT_FALSE(announces_body(none));
}

std::string offer_with(const std::string& lines) {
  return "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\n" +
         lines + "a=rtpmap:96 VP8/90000\r\na=mid:0\r\n";
}

TEST(WebRtcOffer, LosesItsCandidates) {
  gst_init(nullptr, nullptr);
  // However they are written: the parser of GStreamer ends lines at CR, and skips blanks.
  for (const char* lines :
       {"a=candidate:1 1 TCP 2105458943 10.0.0.1 22 typ host tcptype passive\r\n",
        "a=candidate:1 1 UDP 1 host.example 53 typ host\r\na=end-of-candidates\r\na=remote-candidates:1 10.0.0.1 9\r\n",
        "a=x\ra=candidate:1 1 UDP 1 10.0.0.1 9 typ host\r\n", "  a=candidate:1 1 UDP 1 10.0.0.1 9 typ host\r\n"}) {
    WebRtcOffer offer;
    const HttpError error = read_offer(offer_with(lines), offer);
    ASSERT_TRUE(error.ok()) << error.message;
    EXPECT_EQ(offer.payload, "96");
    const video::TextPtr text(gst_sdp_message_as_text(offer.sdp.get()));
    EXPECT_EQ(std::string(text.get()).find("candidate"), std::string::npos) << text.get();
    EXPECT_NE(std::string(text.get()).find("a=mid:0"), std::string::npos) << text.get();
  }
}

TEST(WebRtcOffer, HasLimits) {
  std::string lines, media;
  for (int i = 0; i < 1100; ++i) lines += "a=x:" + std::to_string(i) + "\r\n";
  for (int i = 0; i < 4; ++i) media += "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n";
  const struct {
    std::string text;
    const char* error;
  } cases[] = {
      {offer_with(lines), "the offer has more than 1000 lines"},
      {offer_with("") + media, "the offer has more than 4 sections of media"},
      {"v=0\r\n", "the offer has no VP8 video"},
      {"", "the offer is not SDP"},
      {"m=audio 9 RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\n", "the offer has no VP8 video"},
      {"m=video 9 RTP/AVP 999\r\na=rtpmap:999 VP8/90000\r\n", "the offer has no VP8 video"},
      {"m=video 9 RTP/AVP 96\r\na=rtpmap:-96 VP8/90000\r\n", "the offer has no VP8 video"},
  };
  // GLib's, such as the critical one of a parser that is called without text.
  int messages = 0;
  const auto count = [](const gchar*, GLogLevelFlags, const gchar*, gpointer counter) {
    ++*static_cast<int*>(counter);
  };
  const GLogFunc before = g_log_set_default_handler(count, &messages);
  for (const auto& c : cases) {
    WebRtcOffer offer;
    EXPECT_EQ(read_offer(c.text, offer).message, c.error);
  }
  g_log_set_default_handler(before, nullptr);
  EXPECT_EQ(messages, 0);
}

TEST(Routes, AreThoseOfTheOpenApiFile) {
  const nlohmann::json api = nlohmann::json::parse(page_file("openapi.json"), nullptr, false);
  ASSERT_TRUE(api.is_object());
  std::set<std::string> described, routes;
  for (const auto& [path, methods] : api["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      std::string name = method;
      for (char& c : name) c = static_cast<char>(std::toupper(c));
      described.insert(name + " " + path);
      EXPECT_TRUE(operation.contains("summary")) << path;
      EXPECT_TRUE(operation["responses"].contains("200")) << path;
    }
  }
  for (const Route& route : all_routes()) routes.insert(std::string(route.method) + " " + std::string(route.path));
  EXPECT_EQ(described, routes);
}

TEST(Routes, FilesAreEmbeddedAndLoadNothingFromElsewhere) {
  for (const Route& route : all_routes()) {
    if (route.action != Action::kFile) continue;
    const std::string_view text = page_file(route.file);
    EXPECT_GT(text.size(), 100U) << route.file;
    if (route.file == "icon.svg") continue;  // names the SVG namespace
    EXPECT_EQ(text.find("http://"), std::string_view::npos) << route.file;
    EXPECT_EQ(text.find("https://"), std::string_view::npos) << route.file;
  }
  EXPECT_EQ(page_file("none"), "");
  // The Content-Security-Policy forbids both.
  EXPECT_EQ(page_file("index.html").find(" style="), std::string_view::npos);
  EXPECT_EQ(page_file("index.html").find("<script>"), std::string_view::npos);
}

TEST(Routes, HeadIsForRepliesThatEnd) {
  bool known = false;
  EXPECT_NE(find_route("/api/stats", "HEAD", known), nullptr);
  EXPECT_EQ(find_route("/api/picture.mjpeg", "HEAD", known), nullptr);
  EXPECT_TRUE(known);
  EXPECT_EQ(find_route("/api/stats/", "GET", known), nullptr);
  EXPECT_FALSE(known);
}

// Runs the main loop for a while.
void iterate(int milliseconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < deadline) {
    while (g_main_context_iteration(nullptr, FALSE) != FALSE) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(Tap, FramesEnterItOnlyWhileSomeoneWatches) {
  gst_init(nullptr, nullptr);
  const std::string text =
      "videotestsrc is-live=true ! video/x-raw,width=16,height=16,framerate=50/1 ! tee name=split split. ! "
      "queue ! fakesink" +
      tap_text("split", "tap", "identity name=encoder signal-handoffs=true");
  GstElement* const pipeline = gst_parse_launch(text.c_str(), nullptr);
  ASSERT_NE(pipeline, nullptr);
  std::atomic<int> encoded = 0;
  int delivered = 0;
  {
    Tap tap(pipeline, "tap", 1, [&](GBytes* bytes) {
      EXPECT_GT(g_bytes_get_size(bytes), 0U);
      ++delivered;
    });
    const video::ElementPtr encoder(gst_bin_get_by_name(GST_BIN(pipeline), "encoder"));
    const auto count = +[](GstElement*, GstBuffer*, gpointer counter) { ++*static_cast<std::atomic<int>*>(counter); };
    g_signal_connect(encoder.get(), "handoff", G_CALLBACK(count), &encoded);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    iterate(500);
    EXPECT_EQ(encoded, 0) << "frames that nobody watches";
    tap.begin_watch();
    tap.begin_watch();
    iterate(500);
    tap.end_watch();
    const int first = encoded;
    EXPECT_GT(first, 2);
    EXPECT_GT(delivered, 2);
    iterate(500);
    EXPECT_GT(encoded, first) << "one of two watchers is left";
    tap.end_watch();
    iterate(100);
    const int last = encoded;
    iterate(500);
    EXPECT_EQ(encoded, last);
    std::printf("frames: %d with two watchers, %d in all, %d delivered\n", first, last, delivered);
    gst_element_set_state(pipeline, GST_STATE_NULL);
  }
  gst_object_unref(pipeline);
}

}  // namespace
}  // namespace sightglass::serve
