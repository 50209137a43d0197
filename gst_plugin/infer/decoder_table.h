// The decoders of glinfer, a row each. The choice with task=auto, the values of the property `decoder`, and the list of
// decoders in docs/elements/glinfer.md follow from these rows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "infer/decoder.h"
#include "infer/infer_model.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

// Why a decoder does not fit a model.
struct Decline {
  std::string reason;
  bool is_near = false;  // the outputs resemble those that it expects
};

struct DecoderRow {
  DecoderKind kind;
  const char* name;  // value of the property
  InferTask task;
  const char* meaning;  // kind of objects, models, and the shapes of their outputs
  const char* kernels;  // shaders, for the log
  // Completes the description of a model, or declines. Without a choice of the application, only models that show that
  // they are of this kind are accepted.
  std::optional<Decline> (*describe)(InferModel& result, const InferModelOptions& options);
  Result<std::unique_ptr<Decoder>> (*make)(const std::shared_ptr<ShareGroup>& group, const InferModel& model);
};

// In the order in which they are tried.
std::span<const DecoderRow> decoder_rows();
const DecoderRow& row_of(DecoderKind kind);  // not kAuto

// Sets the decoder that the options name, or the first one that fits, and completes the description. If none fits a
// model, fails, naming the file, its tensors and the expected ones.
Status choose_decoder(InferModel& result, const InferModelOptions& options);

}  // namespace sightglass
