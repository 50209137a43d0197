#include "infer/labels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu_engine/input_file.h"

namespace sightglass {

namespace {

constexpr int64_t kMostBytes = int64_t{16} << 20;
constexpr std::ptrdiff_t kMostLines = std::ptrdiff_t{1} << 20;
constexpr std::string_view kSpaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// Index where the label starts after "7 " or "7: "; npos if the line starts differently.
size_t behind_number(std::string_view line, size_t number) {
  const std::string digits = std::to_string(number);
  if (!line.starts_with(digits)) return line.npos;
  const size_t at = digits.size();
  if (at >= line.size() || (line[at] != ':' && kSpaces.find(line[at]) == kSpaces.npos)) return line.npos;
  return line.find_first_not_of(kSpaces, at + (line[at] == ':' ? 1 : 0));
}

}  // namespace

Result<std::vector<std::string>> parse_labels(std::string_view text) {
  if (std::ranges::count(text, '\n') > kMostLines || text.find('\0') != text.npos) {
    return invalid_argument("not a text file with one label per line");
  }
  std::vector<std::string> labels;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    labels.emplace_back(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  if (labels.empty()) return invalid_argument("the file has no labels");
  bool numbered = true;
  for (size_t i = 0; i < labels.size(); ++i) numbered = numbered && behind_number(labels[i], i) != std::string::npos;
  for (size_t i = 0; numbered && i < labels.size(); ++i) labels[i] = labels[i].substr(behind_number(labels[i], i));
  return labels;
}

std::vector<std::string> split_labels(std::string_view list) {
  std::vector<std::string> labels;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    labels.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return labels;
}

Result<std::vector<std::string>> load_labels(const std::string& path) {
  const std::string property = "labels=" + path;
  const Result<std::string> text = read_text_file(path, kMostBytes);
  if (!text.ok()) {
    return Status(text.status().code(),
                  property + ": " + text.status().message() + "; give a text file with one label per line");
  }
  Result<std::vector<std::string>> labels = parse_labels(*text);
  if (!labels.ok()) return labels.status().with_context(property);
  return labels;
}

}  // namespace sightglass
