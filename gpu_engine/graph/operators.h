// The table of operators: everything that is declared or listed once per operator follows from its rows. Include it
// with one or more of these macros defined; it ends their definitions. Without a definition, rows mean nothing.
//
//   OPERATOR(op, name, attributes, shapes, reference, kernels, …)
//     op          in OpType
//     name        in TensorFlow Lite
//     attributes  a structure of graph/op.h, or NoAttr
//     shapes      infer_SHAPES() in graph/shapes computes the shapes of the outputs, and checks those of the inputs
//     reference   ref::REFERENCE() in ref computes the outputs on the CPU: the definition of the operator
//     kernels     KERNELS_kernels() in ops has the ways to run it on the GPU, in order of preference
//     …           fields of operators::Row (graph/operator_table.h): types and traits
//
//   BUILTIN(op, name, decoder, …) and CUSTOM(op, name, decoder, …)
//     An operator of model files, and the node that it becomes. tflite::decode_DECODER() reads its options. The rest
//     are fields of tflite::OperatorRule (tflite/operator_table.h): inputs (one by default), outputs, and limits.
//
// This file has no include guard: each inclusion expands other macros.

#ifndef OPERATOR
#define OPERATOR(...)
#endif
#ifndef BUILTIN
#define BUILTIN(...)
#endif
#ifndef CUSTOM
#define CUSTOM(...)
#endif

// Families whose rows differ in a few columns: functions of one operand that have no options, functions and comparisons
// of two operands that broadcast, and reductions along axes. `data` are types, and `more` further traits.
#define UNARY(op, name, data, more, ...)                                 \
  OPERATOR(op, name, NoAttr, unary, unary, elementwise, .types = {data}, \
           .traits = kUnary | (more)__VA_OPT__(, ) __VA_ARGS__)          \
  BUILTIN(op, name, nothing)
#define BINARY(op, name, decoder, data, more, ...)                         \
  OPERATOR(op, name, NoAttr, binary, binary, elementwise, .types = {data}, \
           .traits = kBinary | (more)__VA_OPT__(, ) __VA_ARGS__)           \
  BUILTIN(op, name, decoder, .inputs = {2})
#define COMPARISON(op, name, data)                                                                   \
  OPERATOR(op, name, NoAttr, binary, compare, elementwise, .types = {data, kB}, .traits = kCompares) \
  BUILTIN(op, name, nothing, .inputs = {2})
#define REDUCTION(op, name, data, more)                                                                   \
  OPERATOR(op, name, ReduceAttr, reduction, reduce, reduce, .types = {data}, .traits = kReduces | (more)) \
  BUILTIN(op, name, reduction, .inputs = {2})

// inputs: data, weights [O,kh,kw,I], bias [O] or none, PReLU slope [O] when activation is kPrelu; tensor added before
// the activation, or after it (Node::residual_last), of the output shape, of its first channels, or [B,1,1,O], or none
// (kResidualInput); factor per
// channel of the data, [B,1,1,I*groups], or none (kGateInput); tensor then added to the data of a 1×1 convolution, of
// their shape, or none (kAddendInput); filter o reads the I channels of its group: all channels if I is their number
OPERATOR(kConv2d, CONV_2D, Conv2dAttr, conv2d, conv2d, conv2d, .types = {kReal, kAsData, kWeights},
         .traits = kHasWeights | kReadsImages)
BUILTIN(kConv2d, CONV_2D, conv2d, .inputs = {2, 3}, .optional = kLastInput)
// inputs: data, weights [1,kh,kw,I*multiplier], bias or none, slope and added tensor as above
OPERATOR(kDepthwiseConv2d, DEPTHWISE_CONV_2D, DepthwiseConv2dAttr, depthwise_conv2d, depthwise_conv2d, depthwise,
         .types = {kReal, kAsData, kWeights}, .traits = kHasWeights | kReadsImages)
BUILTIN(kDepthwiseConv2d, DEPTHWISE_CONV_2D, depthwise_conv2d, .inputs = {2, 3}, .optional = kLastInput)
// a DEPTHWISE_CONV_2D and the 1×1 CONV_2D that is its only reader; inputs: data of the depthwise convolution, other
// inputs of the CONV_2D, which has no gate, and depthwise weights, bias or none (kDepthwiseWeights, kDepthwiseBias);
// or a TRANSPOSE_CONV instead of the CONV_2D (DepthwisePointwiseAttr::spread)
OPERATOR(kDepthwisePointwise, DEPTHWISE_POINTWISE, DepthwisePointwiseAttr, depthwise_pointwise, depthwise_pointwise,
         depthwise_pointwise, .types = {kF, kAsData, kWeights}, .traits = kHasWeights | kNotInFiles | kReadsImages)
// the mean over rows and columns, and one or two 1×1 CONV_2D of its one pixel; inputs: data, weights, bias and slope of
// the last CONV_2D, tensor added to the data or none (kAddendInput), and weights of the first CONV_2D of two, bias or
// none (kSqueezeWeights, kSqueezeBias)
OPERATOR(kSqueezeExcite, SQUEEZE_EXCITE, SqueezeExciteAttr, squeeze_excite, squeeze_excite, squeeze_excite,
         .types = {kF, kAsData, kWeights}, .traits = kHasWeights | kNotInFiles | kReadsImages)
// inputs: data, weights [O,kh,kw,I], bias or none, slope as above
OPERATOR(kTransposeConv, TRANSPOSE_CONV, TransposeConvAttr, transpose_conv, transpose_conv, transpose_conv,
         .types = {kReal, kAsData, kWeights}, .traits = kHasWeights | kReadsImages)
BUILTIN(kTransposeConv, TRANSPOSE_CONV, transpose_conv, .inputs = {3, 4}, .optional = kLastInput)
CUSTOM(kTransposeConv, Convolution2DTransposeBias, convolution_2d_transpose_bias, .inputs = {2, 3},
       .optional = kLastInput)
// inputs: data, weights [O,I], bias or none, slope as above
OPERATOR(kFullyConnected, FULLY_CONNECTED, FullyConnectedAttr, fully_connected, fully_connected, fully_connected,
         .types = {kReal, kAsData, kWeights}, .traits = kHasWeights)
BUILTIN(kFullyConnected, FULLY_CONNECTED, fully_connected, .inputs = {2, 3}, .optional = kLastInput,
        .limits = "weights in the default order")
OPERATOR(kAveragePool2d, AVERAGE_POOL_2D, Pool2dAttr, pool2d, pool2d, pool, .types = {kReal},
         .traits = kTakesActivation | kKeepsNumbers | kReadsImages | kKeepsRange)
BUILTIN(kAveragePool2d, AVERAGE_POOL_2D, pool2d)
OPERATOR(kMaxPool2d, MAX_POOL_2D, Pool2dAttr, pool2d, pool2d, pool, .types = {kReal},
         .traits = kTakesActivation | kKeepsNumbers | kReadsImages | kKeepsRange)
BUILTIN(kMaxPool2d, MAX_POOL_2D, pool2d)
// outputs: maxima, their positions in the window: row * filter_w + column + 0.1
OPERATOR(kMaxPoolWithArgmax, MaxPoolingWithArgmax2D, Pool2dAttr, max_pool_with_argmax, max_pool_with_argmax, pool,
         .types = {kF}, .traits = kSeveralOutputs | kReadsImages)
CUSTOM(kMaxPoolWithArgmax, MaxPoolingWithArgmax2D, max_pool_with_argmax, .max_outputs = 2)
// inputs: data, positions from such a pool; zero elsewhere
OPERATOR(kMaxUnpool, MaxUnpooling2D, Pool2dAttr, max_unpool, max_unpool, pool, .types = {kF}, .traits = kReadsImages)
CUSTOM(kMaxUnpool, MaxUnpooling2D, max_unpool, .inputs = {2})
REDUCTION(kMean, MEAN, kNumbers, kTakesActivation)
BINARY(kAdd, ADD, add, kNumbers, kTakesActivation)
BINARY(kSub, SUB, sub, kNumbers, kTakesActivation)
BINARY(kMul, MUL, mul, kNumbers, kTakesActivation)
BINARY(kMaximum, MAXIMUM, nothing, kNumbers, kTakesActivation | kKeepsNumbers)
BINARY(kMinimum, MINIMUM, nothing, kNumbers, kTakesActivation | kKeepsNumbers)
// inputs: data, slope (broadcast)
BINARY(kPrelu, PRELU, nothing, kReal, kNoTraits, .activation = Activation::kPrelu)
UNARY(kRelu, RELU, kReal, kNotNegative, .activation = Activation::kRelu)
UNARY(kRelu6, RELU6, kReal, kNotNegative, .activation = Activation::kRelu6)
UNARY(kReluN1To1, RELU_N1_TO_1, kReal, kNoTraits, .activation = Activation::kReluN1To1)
UNARY(kLogistic, LOGISTIC, kReal, kNotNegative, .activation = Activation::kLogistic)
UNARY(kTanh, TANH, kReal, kNoTraits, .activation = Activation::kTanh)
UNARY(kHardSwish, HARD_SWISH, kReal, kNoTraits, .activation = Activation::kHardSwish)
UNARY(kExp, EXP, kReal, kNotNegative)
// over the last dimension
OPERATOR(kSoftmax, SOFTMAX, SoftmaxAttr, softmax, softmax, softmax, .types = {kReal},
         .traits = kNotNegative | kKeepsDimensions)
BUILTIN(kSoftmax, SOFTMAX, softmax)
OPERATOR(kConcat, CONCATENATION, ConcatAttr, concat, concat, concat, .types = {kAny},
         .traits = kTakesActivation | kKeepsDimensions)
BUILTIN(kConcat, CONCATENATION, concatenation, .inputs = {1, kAnyNumber})
OPERATOR(kPad, PAD, PadAttr, pad, pad, pad, .types = {kAny},
         .traits = kBySteps | kKeepsEqualShapes | kKeepsNumbers | kKeepsDimensions)
BUILTIN(kPad, PAD, pad, .inputs = {2})
BUILTIN(kPad, PADV2, pad_v2, .inputs = {3})
OPERATOR(kReshape, RESHAPE, ReshapeAttr, reshape, reshape, reshape, .types = {kAny},
         .traits = kKeepsEqualShapes | kKeepsNumbers | kKeepsRange)
BUILTIN(kReshape, RESHAPE, reshape, .inputs = {1, 2}, .optional = kLastInput)
BUILTIN(kReshape, SQUEEZE, squeeze)
BUILTIN(kReshape, EXPAND_DIMS, expand_dims, .inputs = {2})
BUILTIN(kReshape, DENSIFY, densify, .while_loading = true)
BUILTIN(kReshape, SHAPE, shape, .while_loading = true)
BUILTIN(kReshape, RANK, rank, .while_loading = true)
BUILTIN(kReshape, RANGE, range, .inputs = {3}, .while_loading = true,
        .limits = "constant bounds of float32, int32 or int64")
// Becomes a FULLY_CONNECTED, products with the last results, and their sums.
BUILTIN(kReshape, SVDF, svdf, .inputs = {5}, .optional = kAnyInput, .while_loading = true,
        .limits = "float32 data; weights of 8 bits or float32")
// Complex numbers are two values of the graph. The transform is a product with a matrix.
BUILTIN(kReshape, RFFT2D, rfft2d, .inputs = {2}, .while_loading = true,
        .limits = "float32, transforms of one row and at most 4096 columns")
BUILTIN(kReshape, COMPLEX_ABS, complex_abs, .while_loading = true, .limits = "results of RFFT2D")
BUILTIN(kReshape, REAL, real, .while_loading = true, .limits = "results of RFFT2D")
BUILTIN(kReshape, IMAG, imag, .while_loading = true, .limits = "results of RFFT2D")
// Replaced by the operators of the subgraphs that they run, and by values of the graph.
BUILTIN(kReshape, CALL, call, .inputs = {0, kAnyNumber}, .max_outputs = kAnyNumber, .while_loading = true)
BUILTIN(kReshape, CALL_ONCE, call_once, .inputs = {0}, .max_outputs = 0, .min_outputs = 0, .while_loading = true)
BUILTIN(kReshape, STABLEHLO_COMPOSITE, composite, .inputs = {0, kAnyNumber}, .max_outputs = kAnyNumber,
        .while_loading = true, .limits = "runs its decomposition")
BUILTIN(kReshape, IF, if, .inputs = {1, kAnyNumber}, .max_outputs = kAnyNumber, .min_outputs = 0, .while_loading = true,
        .limits = "conditions that constants and shapes decide")
BUILTIN(kReshape, WHILE, while, .inputs = {1, kAnyNumber}, .max_outputs = kAnyNumber, .while_loading = true,
        .limits = "conditions that constants and shapes decide")
BUILTIN(kReshape, VAR_HANDLE, var_handle, .inputs = {0}, .while_loading = true)
BUILTIN(kReshape, READ_VARIABLE, read_variable, .while_loading = true,
        .limits = "variables keep their contents from run to run")
BUILTIN(kReshape, ASSIGN_VARIABLE, assign_variable, .inputs = {2}, .max_outputs = 0, .min_outputs = 0,
        .while_loading = true, .limits = "of one type and shape")
OPERATOR(kStridedSlice, STRIDED_SLICE, StridedSliceAttr, strided_slice, strided_slice, strided_slice, .types = {kAny},
         .traits = kBySteps | kKeepsNumbers | kKeepsRange)
BUILTIN(kStridedSlice, STRIDED_SLICE, strided_slice, .inputs = {4})
BUILTIN(kStridedSlice, SLICE, slice, .inputs = {3})
BUILTIN(kStridedSlice, REVERSE_V2, reverse, .inputs = {2})
OPERATOR(kResizeBilinear, RESIZE_BILINEAR, ResizeAttr, resize, resize_bilinear, resize_bilinear, .types = {kReal},
         .traits = kTakesActivation | kKeepsEqualShapes | kKeepsNumbers | kReadsImages | kKeepsRange)
BUILTIN(kResizeBilinear, RESIZE_BILINEAR, resize_bilinear, .inputs = {2})
OPERATOR(kDepthToSpace, DEPTH_TO_SPACE, BlockSizeAttr, depth_to_space, depth_to_space, depth_to_space, .types = {kAny},
         .traits = kKeepsEqualShapes | kKeepsNumbers | kReadsImages | kKeepsRange)
BUILTIN(kDepthToSpace, DEPTH_TO_SPACE, depth_to_space)
// operands: graph/lstm.h; outputs: data, next hidden state, next cell state
OPERATOR(kLstm, LSTM, LstmAttr, lstm, lstm, lstm, .types = {kReal, kReal, kWeights},
         .traits = kPacksConstants | kSeveralOutputs)
BUILTIN(
    kLstm, LSTM, lstm, .inputs = {5, 24}, .max_outputs = 4, .optional = kAnyInput,
    .limits = "integers: int8 data, int16 cells, no layer normalization; the basic kind: float32, tanh, no clipping")
BUILTIN(kLstm, UNIDIRECTIONAL_SEQUENCE_LSTM, sequence_lstm, .inputs = {20, 24}, .optional = kAnyInput,
        .limits = "integers: int8 data, int16 cells, no layer normalization; recurrent weights as full matrices")
// operands: namespace detection of graph/op.h
OPERATOR(kDetectionPostprocess, TFLite_Detection_PostProcess, DetectionAttr, detection, detection_postprocess,
         detection, .types = {kReal, kF, kWeights}, .traits = kPacksConstants | kSeveralOutputs)
CUSTOM(kDetectionPostprocess, TFLite_Detection_PostProcess, detection_postprocess, .inputs = {3},
       .max_outputs = detection::kOutputs)
OPERATOR(kDequantize, DEQUANTIZE, NoAttr, unary, dequantize, elementwise, .types = {kH | kQ | kAxes, kF},
         .traits = kKeepsDimensions)
BUILTIN(kDequantize, DEQUANTIZE, nothing)
// from float32, or from one quantization to another
OPERATOR(kQuantize, QUANTIZE, NoAttr, unary, reshape, elementwise, .types = {kReal, kQ}, .traits = kKeepsDimensions)
BUILTIN(kQuantize, QUANTIZE, nothing)
// the same stored numbers in another quantization
OPERATOR(kReinterpret, REINTERPRET, NoAttr, unary, reshape, elementwise, .types = {kQ},
         .traits = kNotInFiles | kKeepsDimensions)
// any function of one 8-bit value
OPERATOR(kLookup, LOOKUP, LookupAttr, unary, lookup, lookup, .types = {kQ, kQ},
         .traits = kNotInFiles | kKeepsDimensions)
// float32 quantized to 8 bits over its own range, for operators with 8-bit weights
OPERATOR(kDynamicQuantize, DYNAMIC_QUANTIZE, DynamicQuantizeAttr, dynamic_quantize, dynamic_quantize, dynamic_quantize,
         .types = {kF}, .traits = kNotInFiles)

// Elementwise, one operand.
UNARY(kRsqrt, RSQRT, kReal, kNoTraits)
UNARY(kSqrt, SQRT, kReal, kNoTraits)
UNARY(kSquare, SQUARE, kF, kNoTraits)
UNARY(kNeg, NEG, kNumbers, kNoTraits)
UNARY(kAbs, ABS, kReal | kI, kNoTraits)
UNARY(kLog, LOG, kReal, kNoTraits)
UNARY(kFloor, FLOOR, kF, kNoTraits)
UNARY(kCeil, CEIL, kF, kNoTraits)
// rounds halves to even
UNARY(kRound, ROUND, kF, kNoTraits)
UNARY(kSign, SIGN, kF | kI, kNoTraits)
UNARY(kSin, SIN, kF, kNoTraits)
UNARY(kCos, COS, kF, kNoTraits)
// with alpha 1
UNARY(kElu, ELU, kReal, kNoTraits)
OPERATOR(kLeakyRelu, LEAKY_RELU, LeakyReluAttr, unary, unary, elementwise, .types = {kReal}, .traits = kUnary)
BUILTIN(kLeakyRelu, LEAKY_RELU, leaky_relu)
OPERATOR(kGelu, GELU, GeluAttr, unary, unary, elementwise, .types = {kReal}, .traits = kUnary)
BUILTIN(kGelu, GELU, gelu)
UNARY(kRelu0To1, RELU_0_TO_1, kReal, kNoTraits)
UNARY(kLogicalNot, LOGICAL_NOT, kB, kNoTraits)
UNARY(kZerosLike, ZEROS_LIKE, kF | kIntegers, kNoTraits)
// to the type of its output
OPERATOR(kCast, CAST, NoAttr, unary, cast, cast, .types = {kElements, kElements}, .traits = kKeepsDimensions)
BUILTIN(kCast, CAST, nothing)

// Two operands that broadcast.
BINARY(kDiv, DIV, div, kReal | kI, kNoTraits)
BINARY(kPow, POW, nothing, kF | kI, kNoTraits)
BINARY(kSquaredDifference, SQUARED_DIFFERENCE, nothing, kReal | kI, kNoTraits)
BINARY(kFloorDiv, FLOOR_DIV, nothing, kF | kIntegers, kNoTraits)
BINARY(kFloorMod, FLOOR_MOD, nothing, kF | kIntegers, kNoTraits)
BINARY(kAtan2, ATAN2, nothing, kF, kNoTraits)
BINARY(kLogicalAnd, LOGICAL_AND, nothing, kB, kNoTraits)
BINARY(kLogicalOr, LOGICAL_OR, nothing, kB, kNoTraits)
COMPARISON(kEqual, EQUAL, kNumbers | kB)
COMPARISON(kNotEqual, NOT_EQUAL, kNumbers | kB)
COMPARISON(kLess, LESS, kNumbers)
COMPARISON(kLessEqual, LESS_EQUAL, kNumbers)
COMPARISON(kGreater, GREATER, kNumbers)
COMPARISON(kGreaterEqual, GREATER_EQUAL, kNumbers)
// inputs: condition, values if true, values if false; all broadcast
OPERATOR(kSelect, SELECT, SelectAttr, select, select, select, .types = {kElements, kAsData, kCondition},
         .traits = kKeepsNumbers)
BUILTIN(kSelect, SELECT, select, .inputs = {3})
BUILTIN(kSelect, SELECT_V2, select_v2, .inputs = {3})
OPERATOR(kBroadcastTo, BROADCAST_TO, BroadcastToAttr, broadcast_to, broadcast_to, broadcast, .types = {kElements},
         .traits = kKeepsEqualShapes | kKeepsNumbers | kKeepsRange)
BUILTIN(kBroadcastTo, BROADCAST_TO, broadcast_to, .inputs = {2})
BUILTIN(kBroadcastTo, FILL, fill, .inputs = {2})
OPERATOR(kAddN, ADD_N, NoAttr, add_n, add_n, elementwise, .types = {kF | kI}, .traits = kKeepsDimensions)
BUILTIN(kAddN, ADD_N, nothing, .inputs = {1, kAnyNumber})
REDUCTION(kSum, SUM, kNumbers, kNoTraits)
REDUCTION(kReduceMax, REDUCE_MAX, kNumbers, kNoTraits)
REDUCTION(kReduceMin, REDUCE_MIN, kNumbers, kNoTraits)
REDUCTION(kReduceProd, REDUCE_PROD, kNumbers, kNoTraits)
REDUCTION(kReduceAny, REDUCE_ANY, kB, kNoTraits)
REDUCTION(kReduceAll, REDUCE_ALL, kB, kNoTraits)
OPERATOR(kArgMax, ARG_MAX, ArgAttr, arg_extreme, arg_extreme, arg_extreme, .types = {kReal | kI | kB, kIntegers})
BUILTIN(kArgMax, ARG_MAX, arg_extreme, .inputs = {2})
OPERATOR(kArgMin, ARG_MIN, ArgAttr, arg_extreme, arg_extreme, arg_extreme, .types = {kReal | kI | kB, kIntegers})
BUILTIN(kArgMin, ARG_MIN, arg_extreme, .inputs = {2})
// over the last dimension, as the next one
OPERATOR(kLogSoftmax, LOG_SOFTMAX, NoAttr, softmax, softmax, softmax, .types = {kReal}, .traits = kKeepsDimensions)
BUILTIN(kLogSoftmax, LOG_SOFTMAX, nothing)
OPERATOR(kL2Normalization, L2_NORMALIZATION, NoAttr, softmax, l2_normalization, softmax, .types = {kReal},
         .traits = kKeepsDimensions)
BUILTIN(kL2Normalization, L2_NORMALIZATION, l2_normalization)

// Movements of unchanged elements.
OPERATOR(kTranspose, TRANSPOSE, TransposeAttr, transpose, move_by_steps, movement, .types = {kAny},
         .traits = kMovesAsIs | kBySteps | kKeepsNumbers)
BUILTIN(kTranspose, TRANSPOSE, transpose, .inputs = {2})
OPERATOR(kSplit, SPLIT, SplitAttr, split, move_by_steps, movement, .types = {kAny},
         .traits = kMovesAsIs | kBySteps | kKeepsNumbers | kSeveralOutputs)
BUILTIN(kSplit, SPLIT, split, .inputs = {2}, .max_outputs = kAnyNumber)
BUILTIN(kSplit, SPLIT_V, split_v, .inputs = {3}, .max_outputs = kAnyNumber)
BUILTIN(kSplit, UNPACK, unpack, .max_outputs = kAnyNumber)
// the axis is new in the output
OPERATOR(kPack, PACK, ConcatAttr, pack, pack, concat, .types = {kAny}, .traits = kMovesAsIs)
BUILTIN(kPack, PACK, pack, .inputs = {1, kAnyNumber})
OPERATOR(kTile, TILE, TileAttr, tile, move_by_steps, movement, .types = {kAny},
         .traits = kMovesAsIs | kBySteps | kKeepsNumbers | kKeepsDimensions)
BUILTIN(kTile, TILE, tile, .inputs = {2})
OPERATOR(kMirrorPad, MIRROR_PAD, MirrorPadAttr, mirror_pad, move_by_steps, movement, .types = {kAny},
         .traits = kMovesAsIs | kBySteps | kKeepsDimensions)
BUILTIN(kMirrorPad, MIRROR_PAD, mirror_pad, .inputs = {2})
OPERATOR(kSpaceToDepth, SPACE_TO_DEPTH, BlockSizeAttr, space_to_depth, move_by_steps, movement, .types = {kAny},
         .traits = kMovesAsIs | kBySteps | kKeepsNumbers | kReadsImages)
BUILTIN(kSpaceToDepth, SPACE_TO_DEPTH, space_to_depth)
OPERATOR(kSpaceToBatch, SPACE_TO_BATCH_ND, BatchSpaceAttr, space_to_batch, move_by_steps, movement, .types = {kAny},
         .traits = kMovesAsIs | kBySteps)
BUILTIN(kSpaceToBatch, SPACE_TO_BATCH_ND, space_to_batch, .inputs = {3})
OPERATOR(kBatchToSpace, BATCH_TO_SPACE_ND, BatchSpaceAttr, batch_to_space, move_by_steps, movement, .types = {kAny},
         .traits = kMovesAsIs | kBySteps)
BUILTIN(kBatchToSpace, BATCH_TO_SPACE_ND, batch_to_space, .inputs = {3})
OPERATOR(kResizeNearest, RESIZE_NEAREST_NEIGHBOR, ResizeAttr, resize, resize_nearest, resize_nearest, .types = {kAny},
         .traits = kMovesAsIs | kKeepsNumbers | kReadsImages)
BUILTIN(kResizeNearest, RESIZE_NEAREST_NEIGHBOR, resize_nearest, .inputs = {2})
// inputs: data, indices
OPERATOR(kGather, GATHER, GatherAttr, gather, gather, gather, .types = {kAny, kAsData, kIndices},
         .traits = kMovesAsIs | kKeepsNumbers)
BUILTIN(kGather, GATHER, gather, .inputs = {2})
BUILTIN(kGather, EMBEDDING_LOOKUP, embedding_lookup, .inputs = {2}, .limits = "a table of the type of the result")
// inputs: data, indices: each row of the last dimension is a position
OPERATOR(kGatherNd, GATHER_ND, NoAttr, gather_nd, gather_nd, gather, .types = {kAny, kAsData, kIndices},
         .traits = kMovesAsIs | kKeepsNumbers)
BUILTIN(kGatherNd, GATHER_ND, nothing, .inputs = {2})
// matrices in the last two dimensions; those before broadcast
OPERATOR(kBatchMatmul, BATCH_MATMUL, BatchMatmulAttr, batch_matmul, batch_matmul, batch_matmul, .types = {kReal})
BUILTIN(kBatchMatmul, BATCH_MATMUL, batch_matmul, .inputs = {2}, .limits = "both operands of one type")
// along the last dimension, largest first; outputs: elements, indices (lower index first if equal)
OPERATOR(kTopK, TOPK_V2, TopKAttr, top_k, top_k, top_k, .types = {kReal | kN | kIntegers},
         .traits = kSeveralOutputs | kKeepsDimensions | kRanks)
BUILTIN(kTopK, TOPK_V2, top_k, .inputs = {2}, .max_outputs = 2)

// From MediaPipe. A matrix is 4 x 4, row by row; its first two rows map a position (x, y, 0, 1) to another.
// inputs: landmarks (x, y, z each); output: maps a crop around them to their image
OPERATOR(kLandmarksToMatrix, Landmarks2TransformMatrix, LandmarksToMatrixAttr, landmarks_to_matrix, landmarks_to_matrix,
         landmarks_to_matrix, .types = {kF})
CUSTOM(kLandmarksToMatrix, Landmarks2TransformMatrix, landmarks_to_matrix)
// inputs: landmarks, matrix
OPERATOR(kTransformLandmarks, TransformLandmarks, TransformLandmarksAttr, transform_landmarks, transform_landmarks,
         transform_landmarks, .types = {kF})
CUSTOM(kTransformLandmarks, TransformLandmarks, transform_landmarks, .inputs = {2})
// inputs: data, matrix from output to data positions; bilinear, zero outside
OPERATOR(kTransformImage, TransformTensorBilinear, TransformImageAttr, transform_image, transform_image,
         transform_image, .types = {kF}, .traits = kReadsImages)
CUSTOM(kTransformImage, TransformTensor, transform_image, .inputs = {2})
CUSTOM(kTransformImage, TransformTensorBilinear, transform_image, .inputs = {2})
// from Coral; operands: graph/posenet.h
OPERATOR(kPosenetDecoder, PosenetDecoderOp, PosenetDecoderAttr, posenet_decoder, posenet_decoder, posenet_decoder,
         .types = {kReal, kF, kWeights}, .traits = kSeveralOutputs)
CUSTOM(kPosenetDecoder, PosenetDecoderOp, posenet_decoder, .inputs = {3, 4}, .max_outputs = 5)

#undef UNARY
#undef BINARY
#undef COMPARISON
#undef REDUCTION
#undef OPERATOR
#undef BUILTIN
#undef CUSTOM
