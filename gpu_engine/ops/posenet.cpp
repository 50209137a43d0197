// PosenetDecoderOp: root keypoints, poses, their order, and the assignment of cells to poses. All data stay on the GPU.
#include "graph/posenet.h"

#include <algorithm>

#include "ops/ops.h"

namespace sightglass {

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
  StepParams store;
  store.tensor(poses).tensor(order);
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

Kernel posenet_decoder_kernel() {
  return {"posenet-decoder",
          OpType::kPosenetDecoder,
          supports_posenet,
          emit_posenet,
          posenet_variants,
          "at most " + std::to_string(kMostPoses) + " poses and " + std::to_string(kMostRoots / posenet::kKeypoints) +
              " cells"};
}

}  // namespace sightglass
