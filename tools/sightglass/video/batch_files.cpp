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

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

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

Result<std::vector<BatchFile>> list_batch(const fs::path& folder, const fs::path& without, const Shard& shard) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return not_found(folder.string() + ": is not a directory");
  const fs::path excluded = fs::weakly_canonical(without, error);
  const bool inside = excluded != fs::weakly_canonical(folder, error);
  std::vector<BatchFile> all;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(folder, kOptions, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored) || !is_video(entry->path())) continue;
    if (inside && is_below(fs::weakly_canonical(entry->path(), ignored), excluded)) continue;
    all.push_back({entry->path(), fs::relative(entry->path(), folder, ignored)});
  }
  if (error) return device_error(folder.string() + ": " + error.message());
  std::sort(all.begin(), all.end(), [](const BatchFile& a, const BatchFile& b) { return a.name < b.name; });
  std::vector<BatchFile> chosen;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % static_cast<size_t>(shard.count) == static_cast<size_t>(shard.index)) chosen.push_back(std::move(all[i]));
  }
  return chosen;
}

fs::path batch_output(const BatchFile& file, const fs::path& output, const std::string& ending) {
  fs::path path = output / file.name;
  if (path.extension() != ending) path += ending;
  return path;
}

}  // namespace sightglass::video
