#include "sample_files.h"

#include <gdk-pixbuf/gdk-pixbuf.h>

#include <stdexcept>
#include <utility>

#include "harness/picture_bomb.h"
#include "harness/tar_writer.h"
#include "metadata_builder.h"

namespace sightglass::test {
namespace {

SampleFile file_of(const std::string& name, const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {name, {first, first + text.size()}};
}

SampleFile archive_of(const std::string& name, const std::vector<Attached>& members, bool from_archive) {
  SampleFile file = file_of(name, "what is before the archive");
  attach(file.bytes, members, from_archive);
  return file;
}

SampleFile picture_of(const char* format, bool alpha) {
  constexpr int kWidth = 7, kHeight = 5;
  GdkPixbuf* pixbuf = gdk_pixbuf_new(GDK_COLORSPACE_RGB, alpha, 8, kWidth, kHeight);
  gdk_pixbuf_fill(pixbuf, 0x3060a080);
  gchar* bytes = nullptr;
  gsize size = 0;
  const bool saved = gdk_pixbuf_save_to_buffer(pixbuf, &bytes, &size, format, nullptr, nullptr) != FALSE;
  g_object_unref(pixbuf);
  if (!saved) throw std::runtime_error(std::string("cannot write a picture as ") + format);
  SampleFile file = file_of(std::string(format) + (alpha ? "_alpha" : ""), std::string(bytes, size));
  g_free(bytes);
  return file;
}

SampleFile named_model(const std::string& name, const std::string& text) {
  ModelBuilder builder;
  const int input = builder.add_input({1, 4, 4, 3}, schema::TensorType::FLOAT32, text);
  builder.add_output(builder.add_op(schema::BuiltinOperator::RELU, {input}, {1, 4, 4, 3}, text));
  return {name, builder.build()};
}

}  // namespace

std::vector<SampleFile> sample_archives() {
  const std::vector<Attached> members{{"labels.txt", "background\nperson\n"}, {"a", ""}, {"other", "x", 8}};
  return {archive_of("archive", members, false), archive_of("archive_by_itself", members, true),
          archive_of("archive_empty", {}, false)};
}

std::vector<SampleFile> sample_bundles() {
  const std::vector<Attached> hands{{.name = "hand_detector.tflite", .contents = "a palm"},
                                    {.name = "hand_landmarks_detector.tflite", .contents = "a hand"}};
  const std::vector<std::byte> inside = zip(hands);
  const std::string text(reinterpret_cast<const char*>(inside.data()), inside.size());
  return {
      {"bundle", inside},
      {"bundle_compressed", zip({{.name = "a.tflite", .contents = std::string(200, 'a') + text, .deflates = true}})},
      {"bundle_in_bundle", zip({{.name = "hands.task", .contents = text, .deflates = true}, {"b", ""}})}};
}

std::vector<SampleFile> sample_packages() {
  const std::string data(1000, 'm');
  const std::string loader =
      R"(loadPackage({"files": [{"filename": "/a.tflite", "start": 100, "end": 612}], "remote_package_size": 1000});)";
  const std::string both = tar_member("package/a.data", data) + tar_member("package/a_loader.js", loader);
  return {file_of("package", both + tar_end()), file_of("package_without_end", both),
          file_of("package_long_name", tar_member("", "package/a.data", {.type = 'L'}) + both + tar_end())};
}

std::vector<SampleFile> sample_labels() {
  return {file_of("labels_plain", "cat\n dog \r\n\nbird\n\n\n"),
          file_of("labels_numbered", "0 person\n1: bicycle\n2 \tcar"),
          file_of("labels_half_numbered", "0:\n1: bicycle\n2"),
          file_of("labels_utf16", std::string("\xff\xfer\0e\0d\0\n\0a\0", 12)),
          file_of("labels_map", "item {\n  id: 1\n  name: 'red'\n}\nitem {\n  id: 3\n  display_name: \"blue\"\n}\n"),
          file_of("labels_unicode", "\xef\xbb\xbfK\xc3\xa4se\n\xe2\x80\xae\xff\n\x1b[31mred")};
}

std::vector<SampleFile> sample_pictures() {
  std::vector<SampleFile> files{picture_of("png", false), picture_of("png", true), picture_of("jpeg", false)};
  for (const PictureBomb& bomb : picture_bombs(20, 30)) files.push_back(file_of(bomb.name, bomb.bytes));
  for (const PictureBomb& bomb : picture_bombs(30000, 30000)) files.push_back(file_of("huge_" + bomb.name, bomb.bytes));
  return files;
}

std::vector<SampleFile> sample_named_models() {
  return {named_model("name_quotes", "\"quoted\\\" and 'quoted'"), named_model("name_controls", "\x1b[31m\r\n\t\x7f"),
          named_model("name_unicode", "\xe2\x80\xae\xc2\x9b\xef\xbb\xbfK\xc3\xa4se"),
          named_model("name_broken_unicode", "\xff\xc3\xed\xa0\x80\xf4\x90\x80\x80"), named_model("name_empty", "")};
}

std::vector<SampleFile> sample_changing_files() {
  std::vector<SampleFile> files;
  const std::vector<std::vector<SampleFile>> by_reader{sample_named_models(), sample_bundles(), sample_pictures(),
                                                       sample_labels()};
  for (size_t reader = 0; reader < by_reader.size(); ++reader) {
    for (SampleFile file : by_reader[reader]) {
      file.bytes.insert(file.bytes.begin(), static_cast<std::byte>(reader));
      files.push_back(std::move(file));
    }
  }
  return files;
}

std::vector<SampleFile> sample_heads() {
  return {file_of("head",
                  "Host:camera.example:8080\nOrigin:http://camera.example:8080\nSec-Fetch-Site:same-origin\n"
                  "Content-Length:12\nContent-Type:application/json\nCookie:a=b; token-cookie=0123456789abcdef\n"),
          file_of("bearer", "Host:192.168.1.5\nAuthorization:Bearer 0123456789abcdef\nTransfer-Encoding:chunked\n")};
}

std::vector<SampleFile> sample_offers() {
  return {file_of("offer",
                  "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\n"
                  "m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\n"
                  "a=candidate:1 1 UDP 2122260223 10.0.0.1 9 typ host\r\na=ice-ufrag:abcd\r\na=mid:0\r\n"
                  "a=rtpmap:96 VP8/90000\r\na=end-of-candidates\r\n")};
}

std::vector<SampleFile> sample_addresses() {
  return {file_of("ipv4", "127.0.0.1:8080"), file_of("ipv6", "[::1]:8080"),
          file_of("camera", "camera.example:554/stream?channel=1&password=x")};
}

}  // namespace sightglass::test
