#include "element/model_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "element_names.h"
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
Status check_size(const Model& model) {
  const TensorInfo& input = model.inputs()[0];
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
Status set_by_scale(InputSpec& source, const Model& model) {
  const TensorInfo& input = model.inputs()[0];
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
void set_usual_normalization(InputSpec& source, const Model& model, const std::optional<KnownModel>& known) {
  const TensorInfo& input = model.inputs()[0];
  const bool integers = input.type != DataType::kFloat32 && input.type != DataType::kFloat16 && !is_quantized_16(input);
  const auto& described = model.metadata().inputs;
  const bool says = !described.empty() && !described[0].mean.empty();
  for (size_t channel = 0; channel < source.scale.size(); ++channel) {
    if (integers) {
      const float quantum = input.quantization.empty() ? 1 : input.quantization.scale[0];
      const int64_t zero = input.quantization.zero_point.empty() ? 0 : input.quantization.zero_point[0];
      const int64_t lowest = input.type == DataType::kInt8 ? -128 : 0;
      set_normalization(source, channel, 255 * quantum, quantum * static_cast<float>(lowest - zero));
    } else if (known && (known->sha256 != nullptr || !says)) {
      set_normalization(source, channel, known->scale[channel], known->offset[channel]);
    } else if (says) {
      const size_t entry = std::min(channel, described[0].mean.size() - 1);
      const float deviation = described[0].deviation[entry];
      set_normalization(source, channel, 255 / deviation, -described[0].mean[entry] / deviation);
    } else {
      set_normalization(source, channel, 1, 0);
    }
  }
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

bool is_picture(const TensorInfo& tensor) {
  return tensor.shape.rank() == 4 && tensor.shape.dim(0) == 1 && tensor.shape.dim(1) > 1 && tensor.shape.dim(2) > 1;
}

Result<InputSpec> picture_input(const Model& model, const std::optional<KnownModel>& known,
                                const InputNormalization& wanted) {
  if (model.inputs().size() != 1) {
    return unsupported(model.name() + ": expected a single image input, but the inputs are " + list(model.inputs()));
  }
  return first_picture_input(model, known, wanted);
}

Result<InputSpec> first_picture_input(const Model& model, const std::optional<KnownModel>& known,
                                      const InputNormalization& wanted) {
  const std::string& name = model.name();
  if (model.inputs().empty()) return unsupported(name + ": expected an image input, but the model has no inputs");
  const TensorInfo& input = model.inputs()[0];
  SIGHTGLASS_RETURN_IF_ERROR(check_size(model));
  const int32_t channels = is_picture(input) ? input.shape.dim(3) : 0;
  if (channels != 1 && channels != 3 && channels != 4) {
    return unsupported(name + ": input " + describe(input) +
                       " is not an image; expected shape 1 x height x width x 3 (or 1 or 4)");
  }
  InputSpec source;
  source.source = InputSpec::Source::kTexture;
  const bool is_described =
      known.has_value() || (!model.metadata().inputs.empty() && !model.metadata().inputs[0].mean.empty());
  if (is_quantized_16(input) && !is_described) {
    if (!wanted.scale || !wanted.offset) SIGHTGLASS_RETURN_IF_ERROR(set_by_scale(source, model));
  } else {
    set_usual_normalization(source, model, known);
  }
  if (wanted.scale) source.scale.fill(*wanted.scale);
  if (wanted.offset) source.offset.fill(*wanted.offset);
  return source;
}

Status check_no_previous_mask(const Model& model, const std::optional<KnownModel>& known) {
  if (!known || !known->previous_mask) return {};
  return unsupported(model.name() + ": this is " + known->title + ", which takes its own previous mask; only " +
                     elements::kSegment.element + " provides it");
}

}  // namespace sightglass
