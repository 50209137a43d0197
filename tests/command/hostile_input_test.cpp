// Files that name other files and addresses: nothing of them is opened.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "video_case.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

// Counts connections to a port of this machine.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    if (::bind(socket_, plain, size) != 0 || ::listen(socket_, 16) != 0) return;
    ::getsockname(socket_, plain, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~Listener() {
    ending_ = true;
    if (thread_.joinable()) thread_.join();
    ::close(socket_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }

 private:
  void run() {
    while (!ending_) {
      pollfd waiting{socket_, POLLIN, 0};
      if (::poll(&waiting, 1, 50) <= 0) continue;
      const int client = ::accept(socket_, nullptr, nullptr);
      ++connections_;
      constexpr std::string_view kAnswer = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
      [[maybe_unused]] const ssize_t sent = ::send(client, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
      ::close(client);
    }
  }

  const int socket_;
  int port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

std::string big_endian(size_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}

std::string atom(const std::string& type, const std::string& content) {
  return big_endian(content.size() + 8) + type + content;
}

// A movie that only refers to another one.
std::string reference_movie(const std::string& address) {
  const std::string reference = big_endian(0) + "url " + big_endian(address.size() + 1) + address + '\0';
  return atom("ftyp", "qt  " + big_endian(0) + "qt  ") +
         atom("moov", atom("rmra", atom("rmda", atom("rdrf", reference))));
}

// A Matroska file whose segment continues in another file. Sizes have one byte.
std::string linked_matroska(const std::string& address) {
  const auto element = [](const std::string& id, const std::string& content) {
    return id + static_cast<char>(0x80 | content.size()) + content;
  };
  const std::string header = element("\x1a\x45\xdf\xa3", element("\x42\x82", "matroska"));
  const std::string info = element("\x15\x49\xa9\x66", element("\x3e\x83\xbb", address));
  return header + element("\x18\x53\x80\x67", info);
}

std::string hls(const std::string& segment) {
  return "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXTINF:10.0,\n" + segment + "\n#EXT-X-ENDLIST\n";
}

class HostileInput : public VideoCase {
 protected:
  // Files by their names.
  std::map<std::string, std::string> hostile_files(const std::string& secret) const {
    const std::string web = listener_.address() + "/x.ts";
    const std::string id3("ID3\x04\x00\x00\x00\x00\x00\x0aTIT2\x00\x00\x00\x00\x00\x00", 20);
    return {
        {"hls.mp4", hls(web)},
        {"hls_of_a_file.mp4", hls("file://" + secret)},
        {"hls_master.mp4", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n" + web + "\n"},
        {"hls_key.ts", "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"" + web + "\"\n#EXTINF:1,\n" + web + "\n"},
        {"hls_in_id3.mp4", id3 + hls(web)},
        {"dash.mp4",
         "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
         "mediaPresentationDuration=\"PT10S\" minBufferTime=\"PT1S\" "
         "profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\">\n<Period duration=\"PT10S\"><AdaptationSet "
         "mimeType=\"video/mp4\"><Representation id=\"1\" bandwidth=\"1000\" codecs=\"avc1.42c01e\" width=\"64\" "
         "height=\"64\"><BaseURL>" +
             web + "</BaseURL><SegmentBase indexRange=\"0-100\"/></Representation></AdaptationSet></Period></MPD>\n"},
        {"smooth.mp4",
         "<?xml version=\"1.0\"?><SmoothStreamingMedia MajorVersion=\"2\" MinorVersion=\"0\" Duration=\"100\"/>"},
        {"list.mkv", listener_.address() + "/a\n" + listener_.address() + "/b\n"},
        {"pls.mp4", "[playlist]\nFile1=" + web + "\nNumberOfEntries=1\n"},
        {"asx.wmv", "<asx version=\"3.0\"><entry><ref href=\"" + web + "\"/></entry></asx>"},
        {"reference.wmv", "[Reference]\r\nRef1=" + web + "\r\n"},
        {"smil.mp4", "<smil><body><video src=\"" + web + "\"/></body></smil>"},
        {"session.mp4",
         "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 5004 RTP/AVP 96\r\n"
         "a=rtpmap:96 H264/90000\r\na=control:rtsp" +
             web.substr(4) + "\r\n"},
        {"drawing.mp4",
         "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" "
         "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"64\" height=\"64\"><image width=\"64\" height=\"64\" "
         "xlink:href=\"" +
             web + "\"/></svg>"},
        {"reference.mov", reference_movie(web)},
        {"linked.mkv", linked_matroska(web)},
    };
  }

  // A short clip that a playlist could make the command read.
  std::string secret_clip() const {
    succeeded(run_program(
        "gst-launch-1.0 -q videotestsrc num-buffers=10 ! video/x-raw,width=64,height=48 ! x264enc ! mpegtsmux ! "
        "filesink location=" +
        path("secret.ts") + " 2>&1"));
    return path("secret.ts");
  }

  Listener listener_;
};

// One process for all files. The files have endings of videos, so the batch takes them.
TEST_F(HostileInput, FilesOpenNoAddressAndNoOtherFile) {
  const std::string uploads = path("uploads"), results = path("results");
  fs::create_directories(uploads);
  const auto files = hostile_files(secret_clip());
  for (const auto& [name, content] : files) write("uploads/" + name, content);
  const CommandResult batch =
      expect_output(run_command("batch segment " + uploads + " --output " + results + " --model figure"), 1, {});
  std::ifstream manifest(results + "/manifest.jsonl");
  size_t failed = 0;
  for (std::string line; std::getline(manifest, line); ++failed) {
    EXPECT_EQ(nlohmann::json::parse(line)["status"], "failed") << line;
  }
  EXPECT_EQ(failed, files.size()) << batch.output;
  for (const char* words :
       {"hls.mp4: is an HLS playlist; give the video file or the address that it names", "dash.mp4: is a DASH manifest",
        "list.mkv: is a playlist", "pls.mp4: is a PLS playlist", "session.mp4: is an SDP session description"}) {
    EXPECT_NE(batch.output.find(words), std::string::npos) << words << " in " << batch.output;
  }
  EXPECT_EQ(listener_.connections(), 0);
}

TEST_F(HostileInput, AddressesOfFilesAreFiles) {
  const std::string playlist = write("list.mp4", hls("file://" + secret_clip()));
  expect_output(run_command("segment --input file://" + playlist + " --output none --model figure"), 1,
                {"is an HLS playlist"});
}

// GStreamer looks into archives of its own, such as ID3 tags, only while it decodes.
TEST_F(HostileInput, ServeOpensNoAddress) {
  const auto files = hostile_files("/none.ts");
  for (const char* name : {"hls.mp4", "hls_in_id3.mp4"}) {
    const std::string file = write(name, files.at(name));
    expect_output(
        run_program("timeout 60 " + kSightglass + " serve segment --listen 127.0.0.1:0 --input " + file + " 2>&1"), 1,
        {});
  }
  EXPECT_EQ(listener_.connections(), 0);
}

// The listener sees the address that the user gave, and proves that it sees connections.
TEST_F(HostileInput, TheAddressOfTheUserIsOpened) {
  const CommandResult result = expect_output(
      run_command("segment --input " + listener_.address() + "/clip.mp4 --output none --model figure"), 1, {});
  EXPECT_GT(listener_.connections(), 0) << result.output;
}

}  // namespace
}  // namespace sightglass::test
