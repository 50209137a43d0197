#include "element/model_picture.h"

#include <gst/gst.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>

#include "element_names.h"
#include "gpu_engine/files.h"
#include "gpu_engine/quoted.h"

namespace sightglass {

namespace {

// Of bounds, relative to the range: rounded factors such as 0.1667, and the steps of 8-bit values.
constexpr double kTolerance = 1.0 / 64;

bool is_near(double number, double bound, double span) { return std::abs(number - bound) <= kTolerance * span; }

}  // namespace

bool is_probability(const ValueRange& range) { return range.low >= -kTolerance && range.high <= 1 + kTolerance; }

bool holds_probabilities(const Model& model, size_t output) { return is_probability(model.output_range(output)); }

std::optional<ToProbability> from_samples(const ValueRange& range) {
  constexpr double kHighest = 255;
  if (is_probability(range)) return ToProbability{};
  if (is_near(range.low, 0, kHighest) && is_near(range.high, kHighest, kHighest)) {
    return ToProbability{.scale = 1 / static_cast<float>(kHighest)};
  }
  if (is_near(range.low, -1, 2) && is_near(range.high, 1, 2)) return ToProbability{.scale = 0.5F, .offset = 0.5F};
  return std::nullopt;
}

ToProbability to_probability(const ValueRange& range, int32_t channels) {
  const std::optional<ToProbability> samples = from_samples(range);
  if (samples && (channels == 1 || samples->offset == 0)) return *samples;
  if (channels > 1) return {.activation = OutputActivation::kSoftmax};
  if (range.low < -kTolerance * std::min(range.high, 1.0)) return {.activation = OutputActivation::kSigmoid};
  return std::isfinite(range.high) ? ToProbability{.scale = static_cast<float>(1 / range.high)} : ToProbability{};
}

namespace {

bool is_quantized_16(const TensorInfo& input) { return input.type == DataType::kInt16 && !input.quantization.empty(); }

// A file that leaves the size of its input open supposes one, usually 1 x 1.
Status check_size(const Model& model, const TensorInfo& input) {
  const Shape& shape = input.shape;
  for (int d = 1; d < shape.rank(); ++d) {
    const bool is_open = (input.open_dims >> d & 1U) != 0;
    if (!is_open || shape.dim(d) > 1) continue;
    return unsupported(model.name() + ": input " + describe(input) +
                       " leaves its height and width open; set input-size, such as input-size=256x256");
  }
  return {};
}

// Per channel: tensor value = scale * sample + offset.
void set_normalization(InputSpec& source, size_t channel, float scale, float offset) {
  source.scale[channel] = scale;
  source.offset[channel] = offset;
}

// For 16-bit models without a description: their scale shows whether the largest number is 1 or 255. They are
// symmetric, so that it does not show the smallest.
Status set_by_scale(InputSpec& source, const Model& model, const TensorInfo& input) {
  const double most = INT16_MAX * static_cast<double>(input.quantization.scale[0]);
  constexpr double kTolerance = 0.05;  // of ranges that were measured on images
  for (const double usual : {1.0, 255.0}) {
    if (std::abs(most - usual) > kTolerance * usual) continue;
    source.scale.fill(static_cast<float>(usual));
    source.offset.fill(0);
    return {};
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", most);
  return unsupported(model.name() + ": input " + describe(input) + " takes numbers from -" + text.data() + " to " +
                     text.data() + ", which do not show how colors become them; set input-scale and input-offset");
}

// 8-bit models take the samples of the image unchanged: 0 is the lowest integer of the type, 255 the highest. For other
// models, the normalization comes from the model catalog or from the file's metadata, which normalizes samples from 0
// to 255.
void set_usual_normalization(InputSpec& source, size_t index, const Model& model,
                             const std::optional<KnownModel>& known) {
  const TensorInfo& input = model.inputs()[index];
  const bool integers = input.type != DataType::kFloat32 && input.type != DataType::kFloat16 && !is_quantized_16(input);
  const auto& described = model.metadata().inputs;
  const bool says = index < described.size() && !described[index].mean.empty();
  for (size_t channel = 0; channel < source.scale.size(); ++channel) {
    if (integers) {
      const float quantum = input.quantization.empty() ? 1 : input.quantization.scale[0];
      const int64_t zero = input.quantization.zero_point.empty() ? 0 : input.quantization.zero_point[0];
      const int64_t lowest = input.type == DataType::kInt8 ? -128 : 0;
      set_normalization(source, channel, 255 * quantum, quantum * static_cast<float>(lowest - zero));
    } else if (known && (known->sha256 != nullptr || !says)) {
      set_normalization(source, channel, known->scale[channel], known->offset[channel]);
    } else if (says) {
      const size_t entry = std::min(channel, described[index].mean.size() - 1);
      const float deviation = described[index].deviation[entry];
      set_normalization(source, channel, 255 / deviation, -described[index].mean[entry] / deviation);
    } else {
      set_normalization(source, channel, 1, 0);
    }
  }
}

// 8-bit models take the samples of the image unchanged.
Status set_by_ranges(InputSpec& source, const TensorInfo& input, const std::vector<std::array<float, 2>>& ranges) {
  const bool is_signed = input.type == DataType::kInt8, is_byte = is_signed || input.type == DataType::kUInt8;
  const std::array<float, 2> of_bytes = is_signed ? std::array<float, 2>{-128, 127} : std::array<float, 2>{0, 255};
  for (size_t channel = 0; channel < source.scale.size(); ++channel) {
    const auto& [low, high] = ranges[std::min(channel, ranges.size() - 1)];
    if (!is_byte) {
      set_normalization(source, channel, high - low, low);
    } else if (ranges[std::min(channel, ranges.size() - 1)] != of_bytes) {
      return unsupported("ranges of input " + describe(input) + ": 8-bit models take samples as they are; set " +
                         (is_signed ? "-128,127" : "0,255") + ", or remove the key");
    }
  }
  return {};
}

}  // namespace

std::string describe(const TensorInfo& tensor) {
  return sightglass::quote(tensor.name) + " (" + to_string(tensor.type) + " " + tensor.shape.to_string() + ")";
}

std::string list(std::span<const TensorInfo> tensors) {
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(i) + " " + describe(tensors[i]);
  }
  return text;
}

namespace {

bool holds_pictures(const TensorInfo& tensor) {
  return tensor.shape.rank() == 4 && tensor.shape.dim(1) > 1 && tensor.shape.dim(2) > 1;
}

}  // namespace

bool is_picture(const TensorInfo& tensor) { return holds_pictures(tensor) && tensor.shape.dim(0) == 1; }

Result<InputSpec> picture_input(const Model& model, const std::optional<KnownModel>& known,
                                const InputNormalization& wanted) {
  if (model.inputs().size() != 1) {
    return unsupported(model.name() + ": expected a single image input, but the inputs are " + list(model.inputs()));
  }
  return picture_input_at(0, model, known, wanted);
}

Result<InputSpec> picture_input_at(size_t index, const Model& model, const std::optional<KnownModel>& known,
                                   const InputNormalization& wanted, bool parts) {
  const std::string& name = model.name();
  if (model.inputs().empty()) return unsupported(name + ": expected an image input, but the model has no inputs");
  const TensorInfo& input = model.inputs()[index];
  SIGHTGLASS_RETURN_IF_ERROR(check_size(model, input));
  const int32_t channels = is_picture(input) || (parts && holds_pictures(input)) ? input.shape.dim(3) : 0;
  if (channels != 1 && channels != 3 && channels != 4) {
    return unsupported(name + ": input " + describe(input) +
                       " is not an image; expected shape 1 x height x width x 3 (or 1 or 4)");
  }
  InputSpec source;
  source.source = InputSpec::Source::kTexture;
  source.parts = parts;
  const auto& described = model.metadata().inputs;
  const bool is_described = known.has_value() || (index < described.size() && !described[index].mean.empty());
  if (is_quantized_16(input) && !is_described && wanted.ranges.empty()) {
    if (!wanted.scale || !wanted.offset) SIGHTGLASS_RETURN_IF_ERROR(set_by_scale(source, model, input));
  } else {
    set_usual_normalization(source, index, model, known);
  }
  if (!wanted.ranges.empty()) SIGHTGLASS_RETURN_IF_ERROR(set_by_ranges(source, input, wanted.ranges));
  if (wanted.scale) source.scale.fill(*wanted.scale);
  if (wanted.offset) source.offset.fill(*wanted.offset);
  return source;
}

namespace {

constexpr int64_t kMostNoteBytes = 64 << 10;
constexpr size_t kMostNoteDims = 8, kMostRanges = 4;
constexpr const char* kOwnGroup = "sightglass";
constexpr const char* kHeaderGroup = "modelinfo";
// An element ignores the keys of other elements: several of them may run the same file.
constexpr const char* kOwnKeys[] = {"task", "decoder", "labels", "anchors", "classes", "activation", "output"};

struct FreeKeys {
  void operator()(GKeyFile* keys) const { g_key_file_free(keys); }
};
using Keys = std::unique_ptr<GKeyFile, FreeKeys>;

std::string place_of(const std::string& file, const std::string& group, const std::string& key) {
  return file + ", group [" + group + "], " + key;
}

// The words between separators, without surrounding spaces.
std::vector<std::string> words_of(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    words.emplace_back(word);
    begin = end + 1;
  }
  while (words.size() > 1 && words.back().empty()) words.pop_back();  // "0,255;" is one range
  return words;
}

template <typename T>
std::optional<T> number_of(const std::string& word) {
  T number{};
  const char* const end = word.data() + word.size();
  const auto [last, error] = std::from_chars(word.data(), end, number);
  if (word.empty() || error != std::errc() || last != end) return std::nullopt;
  return number;
}

class NoteReader {
 public:
  NoteReader(const std::string& file, GKeyFile* keys, std::string group)
      : file_(file), keys_(keys), group_(std::move(group)) {}

  // The value of a key; nothing without it.
  std::optional<std::string> text(const char* key) const {
    gchar* value = g_key_file_get_value(keys_, group_.c_str(), key, nullptr);
    if (value == nullptr) return std::nullopt;
    std::string result(value);
    g_free(value);
    return result;
  }
  Status wrong(const char* key, const std::string& expected) const {
    return invalid_argument(place_of(file_, group_, key) + "=" + text(key).value_or("") + ": expected " + expected);
  }

  Result<std::vector<int32_t>> dims() const {
    std::vector<int32_t> dims;
    const std::optional<std::string> value = text("dims");
    if (!value) return dims;
    for (const std::string& word : words_of(*value, ',')) {
      const std::optional<int32_t> dim = number_of<int32_t>(word);
      if (!dim || *dim < -1 || *dim == 0 || dims.size() == kMostNoteDims) {
        return wrong("dims", "up to 8 numbers from 1 on, or -1 for any, such as 1,640,640,3");
      }
      dims.push_back(*dim);
    }
    return dims;
  }

  Result<std::vector<std::array<float, 2>>> ranges() const {
    std::vector<std::array<float, 2>> ranges;
    const std::optional<std::string> value = text("ranges");
    if (!value) return ranges;
    for (const std::string& pair : words_of(*value, ';')) {
      const std::vector<std::string> words = words_of(pair, ',');
      const auto low = number_of<float>(words[0]), high = number_of<float>(words.back());
      const bool fits = words.size() == 2 && low && high && std::isfinite(*low) && std::isfinite(*high) &&
                        *low < *high && ranges.size() < kMostRanges;
      if (!fits)
        return wrong("ranges", "a minimum and a maximum, or one pair per channel, such as -1,1 or 0,1;0,1;0,1");
      ranges.push_back({*low, *high});
    }
    return ranges;
  }

  Result<ModelNotes::Tensor> tensor() const {
    ModelNotes::Tensor tensor;
    tensor.name = group_;
    const std::string dir = text("dir").value_or("");
    if (dir != "input" && dir != "output") return wrong("dir", "input or output");
    tensor.is_input = dir == "input";
    tensor.type = text("type").value_or("");
    if (text("dims-order").value_or("row-major") != "row-major") return wrong("dims-order", "row-major");
    SIGHTGLASS_ASSIGN_OR_RETURN(tensor.dims, dims());
    SIGHTGLASS_ASSIGN_OR_RETURN(tensor.ranges, ranges());
    return tensor;
  }

 private:
  const std::string& file_;
  GKeyFile* keys_;
  std::string group_;
};

std::vector<std::string> strings_of(gchar** list) {
  std::vector<std::string> strings;
  for (gchar** one = list; one != nullptr && *one != nullptr; ++one) strings.emplace_back(*one);
  g_strfreev(list);
  return strings;
}

// Fails if a group does not fit the model.
Status check_notes(const ModelNotes& notes, const Model& model) {
  for (const ModelNotes::Tensor& tensor : notes.tensors) {
    const std::span<const TensorInfo> all = tensor.is_input ? model.inputs() : model.outputs();
    const auto found = std::ranges::find(all, tensor.name, &TensorInfo::name);
    const std::string kind = tensor.is_input ? "input" : "output";
    if (found == all.end()) {
      return invalid_argument(place_of(notes.file, tensor.name, "dir") + "=" + kind + ": " + model.name() +
                              " has no such " + kind + "; it has " + list(all));
    }
    if (!tensor.type.empty() && tensor.type != to_string(found->type)) {
      return invalid_argument(place_of(notes.file, tensor.name, "type") + "=" + tensor.type + ": in " + model.name() +
                              ", this is " + describe(*found));
    }
    // Images with channels first have another order here.
    const auto dims = found->shape.dims();
    std::vector<int32_t> stated = tensor.dims, actual(dims.begin(), dims.end());
    const bool equal = stated.size() == actual.size() &&
                       std::ranges::equal(stated, actual, [](int32_t a, int32_t b) { return a == -1 || a == b; });
    std::ranges::sort(stated);
    std::ranges::sort(actual);
    if (tensor.dims.empty() || equal || stated == actual) continue;
    return invalid_argument(place_of(notes.file, tensor.name, "dims") + ": in " + model.name() + ", this is " +
                            describe(*found));
  }
  return {};
}

}  // namespace

Result<ModelNotes> read_model_notes(const std::string& model_path) {
  const std::string file = model_path + ".modelinfo";
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return ModelNotes();
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string text, read_text_file(file, kMostNoteBytes));
  return parse_model_notes(file, text);
}

Result<ModelNotes> parse_model_notes(const std::string& file, std::string_view text) {
  const Keys keys(g_key_file_new());
  GError* error = nullptr;
  if (g_key_file_load_from_data(keys.get(), text.data(), text.size(), G_KEY_FILE_NONE, &error) == FALSE) {
    const std::string reason = error->message;
    g_error_free(error);
    return invalid_argument(file + " is not a key file: " + reason);
  }
  ModelNotes notes;
  notes.file = file;
  for (const std::string& group : strings_of(g_key_file_get_groups(keys.get(), nullptr))) {
    const NoteReader reader(file, keys.get(), group);
    if (group == kHeaderGroup) {
      const std::string version = reader.text("version").value_or("1.0");
      if (version != "1" && !version.starts_with("1.")) return reader.wrong("version", "1.0");
    } else if (group == kOwnGroup) {
      for (const std::string& key : strings_of(g_key_file_get_keys(keys.get(), group.c_str(), nullptr, nullptr))) {
        if (std::ranges::find(kOwnKeys, key) == std::end(kOwnKeys)) {
          return invalid_argument(
              place_of(file, group, key) + ": unknown key; use task, decoder, labels, or anchors for " +
              elements::kInfer.element + ", or classes, activation, or output for " + elements::kSegment.element);
        }
        notes.own[key] = reader.text(key.c_str()).value_or("");
      }
    } else {
      SIGHTGLASS_ASSIGN_OR_RETURN(ModelNotes::Tensor tensor, reader.tensor());
      notes.tensors.push_back(std::move(tensor));
    }
  }
  return notes;
}

Status apply_notes(const ModelNotes& notes, const Model& model, InputNormalization& normalization, size_t input) {
  SIGHTGLASS_RETURN_IF_ERROR(check_notes(notes, model));
  for (const ModelNotes::Tensor& tensor : notes.tensors) {
    const bool is_image = tensor.is_input && input < model.inputs().size() && tensor.name == model.inputs()[input].name;
    if (is_image) normalization.ranges = tensor.ranges;
  }
  return {};
}

std::string noted(const ModelNotes& notes, const std::string& key) {
  const auto found = notes.own.find(key);
  return found != notes.own.end() ? found->second : std::string();
}

Status check_no_previous_mask(const Model& model, const std::optional<KnownModel>& known) {
  if (!known || !known->previous_mask) return {};
  return unsupported(model.name() + ": this is " + known->title + ", which takes its own previous mask; only " +
                     elements::kSegment.element + " provides it");
}

}  // namespace sightglass
