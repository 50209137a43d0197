// TFLite_Detection_PostProcess: corners, suppression, and the lists of detections. All data stay on the GPU.
#include "graph/detection.h"

#include <algorithm>

#include "graph/quantized.h"
#include "ops/ops.h"

namespace sightglass {

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
  StepParams decode;
  decode.tensor(boxes).tensor(scores).tensor(corners).tensor(best);
  decode.floats(attr.y_scale, attr.x_scale, attr.h_scale, attr.w_scale).ints(anchor_place, first_class, attr.classes);
  std::vector<TensorRef> decoded{corners};
  if (fast) decoded.push_back(best);
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(detection_shader("detection_decode.comp", fast), std::move(decode),
                                              {.x = count}, {boxes, scores}, decoded));

  const int32_t groups = fast ? 1 : attr.classes;
  const TensorRef entries = list("suppressed boxes", groups * choices(attr));
  const TensorRef& ranked = fast ? best : scores;
  StepParams nms;
  nms.tensor(corners).tensor(ranked).tensor(entries).ints(count, choices(attr), fast ? 0 : first_class);
  nms.floats(attr.score_threshold, attr.iou_threshold);
  SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(detection_shader("detection_nms.comp", false), std::move(nms),
                                              {.x = 1, .z = groups, .local_x = kSearchInvocations}, {corners, ranked},
                                              {entries}));
  TensorRef chosen = entries;
  if (!fast) {
    chosen = list("chosen boxes", attr.max_detections);
    StepParams merge;
    merge.tensor(entries).tensor(chosen);
    // Entries beyond the detections are written too.
    const Grid grid{std::max(entries.shape.w, attr.max_detections)};
    SIGHTGLASS_RETURN_IF_ERROR(
        emitter.add_step(detection_shader("detection_merge.comp", false), std::move(merge), grid, {entries}, {chosen}));
  }
  StepParams store;
  store.tensor(corners).tensor(scores).tensor(chosen);
  for (const TensorRef& output : outputs) store.tensor(output);
  store.ints(attr.max_classes, std::min(attr.max_classes, attr.classes), first_class, attr.classes);
  const int32_t slices = outputs[detection::kOutClasses].shape.slices();
  return emitter.add_step(detection_shader("detection_store.comp", fast), std::move(store), {.x = slices},
                          {corners, scores, chosen}, outputs);
}

}  // namespace

Kernel detection_kernel() {
  return {"detection",        OpType::kDetectionPostprocess,
          supports_detection, emit_detection,
          detection_variants, "constant anchors; at most " + std::to_string(kMostBoxes) + " boxes"};
}

}  // namespace sightglass
