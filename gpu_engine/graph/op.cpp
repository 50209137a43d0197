#include "graph/op.h"

namespace sightglass {

bool has_weights(OpType op) {
  return op == OpType::kConv2d || op == OpType::kDepthwiseConv2d || op == OpType::kTransposeConv ||
         op == OpType::kFullyConnected;
}

bool packs_constants(OpType op) { return has_weights(op) || op == OpType::kLstm; }

const char* to_string(OpType op) {
  switch (op) {
    case OpType::kConv2d:
      return "CONV_2D";
    case OpType::kDepthwiseConv2d:
      return "DEPTHWISE_CONV_2D";
    case OpType::kTransposeConv:
      return "TRANSPOSE_CONV";
    case OpType::kFullyConnected:
      return "FULLY_CONNECTED";
    case OpType::kAveragePool2d:
      return "AVERAGE_POOL_2D";
    case OpType::kMaxPool2d:
      return "MAX_POOL_2D";
    case OpType::kMean:
      return "MEAN";
    case OpType::kAdd:
      return "ADD";
    case OpType::kSub:
      return "SUB";
    case OpType::kMul:
      return "MUL";
    case OpType::kMaximum:
      return "MAXIMUM";
    case OpType::kMinimum:
      return "MINIMUM";
    case OpType::kPrelu:
      return "PRELU";
    case OpType::kRelu:
      return "RELU";
    case OpType::kRelu6:
      return "RELU6";
    case OpType::kReluN1To1:
      return "RELU_N1_TO_1";
    case OpType::kLogistic:
      return "LOGISTIC";
    case OpType::kTanh:
      return "TANH";
    case OpType::kHardSwish:
      return "HARD_SWISH";
    case OpType::kExp:
      return "EXP";
    case OpType::kSoftmax:
      return "SOFTMAX";
    case OpType::kConcat:
      return "CONCATENATION";
    case OpType::kPad:
      return "PAD";
    case OpType::kReshape:
      return "RESHAPE";
    case OpType::kStridedSlice:
      return "STRIDED_SLICE";
    case OpType::kResizeBilinear:
      return "RESIZE_BILINEAR";
    case OpType::kDepthToSpace:
      return "DEPTH_TO_SPACE";
    case OpType::kLstm:
      return "LSTM";
    case OpType::kQuantize:
      return "QUANTIZE";
    case OpType::kDynamicQuantize:
      return "DYNAMIC_QUANTIZE";
    case OpType::kDequantize:
      return "DEQUANTIZE";
  }
  return "UNKNOWN";
}

const char* to_string(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return "none";
    case Activation::kRelu:
      return "relu";
    case Activation::kRelu6:
      return "relu6";
    case Activation::kReluN1To1:
      return "relu_n1_to_1";
    case Activation::kTanh:
      return "tanh";
    case Activation::kLogistic:
      return "logistic";
    case Activation::kHardSwish:
      return "hard_swish";
    case Activation::kHardSigmoid:
      return "hard_sigmoid";
    case Activation::kSwish:
      return "swish";
    case Activation::kPrelu:
      return "prelu";
  }
  return "unknown";
}

}  // namespace sightglass
