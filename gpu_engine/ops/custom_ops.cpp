#include <algorithm>

#include "graph/posenet.h"
#include "graph/quantized.h"
#include "kernel/tensors.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

// TFLite_Detection_PostProcess: corners, suppression, and the lists of detections. All data stay on the GPU.

namespace {

constexpr int32_t kMostBoxes = 65536;  // one bit each in 8 KiB of shared memory

ShaderKey detection_shader(const char* name, bool fast) {
  ShaderKey key{name, {}};
  if (fast) key.defines.push_back({"FAST", "1"});
  return key;
}

// Scores and results use the storage of the plan; boxes and selections use 32 bits.
std::vector<ShaderKey> detection_variants() {
  std::vector<ShaderKey> keys{detection_shader("detection_merge.comp", false)};
  for (const bool half : {false, true}) {
    for (const bool fast : {false, true}) {
      ShaderKey decode = detection_shader("detection_decode.comp", fast),
                store = detection_shader("detection_store.comp", fast);
      if (half) {
        decode.defines.insert(decode.defines.end(), {{"A_F16", "1"}, {"B_F16", "1"}});
        store.defines.insert(store.defines.end(), {{"B_F16", "1"}, {"OUT_F16", "1"}});
      }
      keys.push_back(std::move(decode));
      keys.push_back(std::move(store));
    }
    ShaderKey nms = detection_shader("detection_nms.comp", false);
    if (half) nms.defines.push_back({"B_F16", "1"});
    keys.push_back(std::move(nms));
  }
  return keys;
}

// Number of boxes that one suppression selects.
int32_t choices(const DetectionAttr& attr) { return attr.regular ? attr.per_class : attr.max_detections; }

Status supports_detection(const PlanContext& context, const Node& node) {
  const auto& attr = std::get<DetectionAttr>(node.attributes);
  const Graph& graph = context.graph;
  if (!graph.is_constant(node.inputs[detection::kAnchors])) return unsupported("anchors that are computed at run time");
  const int32_t boxes = graph.value(node.inputs[detection::kBoxes]).shape.dim(1);
  if (boxes > kMostBoxes)
    return unsupported(std::to_string(boxes) + " boxes; at most " + std::to_string(kMostBoxes) + " are supported");
  const int64_t words = (boxes / 32 + kSearchInvocations) / kSearchInvocations;
  const int64_t suppression = words * 34 + choices(attr) * (words * 34 + kSearchInvocations + 2);
  const int64_t merge = int64_t{attr.classes} * attr.per_class + 1;
  const int64_t store = int64_t{attr.max_detections} + 5 + int64_t{4} * attr.max_classes * (attr.classes + 2);
  const int64_t most = std::max({suppression, attr.regular ? merge : 0, store, int64_t{attr.classes} + 1});
  const int64_t limit = context.limits.max_loop_iterations;
  if (limit > 0 && most > limit) {
    return unsupported(std::to_string(choices(attr)) + " detections of " + std::to_string(boxes) +
                       " boxes; this device ends loops after " + std::to_string(limit));
  }
  return {};
}

Status emit_detection(Emitter& emitter, const Node& node) {
  const auto& attr = std::get<DetectionAttr>(node.attributes);
  const Graph& graph = emitter.graph();
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef boxes, emitter.tensor(node.inputs[detection::kBoxes]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef scores, emitter.tensor(node.inputs[detection::kScores]));
  std::vector<TensorRef> outputs;
  for (const ValueId output : node.outputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(output));
    outputs.push_back(ref);
  }
  const Value& anchors = graph.value(node.inputs[detection::kAnchors]);
  const int32_t anchor_place =
      emitter.add_constants(real_numbers(anchors, anchors.constant->type, anchors.constant->bytes));

  const int32_t count = boxes.shape.w, first_class = scores.shape.c - attr.classes;
  const bool fast = !attr.regular;
  const auto list = [&](const char* name, int32_t entries) {
    return emitter.temporary(name + (" " + node.origin), {1, 1, entries, 4}, Storage::kFloat32);
  };
  const TensorRef corners = list("corners", count), best = list("best classes", fast ? count : 1);
  StepParams decode({boxes, scores, corners, best});
  decode.floats(attr.y_scale, attr.x_scale, attr.h_scale, attr.w_scale).ints(anchor_place, first_class, attr.classes);
  std::vector<TensorRef> decoded{corners};
  if (fast) decoded.push_back(best);
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(detection_shader("detection_decode.comp", fast), std::move(decode),
                                              {.x = count}, {boxes, scores}, decoded));

  const int32_t groups = fast ? 1 : attr.classes;
  const TensorRef entries = list("suppressed boxes", groups * choices(attr));
  const TensorRef& ranked = fast ? best : scores;
  auto nms = StepParams({corners, ranked, entries}).ints(count, choices(attr), fast ? 0 : first_class);
  nms.floats(attr.score_threshold, attr.iou_threshold);
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(detection_shader("detection_nms.comp", false), std::move(nms),
                                              {.x = 1, .z = groups, .local_x = kSearchInvocations}, {corners, ranked},
                                              {entries}));
  TensorRef chosen = entries;
  if (!fast) {
    chosen = list("chosen boxes", attr.max_detections);
    StepParams merge({entries, chosen});
    // Entries beyond the detections are written too.
    const Grid grid{std::max(entries.shape.w, attr.max_detections)};
    SIGHTGLASS_RETURN_IF_ERROR(
        emitter.add_step(detection_shader("detection_merge.comp", false), std::move(merge), grid, {entries}, {chosen}));
  }
  StepParams store({corners, scores, chosen});
  for (const TensorRef& output : outputs) store.tensor(output);
  store.ints(attr.max_classes, std::min(attr.max_classes, attr.classes), first_class, attr.classes);
  const int32_t slices = outputs[detection::kOutClasses].shape.slices();
  return emitter.add_step(detection_shader("detection_store.comp", fast), std::move(store), {.x = slices},
                          {corners, scores, chosen}, outputs);
}

}  // namespace

std::vector<Kernel> detection_kernels(OpType) {
  return {{"detection", supports_detection, emit_detection, detection_variants,
           "constant anchors; at most " + std::to_string(kMostBoxes) + " boxes"}};
}

// PosenetDecoderOp: root keypoints, poses, their order, and the assignment of cells to poses. All data stay on the GPU.

namespace {

constexpr int32_t kMostPoses = 256;
// One bit per root in shared memory, whose guaranteed minimum is 16 KiB.
constexpr int32_t kWords = 3072, kMostRoots = 32 * kWords;

ShaderKey posenet_shader(const char* name) {
  ShaderKey key{name, {}};
  if (name == std::string_view("posenet_select.comp")) key.defines.push_back({"WORDS", std::to_string(kWords)});
  if (name == std::string_view("posenet_store.comp")) key.defines.push_back({"MOST_POSES", std::to_string(kMostPoses)});
  return key;
}

// Maps and results use the storage of the plan; roots and poses use 32 bits.
std::vector<ShaderKey> posenet_variants() {
  std::vector<ShaderKey> keys;
  for (const bool half : {false, true}) {
    const auto add = [&](const char* name, const std::vector<ShaderDefine>& defines) {
      keys.push_back(posenet_shader(name));
      if (half) keys.back().defines.insert(keys.back().defines.end(), defines.begin(), defines.end());
    };
    add("posenet_roots.comp", {{"B_F16", "1"}});
    add("posenet_select.comp", {{"B_F16", "1"}});
    add("posenet_store.comp", {{"OUT_F16", "1"}});
    add("posenet_masks.comp", {{"B_F16", "1"}, {"OUT_F16", "1"}});
  }
  return keys;
}

Status supports_posenet(const PlanContext& context, const Node& node) {
  const auto& attr = std::get<PosenetDecoderAttr>(node.attributes);
  const Shape& scores = context.graph.value(node.inputs[posenet::kScores]).shape;
  if (attr.max_detections > kMostPoses) {
    return unsupported(std::to_string(attr.max_detections) + " poses; at most " + std::to_string(kMostPoses) +
                       " are supported");
  }
  if (scores.elements() > kMostRoots) {
    return unsupported("maps of " + scores.to_string() + "; at most " +
                       std::to_string(kMostRoots / posenet::kKeypoints) + " cells are supported");
  }
  // Leaving a loop counts as one more iteration.
  const int64_t poses = attr.max_detections, words = (scores.elements() / 32 + kSearchInvocations) / kSearchInvocations;
  constexpr int64_t kGrow = 17 + 32 * 7 + 18 + 1;
  const int64_t select = words * 34 + poses * (words * 34 + kSearchInvocations + kGrow + 18 + 4);
  const int64_t store = (poses + 63) / 64 * (17 * (poses + 2) + poses + 50) + poses + 50;
  const int64_t masks = 4 * (17 * 5 + poses * 19 + 4) + poses + 2;
  const int64_t most = std::max({select, store, masks}), limit = context.limits.max_loop_iterations;
  if (limit > 0 && most > limit) {
    return unsupported(std::to_string(poses) + " poses in maps of " + scores.to_string() +
                       "; this device ends loops after " + std::to_string(limit));
  }
  return {};
}

Status emit_posenet(Emitter& emitter, const Node& node) {
  const auto& attr = std::get<PosenetDecoderAttr>(node.attributes);
  std::vector<TensorRef> maps, outputs;
  for (const ValueId input : node.inputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(input));
    maps.push_back(ref);
  }
  for (const ValueId output : node.outputs) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef ref, emitter.tensor(output));
    outputs.push_back(ref);
  }
  const TensorRef &scores = maps[posenet::kScores], &shorts = maps[posenet::kShortOffsets],
                  &mids = maps[posenet::kMidOffsets];
  const int32_t poses_count = attr.max_detections, root_count = scores.shape.h * scores.shape.w * posenet::kKeypoints;
  const auto list = [&](const char* name, int32_t rows, int32_t columns, Storage storage) {
    return emitter.temporary(name + (" " + node.origin), {1, rows, columns, 4}, storage);
  };
  const TensorRef roots = list("roots", 1, root_count, Storage::kFloat32);
  const TensorRef poses = list("poses", poses_count, posenet::kKeypoints + 1, Storage::kFloat32);
  const TensorRef order = list("order", 1, poses_count, emitter.storage_of(outputs[0]));
  const float radius = attr.nms_radius / static_cast<float>(attr.stride);
  const auto with_limits = [&](StepParams params) {
    params.floats(posenet::lowest_root(attr.score_threshold), attr.score_threshold, radius * radius,
                  1 / static_cast<float>(attr.stride));
    return params;
  };
  const auto of_maps = [&] { return StepParams().tensor(scores).tensor(shorts).tensor(mids); };

  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(posenet_shader("posenet_roots.comp"),
                                              with_limits(of_maps().tensor(roots)), {.x = root_count},
                                              {scores, shorts, mids}, {roots}));
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step(posenet_shader("posenet_select.comp"), with_limits(of_maps().tensor(roots).tensor(poses)),
                       {.x = 1, .local_x = kSearchInvocations}, {roots, scores, shorts, mids}, {poses}));
  StepParams store({poses, order});
  for (size_t i = posenet::kOutKeypoints; i <= posenet::kOutCount; ++i) store.tensor(outputs[i]);
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step(posenet_shader("posenet_store.comp"), with_limits(store), {.x = 1}, {poses},
                       {outputs[posenet::kOutKeypoints], order, outputs[posenet::kOutKeypointScores],
                        outputs[posenet::kOutPoseScores], outputs[posenet::kOutCount]}));
  if (maps.size() <= posenet::kLongOffsets) return {};
  const TensorRef &longs = maps[posenet::kLongOffsets], &masks = outputs[posenet::kOutMasks];
  StepParams params = of_maps();
  params.tensor(longs).tensor(poses).tensor(order).tensor(masks);
  return emitter.add_step(posenet_shader("posenet_masks.comp"), with_limits(std::move(params)),
                          {.x = int64_t{masks.shape.w} * masks.shape.slices()}, {poses, longs, order}, {masks});
}

}  // namespace

std::vector<Kernel> posenet_decoder_kernels(OpType) {
  return {{"posenet-decoder", supports_posenet, emit_posenet, posenet_variants,
           "at most " + std::to_string(kMostPoses) + " poses and " + std::to_string(kMostRoots / posenet::kKeypoints) +
               " cells"}};
}

// Landmarks2TransformMatrix, TransformLandmarks, TransformTensorBilinear. A landmark is stored as a pixel, and a matrix
// as four pixels, one per row.

namespace {

constexpr Bhwc kMatrix{1, 1, 4, 4};

Bhwc landmarks(const Shape& shape, int32_t dimensions) {
  return {1, 1, static_cast<int32_t>(shape.elements() / dimensions), dimensions};
}

Result<TensorRef> read_as(Emitter& emitter, ValueId value, const Bhwc& shape) {
  SIGHTGLASS_ASSIGN_OR_RETURN(TensorRef ref, emitter.tensor(value));
  if (!same_layout(ref.shape, shape)) {
    const TensorRef other = emitter.temporary("rows of " + emitter.graph().value(value).name, shape, ref);
    SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, ref, other));
    return other;
  }
  ref.shape = shape;
  return ref;
}

// The tensor into which a step may write `out` as `shape`; finish_output() does the rest.
TensorRef begin_output(Emitter& emitter, const std::string& name, const TensorRef& out, const Bhwc& shape) {
  if (!same_layout(out.shape, shape)) return emitter.temporary("rows of " + name, shape, out);
  return {out.tensor, shape, out.scale};
}

Status finish_output(Emitter& emitter, const TensorRef& made, const TensorRef& out) {
  return made.tensor == out.tensor ? Status() : emit_reshape(emitter, made, out);
}

// A single invocation reads all landmarks.
constexpr size_t kMostLandmarks = 4096;

Status supports_matrix(const PlanContext& context, const Node& node) {
  const size_t count = std::get<LandmarksToMatrixAttr>(node.attributes).subset.size();
  if (count > kMostLandmarks) {
    return unsupported("a crop around " + std::to_string(count) + " landmarks; at most " +
                       std::to_string(kMostLandmarks) + " are supported");
  }
  return supports_without_activation(context, node);
}

Status emit_matrix(Emitter& emitter, const Node& node) {
  const auto& attr = std::get<LandmarksToMatrixAttr>(node.attributes);
  const Value& made = emitter.graph().value(node.outputs[0]);
  SIGHTGLASS_ASSIGN_OR_RETURN(
      const TensorRef in, read_as(emitter, node.inputs[0], landmarks(emitter.graph().value(node.inputs[0]).shape, 3)));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const TensorRef matrix = begin_output(emitter, made.name, out, kMatrix);
  std::vector<float> subset(attr.subset.begin(), attr.subset.end());
  subset.resize((subset.size() + 3) / 4 * 4, subset.back());
  StepParams params({in, matrix});
  params.ints(attr.left, attr.right, emitter.add_constants(subset), static_cast<int32_t>(subset.size() / 4));
  params.floats(attr.target_rotation, attr.directed ? 1 : 0);
  params.floats(attr.scale_x, attr.scale_y, attr.columns, attr.rows);
  params.floats(attr.pixels_x, attr.pixels_y);
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step({"landmarks_to_matrix.comp", {}}, std::move(params), {1, 1}, {in}, {matrix}));
  return finish_output(emitter, matrix, out);
}

Status emit_landmarks(Emitter& emitter, const Node& node) {
  const auto& attr = std::get<TransformLandmarksAttr>(node.attributes);
  const Value& made = emitter.graph().value(node.outputs[0]);
  const Bhwc shape = landmarks(made.shape, attr.dimensions);
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, read_as(emitter, node.inputs[0], shape));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef matrix, read_as(emitter, node.inputs[1], kMatrix));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  const TensorRef moved = begin_output(emitter, made.name, out, shape);
  auto params = StepParams({in, matrix, moved}).floats(attr.scale);
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step({"transform_landmarks.comp", {}}, std::move(params), {shape.w, 1}, {in, matrix}, {moved}));
  return finish_output(emitter, moved, out);
}

Status emit_image(Emitter& emitter, const Node& node) {
  const auto& attr = std::get<TransformImageAttr>(node.attributes);
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef matrix, read_as(emitter, node.inputs[1], kMatrix));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  auto params = StepParams({in, matrix, out}).floats(attr.half_pixel_centers ? 0.5f : 0);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, out.shape.slices()};
  return emitter.add_step({"transform_image.comp", {}}, std::move(params), grid, {in, matrix}, {out});
}

std::vector<ShaderKey> with_reshape(std::vector<ShaderKey> keys) {
  for (ShaderKey& key : reshape_variants()) keys.push_back(std::move(key));
  return keys;
}

std::vector<ShaderKey> matrix_variants() {
  return with_reshape(storage_variants({{"landmarks_to_matrix.comp", {}}}, "AO"));
}
std::vector<ShaderKey> landmarks_variants() {
  return with_reshape(storage_variants({{"transform_landmarks.comp", {}}}, "ABO"));
}
std::vector<ShaderKey> image_variants() {
  return with_reshape(storage_variants({{"transform_image.comp", {}}}, "ABO"));
}

}  // namespace

std::vector<Kernel> landmarks_to_matrix_kernels(OpType) {
  return {{"landmarks-to-matrix", supports_matrix, emit_matrix, matrix_variants}};
}
std::vector<Kernel> transform_landmarks_kernels(OpType) {
  return {{"transform-landmarks", supports_without_activation, emit_landmarks, landmarks_variants}};
}
std::vector<Kernel> transform_image_kernels(OpType) {
  return {{"transform-image", supports_without_activation, emit_image, image_variants}};
}

}  // namespace sightglass
