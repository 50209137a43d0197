#include "infer/labels.h"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "gpu_engine/files.h"
#include "infer/landmarks.h"

namespace sightglass {

namespace {

constexpr int64_t kMostBytes = int64_t{16} << 20;
constexpr std::ptrdiff_t kMostLines = std::ptrdiff_t{1} << 20;
constexpr size_t kMostNumber = size_t{1} << 20;
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// A line "7 label" or "7: label".
struct NumberedLine {
  size_t number = 0;
  std::string_view label;
};

std::optional<NumberedLine> numbered_line(std::string_view line) {
  NumberedLine result;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), result.number);
  size_t at = static_cast<size_t>(end - line.data());
  if (error != std::errc() || at >= line.size() || result.number > kMostNumber) return std::nullopt;
  if (line[at] == ':') {
    ++at;
  } else if (kSpaces.find(line[at]) == kSpaces.npos) {
    return std::nullopt;
  }
  result.label = trimmed(line.substr(at));
  return result;
}

void read_numbers(LabelFile& file) {
  for (const std::string& line : file.lines) {
    if (line.empty()) continue;
    const auto numbered = numbered_line(line);
    if (!numbered || (!file.numbers.empty() && numbered->number <= file.numbers.back())) {
      file.numbers.clear();
      file.numbered.clear();
      return;
    }
    file.numbers.push_back(numbered->number);
    file.numbered.emplace_back(numbered->label);
  }
}

// The value of a field "name: 'value'" in a line; unset if the line has another field.
std::optional<std::string_view> field(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  line = trimmed(line.substr(name.size()));
  if (!line.starts_with(':')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'')) line = line.substr(1, line.size() - 2);
  return line;
}

// "item { id: 1 name: 'person' }", a field per line. Display names are for people.
Status read_label_map(LabelFile& file) {
  std::map<size_t, std::string> items;
  size_t id = 0;
  std::string name;
  for (const std::string& line : file.lines) {
    if (const auto value = field(line, "id")) std::from_chars(value->data(), value->data() + value->size(), id);
    if (const auto value = field(line, "name"); value && name.empty()) name = *value;
    if (const auto value = field(line, "display_name")) name = *value;
    if (id > kMostNumber) {
      return invalid_argument("the label map has the id " + std::to_string(id) + ", above " +
                              std::to_string(kMostNumber));
    }
    if (line.find('}') == std::string::npos) continue;
    items[id] = std::move(name);
    name.clear();
  }
  for (auto& [number, label] : items) {
    file.numbers.push_back(number);
    file.numbered.push_back(std::move(label));
  }
  if (items.empty()) return invalid_argument("the label map has no items with one field per line");
  return {};
}

std::string_view without_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

// The text in UTF-8, without a byte-order mark.
std::string to_utf8(std::string_view text) {
  text = without_mark(text);
  const bool is_utf16 = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  const auto size = static_cast<gssize>(text.size());
  if (!is_utf16 && g_utf8_validate(text.data(), size, nullptr) != FALSE) return std::string(text);
  gsize length = 0;
  gchar* const converted =
      g_convert(text.data(), size, "UTF-8", is_utf16 ? "UTF-16" : "WINDOWS-1252", nullptr, &length, nullptr);
  if (converted == nullptr) return std::string(text);
  std::string result(without_mark({converted, length}));
  g_free(converted);
  return result;
}

}  // namespace

Result<LabelFile> parse_labels(std::string_view bytes) {
  const bool utf16 = bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
  if (!utf16 && bytes.find('\0') != bytes.npos) return invalid_argument("not a text file with one label per line");
  const std::string text = to_utf8(bytes);
  if (text.find('\0') != text.npos ||
      g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr) == FALSE ||
      std::ranges::count(text, '\n') > kMostLines || std::ranges::count(text, '\r') > kMostLines) {
    return invalid_argument("not a text file with one label per line");
  }
  // Files of old Macs end lines with CR.
  const char end_of_line = text.find('\n') == text.npos ? '\r' : '\n';
  LabelFile file;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find(end_of_line), rest.size());
    file.lines.emplace_back(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  while (!file.lines.empty() && file.lines.back().empty()) file.lines.pop_back();
  if (file.lines.empty()) return invalid_argument("the file has no labels");
  if (trimmed(text).starts_with("item") && text.find('{') != text.npos) {
    SIGHTGLASS_RETURN_IF_ERROR(read_label_map(file));
  } else {
    read_numbers(file);
  }
  return file;
}

FittedLabels fit_labels(const LabelFile& file, size_t classes) {
  FittedLabels fitted;
  fitted.labels = file.lines;
  if (!file.numbers.empty()) {
    const size_t first = file.numbers.front(), last = file.numbers.back();
    const bool from_one = first > 0 && (classes == 0 ? first == 1 : last == classes);
    const size_t count = last + 1 - (from_one ? 1 : 0);
    // Otherwise, what looks like numbers is part of the labels.
    const bool plain = classes > 0 && count > classes && file.lines.size() == classes;
    if (!plain) {
      fitted.labels.assign(count, {});
      for (size_t i = 0; i < file.numbers.size(); ++i) {
        fitted.labels[file.numbers[i] - (from_one ? 1 : 0)] = file.numbered[i];
      }
    }
  }
  const size_t labels = fitted.labels.size();
  if (classes > 0 && labels != classes) {
    fitted.warning = (labels > classes ? "has names for " : "has names only for the first ") + std::to_string(labels) +
                     " classes, but the model has " + std::to_string(classes) +
                     ": they may be wrong; give the label file of this model";
  }
  return fitted;
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

Result<int32_t> region_class(const std::string& name, const std::vector<std::string>* labels) {
  const std::string wanted(trimmed(name));
  const auto index_of = [&]() -> std::optional<int64_t> {
    if (labels != nullptr) {
      const auto found = std::ranges::find(*labels, wanted);
      if (found != labels->end()) return found - labels->begin();
    }
    int64_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (wanted.empty() || error != std::errc() || end != wanted.data() + wanted.size()) return std::nullopt;
    return number;
  };
  const std::string property = "region-classes: ";
  const std::optional<int64_t> number = index_of();
  if (number && *number >= 0 && *number < kRegionClasses) return static_cast<int32_t>(*number);
  if (number) {
    return invalid_argument(property + "class " + wanted + " is not in 0 to " + std::to_string(kRegionClasses - 1));
  }
  std::string text = property + "no class upstream is called \"" + wanted + "\"";
  if (labels == nullptr || labels->empty()) return invalid_argument(text + ": the classes have no names; use numbers");
  constexpr size_t kMostListed = 20;
  text += "; the classes are ";
  for (size_t i = 0; i < std::min(labels->size(), kMostListed); ++i) text += (i > 0 ? ", " : "") + (*labels)[i];
  return invalid_argument(text + (labels->size() > kMostListed ? ", and others" : ""));
}

Result<LabelFile> load_labels(const std::string& path) {
  const std::string property = "labels=" + path;
  const Result<std::string> text = read_text_file(path, kMostBytes);
  if (!text.ok()) {
    return Status(text.status().code(),
                  property + ": " + text.status().message() + "; give a text file with one label per line");
  }
  Result<LabelFile> labels = parse_labels(*text);
  if (!labels.ok()) return labels.status().with_context(property);
  return labels;
}

}  // namespace sightglass
