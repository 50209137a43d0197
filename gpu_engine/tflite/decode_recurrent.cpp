// Operators with a state that persists between runs.
#include <cmath>

#include "graph/lstm.h"
#include "tflite/decoders.h"

namespace sightglass::tflite {
namespace {

constexpr size_t kData = lstm::kData;

Result<float> positive_or_none(float clip, const char* what) {
  if (clip >= 0 && std::isfinite(clip)) return clip;
  return invalid_model(std::string("its ") + what + " is " + std::to_string(clip));
}

// An integer LSTM: an intermediate tensor has the scale of the cell outputs, and TensorFlow Lite computes TANH whatever
// the declared activation. Shape inference checks types and scales.
Status decode_integers(const OperatorView& view, LstmAttr& attr) {
  constexpr size_t kIntermediates = 5, kMade = 4;
  const auto& intermediates = view.intermediates();
  if (intermediates.size() != kIntermediates) {
    return unsupported("an integer LSTM with " + std::to_string(intermediates.size()) +
                       " intermediate tensors, not 5; use the float32 version of the model");
  }
  const FileTensor* made = intermediates[kMade];
  if (made == nullptr || made->quantization.scale.size() != 1 || made->quantization.zero_point.size() > 1) {
    return invalid_model("its intermediate tensor 4 has no single scale");
  }
  attr.activation = Activation::kTanh;
  attr.made_scale = made->quantization.scale[0];
  if (!made->quantization.zero_point.empty()) {
    const int64_t zero = made->quantization.zero_point[0];
    if (zero < INT8_MIN || zero > INT8_MAX) {
      return invalid_model("its intermediate tensor 4 has the zero point " + std::to_string(zero));
    }
    attr.made_zero_point = static_cast<int32_t>(zero);
  }
  return {};
}

Status decode_full(const OperatorView& view, LstmAttr& attr, DecodedOp& node) {
  if (view.input_count() != lstm::kNorm && view.input_count() != lstm::kInputs) {
    return invalid_model("it has " + std::to_string(view.input_count()) + " inputs, not 20 or 24");
  }
  for (const size_t i : {kData, lstm::kHidden, lstm::kCell}) {
    if (!view.has(i)) return invalid_model("input " + std::to_string(i) + " is absent");
  }
  if (view.input(kData).type != DataType::kFloat32) SIGHTGLASS_RETURN_IF_ERROR(decode_integers(view, attr));
  node.outputs = {0, kNoOutput, kNoOutput};
  node.states = {{lstm::kHidden, 1}, {lstm::kCell, 2}};
  return {};
}

// Outputs: the result, the cells, and two that only its own computation uses.
Status decode_basic(const OperatorView& view, LstmAttr& attr, DecodedOp& node) {
  constexpr size_t kBasicOutputs = 4, kMade = 0, kCells = 1;
  if (view.input_count() != lstm::kBasicInputs || view.output_count() != kBasicOutputs) {
    return invalid_model("the basic kind has 5 inputs and 4 outputs, not " + std::to_string(view.input_count()) +
                         " and " + std::to_string(view.output_count()));
  }
  for (size_t i = 0; i < lstm::kBasicInputs; ++i) {
    if (!view.has(i)) return invalid_model("input " + std::to_string(i) + " is absent");
  }
  if (view.input(kData).type != DataType::kFloat32) {
    return unsupported("the basic kind is only supported in float32; convert the model to float32");
  }
  if (attr.activation != Activation::kTanh || attr.cell_clip != 0 || attr.projection_clip != 0) {
    return invalid_model("the basic kind must have the activation TANH and no clipping");
  }
  attr.basic = true;
  node.outputs = {kMade, kNoOutput, kCells};
  node.states = {{lstm::kBasicHidden, 1}, {lstm::kBasicCell, 2}};
  return {};
}

template <typename Options>
Result<LstmAttr> decode_common(const Options& options) {
  LstmAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.activation, decode_activation(options.fused_activation_function()));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.cell_clip, positive_or_none(options.cell_clip(), "clip of the cells"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.projection_clip, positive_or_none(options.proj_clip(), "clip of the projection"));
  return attr;
}

}  // namespace

Status decode_lstm(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::LSTMOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(LstmAttr attr, decode_common(*options));
  switch (options->kernel_type()) {
    case schema::LSTMKernelType::FULL:
      SIGHTGLASS_RETURN_IF_ERROR(decode_full(view, attr, node));
      break;
    case schema::LSTMKernelType::BASIC:
      SIGHTGLASS_RETURN_IF_ERROR(decode_basic(view, attr, node));
      break;
    default:
      return invalid_model("its kind " + std::to_string(static_cast<int>(options->kernel_type())) + " does not exist");
  }
  if (view.shape(kData).rank() != 2) return invalid_model("its data needs two dimensions");
  node.attributes = attr;
  return {};
}

Status decode_sequence_lstm(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::UnidirectionalSequenceLSTMOptions>());
  SIGHTGLASS_ASSIGN_OR_RETURN(LstmAttr attr, decode_common(*options));
  if (options->diagonal_recurrent_tensors()) {
    return unsupported("its recurrent weights are diagonals, which is not supported; write them as full matrices");
  }
  attr.time_major = options->time_major();
  SIGHTGLASS_RETURN_IF_ERROR(decode_full(view, attr, node));
  if (view.shape(kData).rank() != 3) return invalid_model("its data needs three dimensions");
  node.attributes = attr;
  return {};
}

}  // namespace sightglass::tflite
