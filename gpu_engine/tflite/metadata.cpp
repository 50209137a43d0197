#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "gpu_engine/files.h"
#include "tflite/metadata_generated.h"
#include "tflite/model_file.h"

namespace sightglass::tflite {
namespace {

constexpr uint32_t kMaxMetadataDepth = 16, kMaxMetadataTables = 100'000;
constexpr size_t kLargest = size_t{1} << 20;
// Text and lists are cut here, so that a hostile file costs little.
constexpr size_t kLongestText = 4096;
constexpr size_t kMostTensors = 256, kMostChannels = 1024, kMostLabels = 65536, kLongestLabel = 256;
// Maximum memory for metadata, less for small files: one byte of a file can be an empty label, which takes 32.
constexpr size_t kMostBytes = size_t{16} << 20, kFreeBytes = size_t{1} << 20, kMostPerByte = 32;
// For all tensors together. A shared list counts for each tensor, because writing it out repeats it.
constexpr size_t kMostLabelsOfAll = 4 * kMostLabels;

// The names of the texts that the exporter of Ultralytics attaches.
constexpr std::array<std::string_view, 4> kNotes{"metadata.json", "metadata.yaml", "temp_meta.txt", "meta.txt"};

using LabelList = std::shared_ptr<const std::vector<std::string>>;

std::string text(const flatbuffers::String* string) {
  return string == nullptr ? std::string() : std::string(string->string_view().substr(0, kLongestText));
}

// Memory of a string.
size_t cost(size_t length) {
  static const size_t kInPlace = std::string().capacity();
  return sizeof(std::string) + (length > kInPlace ? length + 1 : 0);
}

// Calls take(line) until it returns false. The last line end may be missing; DOS line ends are removed.
template <typename Take>
void for_lines(std::span<const std::byte> bytes, Take take) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!take(line.substr(0, kLongestLabel))) return;
  }
}

// Reads the two upper levels of a text in JSON, as a Python literal, or in the part of YAML that PyYAML writes for
// plain values: take(key, inner key, value). The inner key is a position for lists, and empty for plain values.
// Anything else is skipped.
template <typename Take>
class NotesParser {
 public:
  NotesParser(std::string_view text, Take take) : rest_(text), take_(std::move(take)) {}

  void run() {
    skip_spaces();
    if (rest_.starts_with('{')) return read_value(0, {}, {});
    std::string key;
    size_t position = 0;
    while (!rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      read_line(line, key, position);
    }
  }

 private:
  static constexpr int kDeepest = 16;
  static constexpr std::string_view kSpaces = " \t\r\n", kInLine = " \t\r";

  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size())); }

  // A line of a YAML block. `key` is that of the block.
  void read_line(std::string_view line, std::string& key, size_t& position) {
    const size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos || line[indent] == '#') return;
    const std::string_view later = rest_;
    rest_ = line.substr(indent);
    if (rest_.starts_with("- ")) {
      rest_.remove_prefix(2);
      read_in_line(2, key, std::to_string(position++));
    } else {
      const std::string name = scalar(":");
      if (rest_.starts_with(':')) rest_.remove_prefix(1);
      skip_spaces();
      if (indent == 0) {
        key = name;
        position = 0;
        if (!rest_.empty()) read_in_line(1, key, {});
      } else if (!rest_.empty()) {
        read_in_line(2, key, name);
      }
    }
    rest_ = later;
  }

  // The rest of a line of YAML: commas are part of plain values.
  void read_in_line(int depth, const std::string& key, const std::string& inner) {
    skip_spaces();
    if (rest_.find_first_of("{[(") == 0) return read_value(depth, key, inner);
    take_(key, inner, scalar("\n"));
  }

  // Braces, brackets and parentheses nest, or a plain value.
  void read_value(int depth, const std::string& key, const std::string& inner) {
    skip_spaces();
    if (rest_.empty() || depth > kDeepest) return;
    const char open = rest_.front();
    if (open != '{' && open != '[' && open != '(') {
      std::string value = scalar(",}])\n");
      if (depth <= 2) take_(key, inner, std::move(value));
      return;
    }
    rest_.remove_prefix(1);
    for (size_t position = 0;; ++position) {
      skip_spaces();
      while (rest_.starts_with(',')) {
        rest_.remove_prefix(1);
        skip_spaces();
      }
      if (rest_.empty()) return;
      if (rest_.front() == '}' || rest_.front() == ']' || rest_.front() == ')') return rest_.remove_prefix(1);
      std::string name = open == '{' ? scalar(":,}])") : std::to_string(position);
      if (open == '{') {
        skip_spaces();
        if (!rest_.starts_with(':')) {
          if (!rest_.starts_with(',') && !rest_.starts_with('}')) return rest_ = {}, void();
          continue;
        }
        rest_.remove_prefix(1);
      }
      const size_t before = rest_.size();
      read_value(depth + 1, depth == 0 ? name : key, depth == 0 ? std::string() : depth == 1 ? name : inner);
      if (rest_.size() == before) return rest_ = {}, void();
    }
  }

  // In quotes, or up to one of `ends`.
  std::string scalar(std::string_view ends) {
    std::string value;
    if (rest_.starts_with('"') || rest_.starts_with('\'')) {
      const char quote = rest_.front();
      rest_.remove_prefix(1);
      while (!rest_.empty() && rest_.front() != quote) {
        if (rest_.front() == '\\' && rest_.size() > 1) {
          rest_.remove_prefix(1);
          append_escape(value);
          continue;
        }
        value += rest_.front();
        rest_.remove_prefix(1);
      }
      rest_.remove_prefix(std::min<size_t>(1, rest_.size()));
      return value;
    }
    const size_t end = std::min(rest_.find_first_of(ends), rest_.size());
    value = rest_.substr(0, end);
    rest_.remove_prefix(end);
    value.erase(value.find_last_not_of(kInLine) + 1);
    return value;
  }

  // `\uXXXX` and `\xXX` become UTF-8; halves of surrogate pairs become question marks.
  void append_escape(std::string& value) {
    const char kind = rest_.front();
    rest_.remove_prefix(1);
    const size_t digits = kind == 'u' ? 4 : kind == 'x' ? 2 : 0;
    if (digits == 0 || rest_.size() < digits) {
      value += kind == 'n' || kind == 't' || kind == 'r' ? ' ' : kind;
      return;
    }
    uint32_t point = 0;
    std::from_chars(rest_.data(), rest_.data() + digits, point, 16);
    rest_.remove_prefix(digits);
    if (point < 0x80) {
      value += static_cast<char>(std::max<uint32_t>(point, ' '));
    } else if (point >= 0xd800 && point < 0xe000) {
      value += '?';
    } else {
      if (point >= 0x800) value += static_cast<char>(0xe0 | point >> 12);
      value += static_cast<char>(point >= 0x800 ? 0x80 | (point >> 6 & 0x3f) : 0xc0 | point >> 6);
      value += static_cast<char>(0x80 | (point & 0x3f));
    }
  }

  std::string_view rest_;
  Take take_;
};

class Reader {
 public:
  explicit Reader(const ModelFile& file)
      : file_(file), left_(std::min(kMostBytes, kFreeBytes + kMostPerByte * file.bytes().size())) {}

  ModelMetadata read() {
    read_notes();
    const schema::ModelDescription* model = find();
    if (model == nullptr) return std::move(result_);
    result_.name = text(model->name());
    result_.description = text(model->description());
    result_.version = text(model->version());
    result_.author = text(model->author());
    result_.license = text(model->license());
    if (!charge(result_.name.size() + result_.description.size() + result_.version.size() + result_.author.size() +
                result_.license.size())) {
      return std::move(result_);
    }
    const auto* subgraphs = model->subgraph_metadata();
    if (subgraphs != nullptr && subgraphs->size() > 0 && file_.is_first()) {
      read_tensors(subgraphs->Get(0)->input_tensor_metadata(), result_.inputs);
      read_tensors(subgraphs->Get(0)->output_tensor_metadata(), result_.outputs);
      read_detector(*subgraphs->Get(0));
    }
    return std::move(result_);
  }

 private:
  void problem(const std::string& what) { result_.problems.push_back("metadata: " + what); }

  // Returns false, and records a problem the first time, if the bytes exceed the budget.
  bool charge(size_t bytes) {
    const bool fits = bytes <= left_;
    if (!fits && !full_) problem("it needs more memory than allowed for its file size; some is omitted");
    full_ = full_ || !fits;
    left_ -= fits ? bytes : 0;
    return fits;
  }

  // Of several texts, the first one that is there: newer exporters write only JSON.
  void read_notes() {
    const std::optional<ZipDirectory> directory = ZipDirectory::find(file_.bytes());
    if (!directory) return;
    for (const std::string_view name : kNotes) {
      const auto entry = std::ranges::find(directory->entries(), name, &ZipEntry::name);
      if (entry == directory->entries().end()) continue;
      const auto bytes = directory->unpacked(*entry, kLargest);
      if (!bytes.ok()) return problem("the attached file " + quote(name) + " " + bytes.status().message());
      const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      NotesParser(text, [this](const std::string& key, const std::string& inner, std::string value) {
        note(key, inner, std::move(value));
      }).run();
      return;
    }
  }

  void note(const std::string& key, const std::string& inner, std::string value) {
    ExporterNotes& notes = result_.exporter;
    constexpr int32_t kMostPixels = 1 << 16;
    const auto number = [](const std::string& text) {
      int32_t read = -1;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
      return error == std::errc() && end == text.data() + text.size() && read < kMostPixels ? read : -1;
    };
    if (key == "task" && inner.empty()) {
      notes.task = value.substr(0, kLongestLabel);
    } else if (key == "stride" && inner.empty()) {
      notes.stride = std::max(number(value), 0);
    } else if (key == "imgsz" && inner == "0") {
      notes.height = notes.width = std::max(number(value), 0);
    } else if (key == "imgsz" && inner == "1") {
      notes.width = std::max(number(value), 0);
    } else if (key == "kpt_shape" && inner == "0") {
      notes.points = std::max(number(value), 0);
    } else if (key == "kpt_shape" && inner == "1") {
      notes.values_of_point = std::max(number(value), 0);
    } else if (key == "names") {
      const int32_t id = number(inner);
      if (id < 0) return;
      const auto index = static_cast<size_t>(id);
      if (index >= notes.class_names.size()) {
        if (!charge((index + 1 - notes.class_names.size()) * cost(0))) return;
        notes.class_names.resize(index + 1);
      }
      if (value.size() > kLongestLabel) value.resize(kLongestLabel);
      if (charge(value.size())) notes.class_names[index] = std::move(value);
    }
  }

  const schema::ModelDescription* find() {
    const auto* entries = file_.model().metadata();
    for (uint32_t i = 0; entries != nullptr && i < entries->size(); ++i) {
      const schema::Metadata& entry = *entries->Get(i);
      if (entry.name() == nullptr || entry.name()->string_view() != "TFLITE_METADATA") continue;
      const Result<std::span<const std::byte>> bytes = file_.buffer(entry.buffer());
      if (!bytes.ok()) {
        problem(bytes.status().message());
        return nullptr;
      }
      return verified(*bytes);
    }
    return nullptr;
  }

  const schema::ModelDescription* verified(std::span<const std::byte> bytes) {
    if (bytes.size() > kLargest) {
      problem("it is larger than " + std::to_string(kLargest) + " bytes");
      return nullptr;
    }
    aligned_.assign(bytes.begin(), bytes.end());
    const auto* data = reinterpret_cast<const uint8_t*>(aligned_.data());
    flatbuffers::Verifier verifier(data, aligned_.size(), kMaxMetadataDepth, kMaxMetadataTables);
    if (schema::VerifyModelDescriptionBuffer(verifier)) return schema::GetModelDescription(data);
    problem("it is damaged, or its format is not 'M001'");
    return nullptr;
  }

  void read_tensors(const flatbuffers::Vector<flatbuffers::Offset<schema::TensorDescription>>* tensors,
                    std::vector<TensorMetadata>& results) {
    for (uint32_t i = 0; tensors != nullptr && i < tensors->size() && i < kMostTensors; ++i) {
      const schema::TensorDescription& tensor = *tensors->Get(i);
      if (!charge(sizeof(TensorMetadata) + cost(size_of(tensor.name())) + cost(size_of(tensor.description())))) return;
      TensorMetadata& result = results.emplace_back();
      result.name = text(tensor.name());
      result.description = text(tensor.description());
      read_normalization(tensor, result);
      read_labels(tensor, result);
    }
  }

  void read_detector(const schema::SubGraphDescription& subgraph) {
    const auto* entries = subgraph.custom_metadata();
    for (uint32_t i = 0; entries != nullptr && i < entries->size(); ++i) {
      const schema::CustomDescription& entry = *entries->Get(i);
      const bool is_detector = entry.name() != nullptr && entry.name()->string_view() == "DETECTOR_METADATA";
      if (!is_detector || entry.data() == nullptr) continue;
      const std::vector<uint8_t> aligned(entry.data()->begin(), entry.data()->end());
      flatbuffers::Verifier verifier(aligned.data(), aligned.size(), kMaxMetadataDepth, kMaxMetadataTables);
      if (!verifier.VerifyBuffer<schema::DetectorDescription>("V001")) {
        return problem("its DETECTOR_METADATA is damaged, or its format is not 'V001'");
      }
      return read_detector(*flatbuffers::GetRoot<schema::DetectorDescription>(aligned.data()));
    }
  }

  void read_detector(const schema::DetectorDescription& detector) {
    const schema::DecodingOptions* const decoding = detector.decoding();
    const auto* const fixed = detector.anchors() != nullptr ? detector.anchors()->fixed() : nullptr;
    if (decoding == nullptr || fixed == nullptr || fixed->anchors() == nullptr) return;
    if (!charge(fixed->anchors()->size() * sizeof(result_.detector.anchors[0]))) return;
    DetectorNotes notes;
    for (const schema::FixedAnchor* anchor : *fixed->anchors()) {
      notes.anchors.push_back({anchor->x_center(), anchor->y_center(), anchor->width(), anchor->height()});
    }
    notes.classes = decoding->num_classes();
    notes.values = decoding->num_coords();
    notes.points = decoding->num_keypoints();
    notes.first_point = decoding->keypoint_coord_offset();
    notes.point_values = decoding->num_values_per_keypoint();
    notes.x_scale = decoding->x_scale();
    notes.y_scale = decoding->y_scale();
    notes.width_scale = decoding->w_scale();
    notes.height_scale = decoding->h_scale();
    for (const float scale : {notes.x_scale, notes.y_scale, notes.width_scale, notes.height_scale}) {
      if (!std::isfinite(scale) || scale == 0) return problem("a scale of its DETECTOR_METADATA is not finite, or 0");
    }
    notes.exponential_sizes = decoding->apply_exponential_on_box_size();
    notes.sigmoid_scores = decoding->sigmoid_score();
    result_.detector = std::move(notes);
  }

  void read_normalization(const schema::TensorDescription& tensor, TensorMetadata& result) {
    const auto* units = tensor.process_units();
    for (uint32_t i = 0; units != nullptr && i < units->size(); ++i) {
      const schema::NormalizationOptions* options = units->Get(i)->options_as_NormalizationOptions();
      if (options == nullptr) continue;
      const auto *mean = options->mean(), *deviation = options->std();
      const uint32_t count = mean == nullptr ? 0 : mean->size();
      if (count == 0 || count > kMostChannels || deviation == nullptr || deviation->size() != count) {
        return problem("the normalization of " + quote(result.name) + " does not have a deviation for every mean");
      }
      const auto finite = [](float x) { return std::isfinite(x); };
      if (!std::all_of(mean->begin(), mean->end(), finite) ||
          !std::all_of(deviation->begin(), deviation->end(), finite) ||
          std::find(deviation->begin(), deviation->end(), 0.0f) != deviation->end()) {
        return problem("the normalization of " + quote(result.name) + " is not finite");
      }
      if (!charge(2 * count * sizeof(float))) return;
      result.mean.assign(mean->begin(), mean->end());
      result.deviation.assign(deviation->begin(), deviation->end());
      return;
    }
  }

  // Of label files in several languages, uses the one without a language, otherwise the first.
  void read_labels(const schema::TensorDescription& tensor, TensorMetadata& result) {
    const schema::AssociatedFile* chosen = nullptr;
    const auto* files = tensor.associated_files();
    for (uint32_t i = 0; files != nullptr && i < files->size(); ++i) {
      const schema::AssociatedFile& file = *files->Get(i);
      const bool labels = file.type() == schema::AssociatedFileType::TENSOR_AXIS_LABELS ||
                          file.type() == schema::AssociatedFileType::TENSOR_VALUE_LABELS;
      if (!labels || file.name() == nullptr) continue;
      const bool no_language = file.locale() == nullptr || file.locale()->size() == 0;
      if (chosen == nullptr || no_language) chosen = &file;
      if (no_language) break;
    }
    if (chosen == nullptr) return;
    const std::string_view name = chosen->name()->string_view();
    if (name.size() > kLongestText) return problem("the name of a label file is too long");
    if (std::ranges::find(kNotes, name) != kNotes.end()) return;  // the exporter lists it as labels
    const auto contents = attached_file(file_.bytes(), name);
    if (!contents.ok()) return problem(contents.status().message());
    result.label_list = list_of(*contents);
    labels_of_all_ += result.labels().size();
    if (labels_of_all_ <= kMostLabelsOfAll) return;
    if (labels_of_all_ - result.labels().size() <= kMostLabelsOfAll) {
      problem("its tensors have more than " + std::to_string(kMostLabelsOfAll) + " labels; the rest is omitted");
    }
    result.label_list = nullptr;
  }

  // Null if it would take too much memory.
  LabelList list_of(std::span<const std::byte> contents) {
    const auto [entry, fresh] = lists_.try_emplace({contents.data(), contents.size()});
    if (!fresh) return entry->second;
    size_t count = 0, bytes = 0;
    for_lines(contents, [&](std::string_view line) {
      bytes += cost(line.size());
      return ++count < kMostLabels;
    });
    if (!charge(bytes)) return nullptr;
    std::vector<std::string> labels;
    labels.reserve(count);
    for_lines(contents, [&](std::string_view line) {
      labels.emplace_back(line);
      return labels.size() < count;
    });
    entry->second = std::make_shared<const std::vector<std::string>>(std::move(labels));
    return entry->second;
  }

  static size_t size_of(const flatbuffers::String* string) {
    return string == nullptr ? 0 : std::min<size_t>(string->size(), kLongestText);
  }

  const ModelFile& file_;
  std::vector<std::byte> aligned_;  // a copy, because a nested flatbuffer may be misaligned
  ModelMetadata result_;
  size_t left_;  // bytes
  bool full_ = false;
  size_t labels_of_all_ = 0;
  std::map<std::pair<const std::byte*, size_t>, LabelList> lists_;  // by position in the file
};

}  // namespace

ModelMetadata read_metadata(const ModelFile& file) { return Reader(file).read(); }

}  // namespace sightglass::tflite

namespace sightglass {

const std::vector<std::string>& TensorMetadata::labels() const {
  static const std::vector<std::string> kNone;
  return label_list ? *label_list : kNone;
}

}  // namespace sightglass
