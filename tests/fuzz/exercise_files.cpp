#include "exercise_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "infer/labels.h"
#include "model/model_check.h"
#include "package_client.h"
#include "pictures.h"
#include "tar_archive.h"
#include "task_bundle.h"
#include "tflite/model_file.h"

namespace sightglass::test {
namespace {

void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

void require_message(const Status& status) {
  require(!status.message().empty(), "error without a message");
  require(status.code() != ErrorCode::kInternal, status.message());
}

// A file in memory, with a path.
class MemoryFile {
 public:
  explicit MemoryFile(Bytes bytes) : descriptor_(memfd_create("fuzzed", MFD_CLOEXEC)) {
    for (Bytes rest = bytes; !rest.empty();) {
      const ssize_t count = write(descriptor_, rest.data(), rest.size());
      require(count > 0, "the memory file cannot be written");
      rest = rest.subspan(static_cast<size_t>(count));
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  const int descriptor_;
};

}  // namespace

void exercise_archive(Bytes bytes) {
  // In a separate allocation, so that reads beyond it are detected.
  const std::vector<std::byte> copy(bytes.begin(), bytes.end());
  for (const std::string_view name : {"labels.txt", "a", ""}) {
    const auto member = tflite::attached_file(copy, name);
    if (!member.ok()) {
      require_message(member.status());
      continue;
    }
    const bool inside = member->empty() ||
                        (member->data() >= copy.data() && member->data() + member->size() <= copy.data() + copy.size());
    require(inside, "a member outside of the file");
  }
}

void exercise_bundle(Bytes bytes) {
  const auto bundle = TaskBundle::open(bytes, "fuzzed.task");
  if (!bundle.ok()) return require_message(bundle.status());
  require(bundle->members().size() <= TaskBundle::kMostMembers, "too many members");
  for (const TaskBundle::Member& member : bundle->members()) {
    require(!member.name.starts_with('/') && ("/" + member.name + "/").find("/../") == std::string::npos,
            "a name that leaves the bundle");
    const auto contents = bundle->read(member.name);
    if (!contents.ok()) {
      require_message(contents.status());
    } else {
      require(contents->bytes.size() == member.bytes, "another size than stated");
    }
  }
  for (const BundledTask& task : bundle->tasks()) {
    require(task.detector.empty() || bundle->read(task.detector).status().code() != ErrorCode::kNotFound,
            "a detector that is not in the bundle");
  }
}

void exercise_package(Bytes bytes) {
  constexpr int64_t kMostBytes = 4096;
  const MemoryFile file(bytes);
  std::vector<TarMember> members{{"a.data", kMostBytes}, {loader_of("a.data"), kMostBytes}};
  const Status read = read_tar_members(file.path(), members);
  if (!read.ok()) return require_message(read);
  for (const TarMember& member : members) require(member.contents.size() <= kMostBytes, "a member beyond its limit");
  const Bytes data = members[0].contents, table = members[1].contents;
  const std::string_view loader(reinterpret_cast<const char*>(table.data()), table.size());
  const auto asset = packed_asset(data, loader, "/a.tflite");
  if (!asset.ok()) return require_message(asset.status());
  require(
      asset->empty() || (asset->data() >= data.data() && asset->data() + asset->size() <= data.data() + data.size()),
      "a part outside of the bundle");
}

void exercise_labels(Bytes bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto labels = parse_labels(text);
  if (!labels.ok()) return require_message(labels.status());
  require(!labels->lines.empty() && !labels->lines.back().empty(), "an empty label at the end");
  const auto ends = std::ranges::count_if(text, [](char c) { return c == '\n' || c == '\r'; });
  require(labels->lines.size() <= static_cast<size_t>(ends) + 1, "more labels than lines");
  for (const std::string& label : labels->lines) {
    require(label.find_first_of(std::string_view("\n\0", 2)) == label.npos, "a label of more than a line");
    require(label.empty() || (label.front() != ' ' && label.back() != ' '), "a label with spaces around it");
  }
  require(labels->numbers.size() == labels->numbered.size(), "numbers without labels");
  for (const size_t classes : {size_t{0}, size_t{1}, labels->lines.size()}) fit_labels(*labels, classes);
}

void exercise_picture(Bytes bytes) {
  constexpr int32_t kLargestSide = 256;
  const MemoryFile file(bytes);
  const auto picture = decode_picture(file.path(), kLargestSide);
  const Status checked = check_picture(file.path());
  if (!picture.ok()) return require_message(picture.status());
  require(checked.ok(), "a picture that can be decoded is refused: " + checked.message());
  const int width = gdk_pixbuf_get_width(picture->get()), height = gdk_pixbuf_get_height(picture->get());
  require(width > 0 && width <= kLargestSide && height > 0 && height <= kLargestSide, "a picture beyond the limit");
  unsigned sum = 0;
  const guint8* pixels = gdk_pixbuf_read_pixels(picture->get());
  for (size_t i = 0; i < gdk_pixbuf_get_byte_length(picture->get()); ++i) sum += pixels[i];
  require(sum <= gdk_pixbuf_get_byte_length(picture->get()) * 255, "pixels that cannot be");
}

void exercise_report(Bytes bytes) {
  const MemoryFile file(bytes);
  CheckOptions options;
  options.model = file.path();
  const auto report = check_model(options);
  if (!report.ok()) return require_message(report.status());
  const std::string text = format_text(*report), json = format_json(*report);
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  require(parsed.is_object(), "no JSON object: " + json);
  require(parsed.at("model") == options.model, "the path of the model differs in the JSON");
  require(parsed.at("inputs").size() == report->support.inputs.size(), "inputs are missing in the JSON");
  for (const std::string& output : {text, json}) {
    for (const char c : output) {
      require(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f), "a control character in the report");
    }
  }
}

}  // namespace sightglass::test
