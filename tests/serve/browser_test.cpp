// The page of `sightglass serve` in headless Chromium, driven by chromedriver (WebDriver).
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "pictures.h"
#include "serve/serve_process.h"

namespace sightglass::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr const char* kElementKey = "element-6066-11e4-a52e-4f735466cecf";  // of the WebDriver standard
const std::string kEnd = "\uE010", kHome = "\uE011", kTab = "\uE004", kSpace = " ";

std::string decoded_base64(const std::string& text) {
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    const auto at = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (at == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(at);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

class Browser {
 public:
  Browser() : driver_({"chromedriver", "--port=0"}) {
    const std::string line = driver_.wait_for("was started successfully on port ");
    base_ = "http://127.0.0.1:" + line.substr(0, line.find('.'));
    json arguments = {"--headless=new", "--disable-gpu", "--window-size=1280,900"};
    // Chromium has no sandbox for root.
    if (::geteuid() == 0) arguments.push_back("--no-sandbox");
    const json options = {{"args", arguments}};
    const json capabilities = {{"goog:chromeOptions", options}, {"goog:loggingPrefs", {{"browser", "ALL"}}}};
    const json session = ask("POST", "/session", {{"capabilities", {{"alwaysMatch", capabilities}}}});
    if (session.contains("sessionId")) session_ = "/session/" + session["sessionId"].get<std::string>();
  }
  ~Browser() {
    if (started()) ask("DELETE", session_, nullptr);
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  bool started() const { return !session_.empty(); }
  const std::string& failure() const { return failure_; }

  void open(const std::string& url) { ask("POST", session_ + "/url", {{"url", url}}); }
  json run(const std::string& script) {
    return ask("POST", session_ + "/execute/sync", {{"script", script}, {"args", json::array()}});
  }
  json command(const std::string& name, const json& parameters) {
    return ask("POST", session_ + "/goog/cdp/execute", {{"cmd", name}, {"params", parameters}});
  }
  // To the element with the focus.
  void press(const std::string& key) {
    const json actions = {{{"type", "keyDown"}, {"value", key}}, {{"type", "keyUp"}, {"value", key}}};
    ask("POST", session_ + "/actions", {{"actions", {{{"type", "key"}, {"id", "keyboard"}, {"actions", actions}}}}});
  }
  // PNG
  std::string screenshot(const std::string& selector) {
    const json image = ask("GET", session_ + "/element/" + find(selector) + "/screenshot", nullptr);
    return image.is_string() ? decoded_base64(image.get<std::string>()) : std::string();
  }
  json log() { return ask("POST", session_ + "/se/log", {{"type", "browser"}}); }
  // Whether the script returns true within half a minute.
  bool wait_until(const std::string& script) {
    for (int i = 0; i < 150; ++i) {
      if (run(script) == true) return true;
      std::this_thread::sleep_for(milliseconds(200));
    }
    return false;
  }

 private:
  std::string find(const std::string& selector) {
    const json found = ask("POST", session_ + "/element", {{"using", "css selector"}, {"value", selector}});
    return found.value(kElementKey, "none");
  }
  json ask(const std::string& method, const std::string& path, const json& body) {
    HttpRequest request;
    request.method = method;
    request.url = base_ + path;
    if (!body.is_null()) request.body = body.dump();
    request.headers = {"Content-Type: application/json"};
    const HttpReply reply = send(request);
    const json answer = reply.json();
    if (reply.status == 200 && answer.is_object()) return answer["value"];
    failure_ = path + ": " + reply.failure + reply.body.substr(0, 500);
    ADD_FAILURE() << failure_;
    return json::object();
  }

  Process driver_;
  std::string base_, session_, failure_;
};

struct Look {
  double contrast = -1;  // standard deviation of the green channel: about 127 for black and white, 0 for one color
  double red = -1;       // share of pixels that are nearly red
};

// -1: not an image.
Look look_of(const std::string& png) {
  const std::string path = (scratch_folder() / "screenshot.png").string();
  std::ofstream(path, std::ios::binary) << png;
  const Result<PixbufPtr> decoded = decode_picture(path, 8192);
  if (!decoded.ok()) return {};
  GdkPixbuf* const pixels = decoded->get();
  const int width = gdk_pixbuf_get_width(pixels), height = gdk_pixbuf_get_height(pixels);
  double sum = 0, squares = 0, red = 0;
  for (int y = 0; y < height; ++y) {
    const guchar* pixel = gdk_pixbuf_get_pixels(pixels) + y * gdk_pixbuf_get_rowstride(pixels);
    for (int x = 0; x < width; ++x, pixel += gdk_pixbuf_get_n_channels(pixels)) {
      sum += pixel[1];
      squares += double{1} * pixel[1] * pixel[1];
      red += pixel[0] > 180 && pixel[1] < 70 && pixel[2] < 70 ? 1 : 0;
    }
  }
  const double count = double{1} * width * height;
  return {std::sqrt(squares / count - sum / count * (sum / count)), red / count};
}

// Three seconds of a checkerboard, which has no people: all of it is background.
std::string checkerboard() {
  const std::string path = (scratch_folder() / "checkers.mkv").string();
  run_program(
      "gst-launch-1.0 -q videotestsrc num-buffers=30 pattern=checkers-8 ! "
      "video/x-raw,width=320,height=240,framerate=10/1 ! jpegenc ! matroskamux ! filesink location=" +
      path);
  return path;
}

bool installed() {
  return run_program("command -v chromedriver >/dev/null && command -v chromium >/dev/null").status == 0;
}
constexpr const char* kNeedsChromium =
    "needs chromium and chromedriver (Debian: chromium, chromium-driver): `./dev serve-test` installs them";

// Opens the page, and returns how it gets the picture; empty: it gets none.
std::string open_page(Browser& browser, const std::string& url) {
  browser.open(url);
  browser.wait_until("return document.getElementById('transport').textContent !== ''");
  const json transport = browser.run("return document.getElementById('transport').textContent");
  return transport.is_string() ? transport.get<std::string>() : std::string();
}

// Moves a slider with a key, and returns the picture that follows, at the latest after 12 seconds.
Look look_after(Browser& browser, const std::string& property, const std::string& key,
                const std::function<bool(const Look&)>& enough) {
  browser.run("document.getElementById('property-" + property + "-slider').focus()");
  browser.press(key);
  Look look;
  // The picture changes some frames later.
  for (int i = 0; i < 40; ++i) {
    look = look_of(browser.screenshot("#screen"));
    if (enough(look)) break;
    std::this_thread::sleep_for(milliseconds(300));
  }
  return look;
}

class Page : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!installed()) return;
    server_ = std::make_unique<ServeProcess>(
        std::vector<std::string>{"--input", checkerboard(), "--model", "figure", "--blur-strength", "2"});
    ASSERT_TRUE(server_->wait_until_ready()) << server_->process().output();
    browser_ = std::make_unique<Browser>();
  }
  static void TearDownTestSuite() {
    browser_.reset();
    server_.reset();
  }
  void SetUp() override {
    if (!installed()) GTEST_SKIP() << kNeedsChromium;
    ASSERT_TRUE(browser_ != nullptr && browser_->started()) << browser_->failure();
  }
  void open() { ASSERT_EQ(open_page(*browser_, server_->url()), "Motion JPEG"); }

  static std::unique_ptr<ServeProcess> server_;
  static std::unique_ptr<Browser> browser_;
};
std::unique_ptr<ServeProcess> Page::server_;
std::unique_ptr<Browser> Page::browser_;

TEST_F(Page, MovingASliderChangesThePicture) {
  open();
  const Look sharp = look_after(*browser_, "blur-strength", kHome, [](const Look& look) { return look.contrast > 65; });
  const Look blurred =
      look_after(*browser_, "blur-strength", kEnd, [](const Look& look) { return look.contrast < 50; });
  std::printf("contrast of the screenshot: %.1f with the slider at 0, %.1f with the slider at 25\n", sharp.contrast,
              blurred.contrast);
  EXPECT_GT(sharp.contrast, 65);
  EXPECT_GE(blurred.contrast, 0);
  EXPECT_LT(blurred.contrast, 50);
}

TEST(WebRtcPage, MovingASliderChangesThePicture) {
  if (!installed()) GTEST_SKIP() << kNeedsChromium;
  ServeProcess server(
      {"--input", "figures", "--size", "320x240", "--background", "color", "--background-color", "0xffff0000"});
  ASSERT_TRUE(server.wait_until_ready()) << server.process().output();
  if (server.get("/api/stats").json()["webrtc"] != true) GTEST_SKIP() << "needs webrtcbin, nicesink, and vp8enc";
  Browser browser;
  ASSERT_TRUE(browser.started()) << browser.failure();
  ASSERT_EQ(open_page(browser, server.url()), "WebRTC");
  EXPECT_EQ(server.get("/api/stats").json()["streams"]["webrtc"], 1);
  EXPECT_EQ(server.get("/api/stats").json()["streams"]["mjpeg"], 0);
  browser.run("document.getElementById('more-box').open = true");
  const Look thin = look_after(browser, "edge-offset", kHome, [](const Look& look) { return look.red > 0.75; });
  const Look thick = look_after(browser, "edge-offset", kEnd, [](const Look& look) { return look.red < 0.7; });
  std::printf("red pixels of the screenshot: %.3f with the edge moved in, %.3f with the edge moved out\n", thin.red,
              thick.red);
  EXPECT_GT(thin.red, thick.red + 0.15);
  EXPECT_GE(thick.red, 0);
  browser.open("about:blank");
  json streams;
  for (int i = 0; i < 300; ++i) {
    streams = server.get("/api/stats").json()["streams"];
    if (streams["webrtc"] == 0) break;
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_EQ(streams["webrtc"], 0) << "viewers that left";
}

TEST_F(Page, WorksByKeyboardAlone) {
  open();
  // From the start of the page, Tab reaches the switch of the HUD.
  browser_->run("document.activeElement.blur(); window.scrollTo(0, 0)");
  std::string focused;
  int presses = 0;
  for (; presses < 60 && focused != "property-hud"; ++presses) {
    browser_->press(kTab);
    focused = browser_->run("return document.activeElement.id");
    if (presses == 0) {
      EXPECT_EQ(browser_->run("return document.activeElement.className"), "skip");
    }
    const json outline = browser_->run("return getComputedStyle(document.activeElement).outlineStyle");
    EXPECT_NE(outline, "none") << "no visible focus on " << focused;
  }
  std::printf("%d presses of Tab to the last property of the first group\n", presses);
  ASSERT_EQ(focused, "property-hud");
  browser_->press(kSpace);
  ASSERT_TRUE(browser_->wait_until("return document.getElementById('property-hud').checked"));
  json hud;
  for (int i = 0; i < 50 && hud != true; ++i) {
    const json list = server_->get("/api/properties").json();
    for (const json& one : list["properties"]) {
      if (one["name"] == "hud") hud = one["value"];
    }
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_EQ(hud, true);
  server_->put("/api/properties", R"({"hud": false})");
  // The page shows what others change.
  EXPECT_TRUE(browser_->wait_until("return !document.getElementById('property-hud').checked"));
}

TEST_F(Page, HasLabelsAndShowsFixedPropertiesDisabled) {
  open();
  const json unnamed = browser_->run(
      "return [...document.querySelectorAll('input, select, canvas, img, video')].filter((one) => "
      "!(one.labels?.length > 0) && !one.getAttribute('aria-label') && one.getAttribute('alt') === null)"
      ".map((one) => one.outerHTML)");
  EXPECT_EQ(unnamed, json::array());
  const json unbound =
      browser_->run("return [...document.querySelectorAll('label')].filter((one) => one.control === null).length");
  EXPECT_EQ(unbound, 0);
  EXPECT_EQ(browser_->run("return document.getElementById('property-precision').disabled"), true);
  EXPECT_EQ(browser_->run("return document.getElementById('property-precision-reason').textContent"),
            "Fixed: can be set only at start, on the command line.");
  const json shown = browser_->run("return document.querySelectorAll('[id^=property-]:is(input, select)').length");
  std::printf("%d inputs\n", shown.get<int>());
  EXPECT_GT(shown, 40);
  EXPECT_TRUE(browser_->wait_until("return /frame time .* ms/.test(document.getElementById('plot-text').textContent)"));
}

TEST_F(Page, ShowsErrorsOfTheServer) {
  open();
  browser_->run(
      "const box = document.getElementById('property-blur-strength'); box.value = 99; box.dispatchEvent(new "
      "Event('change'))");
  EXPECT_TRUE(browser_->wait_until("return document.getElementById('message').textContent.includes('use 0 to 25')"));
  // The page shows the value in effect again.
  EXPECT_TRUE(browser_->wait_until("return document.getElementById('property-blur-strength').value !== '99'"));
}

TEST_F(Page, FitsAPhoneAndBreaksNoPolicy) {
  open();
  for (const int width : {360, 390, 768, 1280, 1920}) {
    browser_->command("Emulation.setDeviceMetricsOverride",
                      {{"width", width}, {"height", 740}, {"deviceScaleFactor", 1}, {"mobile", width < 500}});
    browser_->run("for (const box of document.querySelectorAll('details')) box.open = true");
    const json needed = browser_->run("return document.documentElement.scrollWidth");
    EXPECT_LE(needed, width);
  }
  browser_->command("Emulation.clearDeviceMetricsOverride", json::object());
  for (const json& line : browser_->log()) {
    const std::string text = line["message"];
    // The test of errors causes a reply of 400.
    if (text.find("400 (Bad Request)") != std::string::npos) continue;
    EXPECT_NE(line["level"], "SEVERE") << text;
  }
}

}  // namespace
}  // namespace sightglass::test
