#include "video/batch_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace sightglass::video {

namespace {

namespace fs = std::filesystem;

bool is_video(const fs::path& path) {
  constexpr std::array<std::string_view, 13> kEndings = {".avi", ".flv", ".m2ts", ".m4v", ".mkv",  ".mov", ".mp4",
                                                         ".mpg", ".mts", ".ogv",  ".ts",  ".webm", ".wmv"};
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

bool read_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Adds the files of one folder, and the subfolders that are left to read.
class Walk {
 public:
  Walk(const fs::path& without, std::vector<std::string>* problems) : without_(without), problems_(problems) {}

  // Fails if the folder cannot be read.
  Status read(const fs::path& folder) {
    SIGHTGLASS_RETURN_IF_ERROR(read_one(folder, {}));
    while (!left_.empty()) {
      const fs::path name = std::move(left_.back());
      left_.pop_back();
      const Status status = read_one(folder / name, name);
      if (!status.ok()) add_problem(status.message() + "; its files are left out");
    }
    return {};
  }
  std::vector<BatchFile> take() { return std::move(files_); }

 private:
  void add_problem(std::string text) {
    if (problems_ != nullptr) problems_->push_back(std::move(text));
  }

  Status read_one(const fs::path& folder, const fs::path& name) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
      add(*entry, name / entry->path().filename());
    return error ? device_error(folder.string() + ": " + error.message()) : Status();
  }

  void add(const fs::directory_entry& entry, const fs::path& name) {
    std::error_code ignored;
    const bool link = entry.is_symlink(ignored);
    if (entry.is_directory(ignored)) {
      const bool results = is_same(entry.path(), without_);
      if (!link && !results) left_.push_back(name);
      // It may lead out of the folder, or around in a circle.
      if (link && !results) add_problem(entry.path().string() + ": links to directories are not followed");
      return;
    }
    // A link that leads nowhere is a file that fails.
    if (!is_video(name) || !(link || entry.is_regular_file(ignored))) return;
    if (link && is_inside(entry.path(), without_)) return;
    files_.push_back({entry.path(), name});
  }

  static bool is_same(const fs::path& one, const fs::path& other) {
    std::error_code error;
    return fs::equivalent(one, other, error) && !error;
  }

  const fs::path& without_;
  std::vector<std::string>* const problems_;
  std::vector<fs::path> left_;  // relative to the first folder
  std::vector<BatchFile> files_;
};

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string::npos || !read_number(std::string_view(text).substr(0, slash), shard.index) ||
      !read_number(std::string_view(text).substr(slash + 1), shard.count) || shard.index < 0 ||
      shard.index >= shard.count) {
    return invalid_argument("'" + text + "' is not a shard; use INDEX/COUNT with INDEX from 0, such as 0/8");
  }
  return shard;
}

Result<std::vector<BatchFile>> list_batch(const fs::path& folder, const fs::path& without, const Shard& shard,
                                          std::vector<std::string>* problems) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return not_found(folder.string() + ": is not a directory");
  Walk walk(without, problems);
  SIGHTGLASS_RETURN_IF_ERROR(walk.read(folder));
  std::vector<BatchFile> all = walk.take();
  std::sort(all.begin(), all.end(), [](const BatchFile& a, const BatchFile& b) { return a.name < b.name; });
  std::vector<BatchFile> chosen;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % static_cast<size_t>(shard.count) == static_cast<size_t>(shard.index)) chosen.push_back(std::move(all[i]));
  }
  return chosen;
}

fs::path batch_output(const BatchFile& file, const fs::path& output, const std::string& ending) {
  fs::path path = output / file.name;
  // The result of "clip.avi" is "clip.avi.mp4", so that of "clip.avi.mp4" needs another name.
  if (path.extension() != ending || is_video(file.name.stem())) path += ending;
  return path;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(path, error);
  if (error) return false;
  const fs::path outer = fs::weakly_canonical(folder, error);
  if (error) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

Status make_result_folder(const fs::path& result, const fs::path& output) {
  const fs::path folder = result.parent_path();
  const auto outside = [&] {
    return device_error(folder.string() + ": leads out of " + output.string() + "; remove the link");
  };
  // Before something is created, and again for what exists now.
  if (!is_inside(folder, output)) return outside();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return device_error(folder.string() + ": cannot create this directory: " + error.message());
  return is_inside(folder, output) ? Status() : outside();
}

}  // namespace sightglass::video
