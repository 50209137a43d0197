#include "graph/op.h"

namespace sightglass {

namespace {

// Which of the variant's types it is.
template <typename T>
size_t index_of() {
  return Attributes(T{}).index();
}

// The attributes that each operator must carry.
size_t attributes_of(OpType op) {
  switch (op) {
    case OpType::kConv2d:
      return index_of<Conv2dAttr>();
    case OpType::kDepthwiseConv2d:
      return index_of<DepthwiseConv2dAttr>();
    case OpType::kDepthwisePointwise:
      return index_of<DepthwisePointwiseAttr>();
    case OpType::kTransposeConv:
      return index_of<TransposeConvAttr>();
    case OpType::kFullyConnected:
      return index_of<FullyConnectedAttr>();
    case OpType::kAveragePool2d:
    case OpType::kMaxPool2d:
    case OpType::kMaxPoolWithArgmax:
    case OpType::kMaxUnpool:
      return index_of<Pool2dAttr>();
    case OpType::kMean:
    case OpType::kSum:
    case OpType::kReduceMax:
    case OpType::kReduceMin:
    case OpType::kReduceProd:
    case OpType::kReduceAny:
    case OpType::kReduceAll:
      return index_of<ReduceAttr>();
    case OpType::kArgMax:
    case OpType::kArgMin:
      return index_of<ArgAttr>();
    case OpType::kSoftmax:
      return index_of<SoftmaxAttr>();
    case OpType::kConcat:
    case OpType::kPack:
      return index_of<ConcatAttr>();
    case OpType::kPad:
      return index_of<PadAttr>();
    case OpType::kReshape:
      return index_of<ReshapeAttr>();
    case OpType::kStridedSlice:
      return index_of<StridedSliceAttr>();
    case OpType::kResizeBilinear:
    case OpType::kResizeNearest:
      return index_of<ResizeAttr>();
    case OpType::kDynamicQuantize:
      return index_of<DynamicQuantizeAttr>();
    case OpType::kDepthToSpace:
    case OpType::kSpaceToDepth:
      return index_of<DepthToSpaceAttr>();
    case OpType::kDetectionPostprocess:
      return index_of<DetectionAttr>();
    case OpType::kPosenetDecoder:
      return index_of<PosenetDecoderAttr>();
    case OpType::kLstm:
      return index_of<LstmAttr>();
    case OpType::kLeakyRelu:
      return index_of<LeakyReluAttr>();
    case OpType::kGelu:
      return index_of<GeluAttr>();
    case OpType::kTopK:
      return index_of<TopKAttr>();
    case OpType::kLandmarksToMatrix:
      return index_of<LandmarksToMatrixAttr>();
    case OpType::kTransformLandmarks:
      return index_of<TransformLandmarksAttr>();
    case OpType::kTransformImage:
      return index_of<TransformImageAttr>();
    case OpType::kBatchMatmul:
      return index_of<BatchMatmulAttr>();
    case OpType::kSelect:
      return index_of<SelectAttr>();
    case OpType::kBroadcastTo:
      return index_of<BroadcastToAttr>();
    case OpType::kTranspose:
      return index_of<TransposeAttr>();
    case OpType::kSplit:
      return index_of<SplitAttr>();
    case OpType::kTile:
      return index_of<TileAttr>();
    case OpType::kMirrorPad:
      return index_of<MirrorPadAttr>();
    case OpType::kSpaceToBatch:
    case OpType::kBatchToSpace:
      return index_of<BatchSpaceAttr>();
    case OpType::kGather:
      return index_of<GatherAttr>();
    default:
      return index_of<std::monostate>();
  }
}

}  // namespace

bool fits(OpType op, const Attributes& attributes) { return attributes.index() == attributes_of(op); }

bool has_weights(OpType op) {
  return op == OpType::kConv2d || op == OpType::kDepthwiseConv2d || op == OpType::kDepthwisePointwise ||
         op == OpType::kTransposeConv || op == OpType::kFullyConnected;
}

bool packs_constants(OpType op) {
  return has_weights(op) || op == OpType::kLstm || op == OpType::kDetectionPostprocess;
}

std::vector<OpType> all_ops() {
  std::vector<OpType> ops(static_cast<size_t>(OpType::kCount));
  for (size_t i = 0; i < ops.size(); ++i) ops[i] = static_cast<OpType>(i);
  return ops;
}

bool is_unary(OpType op) {
  switch (op) {
    case OpType::kRelu:
    case OpType::kRelu6:
    case OpType::kReluN1To1:
    case OpType::kLogistic:
    case OpType::kTanh:
    case OpType::kHardSwish:
    case OpType::kExp:
    case OpType::kRsqrt:
    case OpType::kSqrt:
    case OpType::kSquare:
    case OpType::kNeg:
    case OpType::kAbs:
    case OpType::kLog:
    case OpType::kFloor:
    case OpType::kCeil:
    case OpType::kRound:
    case OpType::kSign:
    case OpType::kSin:
    case OpType::kCos:
    case OpType::kElu:
    case OpType::kLeakyRelu:
    case OpType::kGelu:
    case OpType::kRelu0To1:
    case OpType::kLogicalNot:
    case OpType::kZerosLike:
    case OpType::kCast:
      return true;
    default:
      return false;
  }
}

bool is_reduction(OpType op) { return attributes_of(op) == index_of<ReduceAttr>(); }

bool is_comparison(OpType op) {
  switch (op) {
    case OpType::kEqual:
    case OpType::kNotEqual:
    case OpType::kLess:
    case OpType::kLessEqual:
    case OpType::kGreater:
    case OpType::kGreaterEqual:
      return true;
    default:
      return false;
  }
}

bool is_binary(OpType op) {
  switch (op) {
    case OpType::kAdd:
    case OpType::kSub:
    case OpType::kMul:
    case OpType::kMaximum:
    case OpType::kMinimum:
    case OpType::kPrelu:
    case OpType::kDiv:
    case OpType::kPow:
    case OpType::kSquaredDifference:
    case OpType::kFloorDiv:
    case OpType::kFloorMod:
    case OpType::kAtan2:
    case OpType::kLogicalAnd:
    case OpType::kLogicalOr:
      return true;
    default:
      return is_comparison(op);
  }
}

Activation activation_of(OpType op) {
  switch (op) {
    case OpType::kRelu:
      return Activation::kRelu;
    case OpType::kRelu6:
      return Activation::kRelu6;
    case OpType::kReluN1To1:
      return Activation::kReluN1To1;
    case OpType::kLogistic:
      return Activation::kLogistic;
    case OpType::kTanh:
      return Activation::kTanh;
    case OpType::kHardSwish:
      return Activation::kHardSwish;
    case OpType::kPrelu:
      return Activation::kPrelu;
    default:
      return Activation::kNone;
  }
}

bool moves_as_is(OpType op) {
  switch (op) {
    case OpType::kTranspose:
    case OpType::kSplit:
    case OpType::kPack:
    case OpType::kTile:
    case OpType::kMirrorPad:
    case OpType::kSpaceToDepth:
    case OpType::kSpaceToBatch:
    case OpType::kBatchToSpace:
    case OpType::kResizeNearest:
    case OpType::kGather:
    case OpType::kGatherNd:
      return true;
    default:
      return false;
  }
}

const char* to_string(OpType op) {
  switch (op) {
    case OpType::kConv2d:
      return "CONV_2D";
    case OpType::kDepthwiseConv2d:
      return "DEPTHWISE_CONV_2D";
    case OpType::kDepthwisePointwise:
      return "DEPTHWISE_POINTWISE";
    case OpType::kTransposeConv:
      return "TRANSPOSE_CONV";
    case OpType::kFullyConnected:
      return "FULLY_CONNECTED";
    case OpType::kAveragePool2d:
      return "AVERAGE_POOL_2D";
    case OpType::kMaxPool2d:
      return "MAX_POOL_2D";
    case OpType::kMaxPoolWithArgmax:
      return "MaxPoolingWithArgmax2D";
    case OpType::kMaxUnpool:
      return "MaxUnpooling2D";
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
    case OpType::kTranspose:
      return "TRANSPOSE";
    case OpType::kSplit:
      return "SPLIT";
    case OpType::kPack:
      return "PACK";
    case OpType::kTile:
      return "TILE";
    case OpType::kMirrorPad:
      return "MIRROR_PAD";
    case OpType::kSpaceToDepth:
      return "SPACE_TO_DEPTH";
    case OpType::kSpaceToBatch:
      return "SPACE_TO_BATCH_ND";
    case OpType::kBatchToSpace:
      return "BATCH_TO_SPACE_ND";
    case OpType::kResizeNearest:
      return "RESIZE_NEAREST_NEIGHBOR";
    case OpType::kGather:
      return "GATHER";
    case OpType::kGatherNd:
      return "GATHER_ND";
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
    case OpType::kDetectionPostprocess:
      return "TFLite_Detection_PostProcess";
    case OpType::kLstm:
      return "LSTM";
    case OpType::kQuantize:
      return "QUANTIZE";
    case OpType::kDynamicQuantize:
      return "DYNAMIC_QUANTIZE";
    case OpType::kDequantize:
      return "DEQUANTIZE";
    case OpType::kRsqrt:
      return "RSQRT";
    case OpType::kSqrt:
      return "SQRT";
    case OpType::kSquare:
      return "SQUARE";
    case OpType::kNeg:
      return "NEG";
    case OpType::kAbs:
      return "ABS";
    case OpType::kLog:
      return "LOG";
    case OpType::kFloor:
      return "FLOOR";
    case OpType::kCeil:
      return "CEIL";
    case OpType::kRound:
      return "ROUND";
    case OpType::kSign:
      return "SIGN";
    case OpType::kSin:
      return "SIN";
    case OpType::kCos:
      return "COS";
    case OpType::kElu:
      return "ELU";
    case OpType::kLeakyRelu:
      return "LEAKY_RELU";
    case OpType::kGelu:
      return "GELU";
    case OpType::kRelu0To1:
      return "RELU_0_TO_1";
    case OpType::kLogicalNot:
      return "LOGICAL_NOT";
    case OpType::kZerosLike:
      return "ZEROS_LIKE";
    case OpType::kCast:
      return "CAST";
    case OpType::kDiv:
      return "DIV";
    case OpType::kPow:
      return "POW";
    case OpType::kSquaredDifference:
      return "SQUARED_DIFFERENCE";
    case OpType::kFloorDiv:
      return "FLOOR_DIV";
    case OpType::kFloorMod:
      return "FLOOR_MOD";
    case OpType::kAtan2:
      return "ATAN2";
    case OpType::kLogicalAnd:
      return "LOGICAL_AND";
    case OpType::kLogicalOr:
      return "LOGICAL_OR";
    case OpType::kEqual:
      return "EQUAL";
    case OpType::kNotEqual:
      return "NOT_EQUAL";
    case OpType::kLess:
      return "LESS";
    case OpType::kLessEqual:
      return "LESS_EQUAL";
    case OpType::kGreater:
      return "GREATER";
    case OpType::kGreaterEqual:
      return "GREATER_EQUAL";
    case OpType::kSelect:
      return "SELECT";
    case OpType::kBroadcastTo:
      return "BROADCAST_TO";
    case OpType::kAddN:
      return "ADD_N";
    case OpType::kSum:
      return "SUM";
    case OpType::kReduceMax:
      return "REDUCE_MAX";
    case OpType::kReduceMin:
      return "REDUCE_MIN";
    case OpType::kReduceProd:
      return "REDUCE_PROD";
    case OpType::kReduceAny:
      return "REDUCE_ANY";
    case OpType::kReduceAll:
      return "REDUCE_ALL";
    case OpType::kArgMax:
      return "ARG_MAX";
    case OpType::kArgMin:
      return "ARG_MIN";
    case OpType::kLogSoftmax:
      return "LOG_SOFTMAX";
    case OpType::kL2Normalization:
      return "L2_NORMALIZATION";
    case OpType::kBatchMatmul:
      return "BATCH_MATMUL";
    case OpType::kTopK:
      return "TOPK_V2";
    case OpType::kLandmarksToMatrix:
      return "Landmarks2TransformMatrix";
    case OpType::kTransformLandmarks:
      return "TransformLandmarks";
    case OpType::kTransformImage:
      return "TransformTensorBilinear";
    case OpType::kPosenetDecoder:
      return "PosenetDecoderOp";
    case OpType::kCount:
      break;
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
