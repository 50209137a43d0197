// The picture that a model takes: how samples become the numbers of its input, and words for tensors. No GL.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "known_models.h"

namespace sightglass {

// "'name' (float32 1x256x256x3)", for messages.
std::string describe(const TensorInfo& tensor);
// The same of several, with their numbers.
std::string list(std::span<const TensorInfo> tensors);

// Tensors of shape 1 x height x width x channels, both above 1.
bool is_picture(const TensorInfo& tensor);

// tensor value = scale * sample + offset, with samples in [0,1]; what is unset, the model says.
struct InputNormalisation {
  std::optional<float> scale, offset;
};

// The model's only input as a texture. Normalised as `wanted`; else by what its quantisation, what is `known` of it, or
// its metadata say, in this order, or what is guessed (KnownModel without a checksum); else samples in [0,1]. Fails,
// naming file and tensor, when it is no picture of 3 (or 4) channels, or not the only one.
Result<InputSpec> picture_input(const Model& model, const std::optional<KnownModel>& known,
                                const InputNormalisation& wanted = {});
// The same for the first input, whatever others there are.
Result<InputSpec> first_picture_input(const Model& model, const std::optional<KnownModel>& known,
                                      const InputNormalisation& wanted = {});

}  // namespace sightglass
