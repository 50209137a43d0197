// The image input of a model, how the numbers of an output become probabilities, and what a file next to the model
// says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "known_models.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"

namespace sightglass {

// How the numbers of an output become probabilities, by the ranges that the operators of a model prove. No GL.

// Whether the range is that of probabilities, apart from the rounding of quantized values.
bool is_probability(const ValueRange& range);
// Whether an output needs no activation: all its elements are in [0,1].
bool holds_probabilities(const Model& model, size_t output);

// probability = activation(scale * value + offset)
struct ToProbability {
  float scale = 1, offset = 0;
  OutputActivation activation = OutputActivation::kNone;
  bool operator==(const ToProbability&) const = default;
};
// For the ranges in which models output samples of images: [0,1], [0,255], and [-1,1].
std::optional<ToProbability> from_samples(const ValueRange& range);
// For the mask of that range and number of channels:
// - [0,1] and [0,255] are probabilities and 8-bit samples;
// - with one channel, [-1,1] is scaled to [0,1]: the result of TANH, and a limit to these bounds;
// - with one channel, numbers that are never negative cannot be logits: [0,n] is scaled to [0,1];
// - all other numbers are logits.
ToProbability to_probability(const ValueRange& range, int32_t channels);

// The image input of a model: how samples become input values. Descriptions of tensors for messages. No GL.

// Returns "'name' (float32 1x256x256x3)", for messages.
std::string describe(const TensorInfo& tensor);
// The same for several tensors, with their indices.
std::string list(std::span<const TensorInfo> tensors);

// Whether the tensor has the shape 1 x height x width x channels, with height and width above 1.
bool is_picture(const TensorInfo& tensor);

// tensor value = scale * sample + offset, with samples in [0,1]. The model determines unset values.
struct InputNormalization {
  std::optional<float> scale, offset;
  // Of a file next to the model: minimum and maximum tensor value by channel; of one, all channels have it. Empty:
  // none.
  std::vector<std::array<float, 2>> ranges = {};
};

// The model's only input, as a texture. The normalization is that of the first source that has one: `wanted`, the
// its ranges, the quantization of the input, the catalog entry `known`, the metadata, a guess (KnownModel without a
// checksum). The default is samples in [0,1]. Fails, naming file and tensor, if the input is not an image of 3 channels
// (or 1, which gets the luma, or 4), or not the only one.
Result<InputSpec> picture_input(const Model& model, const std::optional<KnownModel>& known,
                                const InputNormalization& wanted = {});
// The same for one of several inputs, which may hold more than one image if `parts` (InputSpec::parts).
Result<InputSpec> picture_input_at(size_t index, const Model& model, const std::optional<KnownModel>& known,
                                   const InputNormalization& wanted = {}, bool parts = false);

// What NAME.tflite.modelinfo says, a key file in the format of GStreamer 1.28: a group per tensor under its name, and
// one of ours, [sightglass], for what tensors do not show.
struct ModelNotes {
  struct Tensor {
    std::string name;
    bool is_input = false;
    std::vector<int32_t> dims;  // -1: any; empty: not stated
    std::string type;           // such as "float32"; empty: not stated
    std::vector<std::array<float, 2>> ranges;
  };
  std::string file;  // its path; empty: there is no such file
  std::vector<Tensor> tensors;
  std::map<std::string, std::string> own;  // of [sightglass], by key
};
// Nothing if the file does not exist. Fails, naming file, group and key, if it is not readable.
Result<ModelNotes> read_model_notes(const std::string& model_path);
Result<ModelNotes> parse_model_notes(const std::string& file, std::string_view text);
// Takes over the ranges of the image input, which has that index. Fails if a group does not fit the model.
Status apply_notes(const ModelNotes& notes, const Model& model, InputNormalization& normalization, size_t input = 0);
// The value of a key of [sightglass]; empty without it.
std::string noted(const ModelNotes& notes, const std::string& key);

// Fails for a model that takes its own previous mask: only glsegment provides it.
Status check_no_previous_mask(const Model& model, const std::optional<KnownModel>& known);

}  // namespace sightglass
