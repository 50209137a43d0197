#include "pose/pose_model.h"

#include <algorithm>
#include <span>
#include <utility>

#include "detect/yolo_decoder.h"
#include "element/model_picture.h"
#include "gobject/log.h"
#include "meta/persons.h"

#define GST_CAT_DEFAULT sightglass::pose_log()

namespace sightglass {

namespace {

using Role = PoseModel::Role;

constexpr int32_t kCocoPoints = 17, kCocoEdges = kCocoPoints - 1;
constexpr int32_t kBlazePosePoints = 39, kBlazePoseNumbers = 5 * kBlazePosePoints;

bool has_shape(const TensorInfo& tensor, std::initializer_list<int32_t> dims) {
  return std::ranges::equal(tensor.shape.dims(), std::span(dims.begin(), dims.size()));
}

// One row of values of any rank: 1x195, 195, 1x1x1x195.
bool is_row(const TensorInfo& tensor, int32_t numbers) {
  const auto dims = tensor.shape.dims();
  return !dims.empty() && dims.back() == numbers && tensor.shape.elements() == numbers;
}

template <typename Test>
size_t find_output(const Model& model, Test test) {
  const auto& outputs = model.outputs();
  const auto found = std::ranges::find_if(outputs, test);
  return found == outputs.end() ? PoseModel::kNone : static_cast<size_t>(found - outputs.begin());
}

bool describe_movenet(PoseModel& pose, const PoseModelOptions& /*options*/) {
  const Model& model = *pose.model;
  size_t points = find_output(model, [](const TensorInfo& t) {
    return has_shape(t, {1, 1, kCocoPoints, 3}) || has_shape(t, {1, kCocoPoints, 3});
  });
  pose.kind = PoseKind::kMoveNet;
  if (points == PoseModel::kNone) {
    points = find_output(model, [](const TensorInfo& t) {
      return t.shape.rank() == 3 && t.shape.dim(0) == 1 && t.shape.dim(2) == 3 * kCocoPoints + 5;
    });
    pose.kind = PoseKind::kMoveNetMulti;
    if (points == PoseModel::kNone) return false;
    pose.rows = model.outputs()[points].shape.dim(1);
  }
  pose.outputs[Role::kPoints] = points;
  pose.skeleton = &coco_skeleton();
  return true;
}

// PosenetDecoderOp: 1 x people x 17 x 2 with y and x in pixels, 1 x people x 17, 1 x people.
bool describe_poses(PoseModel& pose, const PoseModelOptions& /*options*/) {
  const Model& model = *pose.model;
  constexpr int32_t kMostRows = 64;  // the lanes of a work group
  const size_t points = find_output(model, [](const TensorInfo& t) {
    return t.shape.rank() == 4 && has_shape(t, {1, t.shape.dim(1), kCocoPoints, 2}) && t.shape.dim(1) <= kMostRows;
  });
  if (points == PoseModel::kNone) return false;
  const int32_t people = model.outputs()[points].shape.dim(1);
  const size_t scores = find_output(model, [=](const TensorInfo& t) { return has_shape(t, {1, people, kCocoPoints}); });
  const size_t score = find_output(model, [=](const TensorInfo& t) { return has_shape(t, {1, people}); });
  if (scores == PoseModel::kNone || score == PoseModel::kNone) return false;
  pose.kind = PoseKind::kPoses;
  pose.rows = people;
  pose.outputs[Role::kPoints] = points;
  pose.outputs[Role::kPointScores] = scores;
  pose.outputs[Role::kScore] = score;
  pose.skeleton = &coco_skeleton();
  return true;
}

// Before MoveNet: rows of 56 values may be those of its people, too, but there are as many as cells.
bool describe_yolo(PoseModel& pose, const PoseModelOptions& /*options*/) {
  for (const YoloHead head : {YoloHead::kPlain, YoloHead::kObjectness, YoloHead::kRanked}) {
    YoloSearch search = find_yolo(*pose.model, head);
    if (!search.found) {
      GST_DEBUG_OBJECT(log_object(), "%s: declining YOLO: %s", pose.model->name().c_str(), search.reason.c_str());
      continue;
    }
    const int32_t points = search.found->points;
    if (points < 1 || points > kMaxKeyPoints || search.found->values_of_point < 2) continue;
    pose.kind = PoseKind::kYolo;
    pose.outputs[Role::kPoints] = search.found->output;
    pose.skeleton = points == kCocoPoints ? &coco_skeleton() : &nameless_skeleton(points);
    pose.yolo = std::move(search.found);
    return true;
  }
  return false;
}

// Two outputs with the proportions of the input. Those of a square input have names, or are in this order.
bool describe_simcc(PoseModel& pose, const PoseModelOptions& /*options*/) {
  const Model& model = *pose.model;
  const auto& outputs = model.outputs();
  constexpr int32_t kFewest = 5;
  if (outputs.size() != 2 || model.inputs()[0].shape.rank() != 4) return false;
  const int32_t height = model.inputs()[0].shape.dim(1), width = model.inputs()[0].shape.dim(2);
  for (const size_t x : {size_t{0}, size_t{1}}) {
    const Shape &columns = outputs[x].shape, &rows = outputs[1 - x].shape;
    if (columns.rank() != 3 || rows.rank() != 3 || columns.dim(0) != 1 || rows.dim(0) != 1) return false;
    const int32_t points = columns.dim(1);
    if (points != rows.dim(1) || points < kFewest || points > kMaxKeyPoints) return false;
    if (columns.dim(2) < width || int64_t{columns.dim(2)} * height != int64_t{rows.dim(2)} * width) continue;
    if (outputs[x].name.find("simcc_y") != std::string::npos) continue;
    pose.kind = PoseKind::kSimCc;
    pose.columns = columns.dim(2);
    pose.rows = rows.dim(2);
    pose.outputs[Role::kPoints] = x;
    pose.outputs[Role::kRowScores] = 1 - x;
    pose.skeleton = points == kCocoPoints ? &coco_skeleton() : &nameless_skeleton(points);
    return true;
  }
  return false;
}

bool describe_blazepose(PoseModel& pose, const PoseModelOptions& options) {
  const Model& model = *pose.model;
  const auto row = [&](int32_t numbers) {
    return find_output(model, [=](const TensorInfo& t) { return is_row(t, numbers); });
  };
  const size_t points = row(kBlazePoseNumbers), score = row(1);
  const size_t world = row(3 * kBlazePosePoints);
  if (points == PoseModel::kNone || score == PoseModel::kNone || world == PoseModel::kNone) return false;
  pose.kind = PoseKind::kBlazePose;
  pose.skeleton = &blazepose_skeleton();
  pose.outputs[Role::kPoints] = points;
  pose.outputs[Role::kScore] = score;
  pose.outputs[Role::kWorld] = world;
  pose.outputs[Role::kHeat] =
      find_output(model, [](const TensorInfo& t) { return is_picture(t) && t.shape.dim(3) == kBlazePosePoints; });
  if (pose.has(Role::kHeat)) {
    pose.rows = model.outputs()[pose.outputs[Role::kHeat]].shape.dim(1);
    pose.columns = model.outputs()[pose.outputs[Role::kHeat]].shape.dim(2);
  }
  if (options.mask) {
    pose.outputs[Role::kMask] =
        find_output(model, [](const TensorInfo& t) { return is_picture(t) && t.shape.dim(3) == 1; });
  }
  return true;
}

bool describe_detection(PoseModel& pose, const PoseModelOptions& /*options*/) {
  const Model& model = *pose.model;
  constexpr int32_t kBoxNumbers = 12;
  const auto by_anchor = [&](int32_t numbers) {
    return find_output(model, [=](const TensorInfo& t) {
      return t.shape.rank() == 3 && t.shape.dim(0) == 1 && t.shape.dim(1) > 1 && t.shape.dim(2) == numbers;
    });
  };
  pose.outputs[Role::kBoxes] = by_anchor(kBoxNumbers);
  pose.outputs[Role::kScore] = by_anchor(1);
  if (!pose.has(Role::kBoxes) || !pose.has(Role::kScore)) {
    pose.outputs.fill(PoseModel::kNone);
    return false;
  }
  pose.kind = PoseKind::kBlazePoseDetection;
  pose.rows = model.outputs()[pose.outputs[Role::kBoxes]].shape.dim(1);
  return true;
}

// Finds the scores per cell: the output with 17 channels, otherwise the one with the most channels, from 5 to
// kMaxKeyPoints. With 34 channels of offsets in another output, it is PoseNet.
bool describe_cells(PoseModel& pose, const PoseModelOptions& /*options*/) {
  const Model& model = *pose.model;
  // Once the scores are known, other outputs must have as many cells: shaders read them at the same positions.
  const auto cells = [&](int32_t channels, const char* word = "") {
    return find_output(model, [&](const TensorInfo& t) {
      return is_picture(t) && t.shape.dim(3) == channels && t.name.find(word) != std::string::npos &&
             (pose.rows == 0 || (t.shape.dim(1) == pose.rows && t.shape.dim(2) == pose.columns));
    });
  };
  size_t heat = cells(kCocoPoints);
  constexpr int32_t kFewest = 5;  // fewer channels are probably classes
  for (int32_t channels = kMaxKeyPoints; heat == PoseModel::kNone && channels >= kFewest; --channels) {
    heat = cells(channels);
  }
  if (heat == PoseModel::kNone) return false;
  const Shape& shape = model.outputs()[heat].shape;
  const int32_t points = shape.dim(3);
  pose.kind = PoseKind::kHeatMaps;
  pose.rows = shape.dim(1);
  pose.columns = shape.dim(2);
  pose.outputs[Role::kHeat] = heat;
  pose.skeleton = points == kCocoPoints ? &coco_skeleton() : &nameless_skeleton(points);
  if (points != kCocoPoints || cells(2 * kCocoPoints) == PoseModel::kNone) return true;

  pose.kind = PoseKind::kPoseNet;
  pose.outputs[Role::kOffsets] = cells(2 * kCocoPoints);
  pose.scores_are_logits = !holds_probabilities(model, heat);
  pose.outputs[Role::kForward] = cells(4 * kCocoEdges);  // both directions in one tensor
  if (!pose.has(Role::kForward)) {
    pose.outputs[Role::kForward] = cells(2 * kCocoEdges, "fwd");
    pose.outputs[Role::kBackward] = cells(2 * kCocoEdges, "bwd");
    if (!pose.has(Role::kForward) || !pose.has(Role::kBackward)) return true;
  }
  pose.kind = PoseKind::kPoseNetMulti;
  return true;
}

// Model families, in the order in which they are tried.
struct Family {
  const char* name;
  const char* outputs;  // outputs that its models have
  bool (*describe)(PoseModel& pose, const PoseModelOptions& options);
};
constexpr Family kFamilies[] = {
    {"BlazePose", "1x195, 1x1, and 1x117", describe_blazepose},
    {"SimCC", "scores per column and per row, such as 1x17x384 and 1x17x512", describe_simcc},
    {"YOLO", "boxes with keypoints, such as 1x56x8400", describe_yolo},
    {"MoveNet", "1x1x17x3 or 1x6x56", describe_movenet},
    {"PosenetDecoderOp", "points, their scores, and scores of people, such as 1x20x17x2, 1x20x17, and 1x20",
     describe_poses},
    {"BlazePose detection", "12 values and a score per anchor", describe_detection},
    {"PoseNet or heatmaps", "scores per cell and keypoint", describe_cells},
};

bool describe_outputs(PoseModel& pose, const PoseModelOptions& options) {
  for (const Family& family : kFamilies) {
    if (family.describe(pose, options)) return true;
    GST_DEBUG_OBJECT(log_object(), "%s: declining %s: no outputs of %s", pose.model->name().c_str(), family.name,
                     family.outputs);
  }
  return false;
}

}  // namespace

const char* to_string(PoseKind kind) {
  switch (kind) {
    case PoseKind::kMoveNet:
      return "MoveNet";
    case PoseKind::kMoveNetMulti:
      return "multi-person MoveNet";
    case PoseKind::kPoses:
      return "PoseNet with a decoder";
    case PoseKind::kPoseNet:
      return "single-person PoseNet";
    case PoseKind::kPoseNetMulti:
      return "PoseNet";
    case PoseKind::kHeatMaps:
      return "heatmaps";
    case PoseKind::kSimCc:
      return "SimCC";
    case PoseKind::kYolo:
      return "YOLO";
    case PoseKind::kBlazePose:
      return "BlazePose landmarks";
    case PoseKind::kBlazePoseDetection:
      return "BlazePose detection";
  }
  return "";
}

Result<PoseModel> describe_pose_model(std::shared_ptr<const Model> model, const PoseModelOptions& options) {
  // A model may have several tasks, such as the bundled figure model.
  const bool has_points = std::ranges::any_of(
      model->outputs(), [](const TensorInfo& output) { return output.name.find("key_point") != std::string::npos; });
  if (options.known && options.known->task != Task::kPose && !has_points) {
    return unsupported(model->name() + ": this is " + options.known->title + ", a model for " +
                       to_string(options.known->task) + "; set model to a pose model");
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_no_previous_mask(*model, options.known));
  SIGHTGLASS_ASSIGN_OR_RETURN(InputSpec source, picture_input(*model, options.known, options.normalization));
  PoseModel pose;
  pose.model = std::move(model);
  pose.outputs.fill(PoseModel::kNone);
  if (!describe_outputs(pose, options)) {
    if (has_rotated_boxes(*pose.model)) return unsupported(pose.model->name() + ": " + kRotatedBoxes);
    return unsupported(
        pose.model->name() + ": unknown kind of pose model: its outputs are " + list(pose.model->outputs()) +
        "; use MoveNet (1x1x17x3, 1x6x56), PosenetDecoderOp (1x20x17x2, 1x20x17, 1x20), PoseNet (scores, offsets and "
        "displacements per cell), heatmaps (1 x rows x "
        "columns x points), SimCC (1 x points x columns, 1 x points x rows), YOLO (1 x 56 x boxes) or BlazePose "
        "(1x195, 1x1 and 1x117)");
  }
  const Shape& input = pose.model->inputs()[0].shape;
  pose.height = input.dim(1);
  pose.width = input.dim(2);
  pose.plan_options.inputs = {source};
  OutputSpec unwanted;
  unwanted.target = OutputSpec::Target::kNone;
  pose.plan_options.outputs.assign(pose.model->outputs().size(), unwanted);
  for (size_t role = 0; role < pose.outputs.size(); ++role) {
    if (pose.outputs[role] == PoseModel::kNone) continue;
    OutputSpec& spec = pose.plan_options.outputs[pose.outputs[role]];
    if (role == Role::kMask) {
      spec.target = OutputSpec::Target::kTexture;
      spec.conversion = OutputSpec::Conversion::kProbability;
      spec.format = TextureFormat::kRgba8;
      const ToProbability map = to_probability(pose.model->output_range(pose.outputs[role]), 1);
      spec.scale = map.scale;
      spec.offset = map.offset;
      spec.activation = map.activation;
    } else {
      spec.target = OutputSpec::Target::kBuffer;
    }
  }
  return pose;
}

}  // namespace sightglass
