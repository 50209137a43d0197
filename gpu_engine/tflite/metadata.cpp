#include <algorithm>
#include <cmath>
#include <map>

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

class Reader {
 public:
  explicit Reader(const ModelFile& file)
      : file_(file), left_(std::min(kMostBytes, kFreeBytes + kMostPerByte * file.bytes().size())) {}

  ModelMetadata read() {
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
