// Landmarks2TransformMatrix, TransformLandmarks, TransformTensorBilinear. A landmark is stored as a pixel, and a matrix
// as four pixels, one per row.
#include "kernel/storage_variants.h"
#include "ops/layout.h"
#include "ops/ops.h"

namespace sightglass {

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

Status supports_transform(const PlanContext&, const Node& node) {
  return node.activation == Activation::kNone ? Status() : unsupported("a fused activation");
}

// A single invocation reads all landmarks.
constexpr size_t kMostLandmarks = 4096;

Status supports_matrix(const PlanContext& context, const Node& node) {
  const size_t count = std::get<LandmarksToMatrixAttr>(node.attributes).subset.size();
  if (count > kMostLandmarks) {
    return unsupported("a crop around " + std::to_string(count) + " landmarks; at most " +
                       std::to_string(kMostLandmarks) + " are supported");
  }
  return supports_transform(context, node);
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
  StepParams params;
  params.tensor(in).tensor(matrix);
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
  StepParams params;
  params.tensor(in).tensor(matrix).tensor(moved).floats(attr.scale);
  SIGHTGLASS_RETURN_IF_ERROR(
      emitter.add_step({"transform_landmarks.comp", {}}, std::move(params), {shape.w, 1}, {in, matrix}, {moved}));
  return finish_output(emitter, moved, out);
}

Status emit_image(Emitter& emitter, const Node& node) {
  const auto& attr = std::get<TransformImageAttr>(node.attributes);
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, emitter.tensor(node.inputs[0]));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef matrix, read_as(emitter, node.inputs[1], kMatrix));
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef out, emitter.tensor(node.outputs[0]));
  StepParams params;
  params.tensor(in).tensor(matrix).tensor(out).floats(attr.half_pixel_centers ? 0.5f : 0);
  const Grid grid{int64_t{out.shape.h} * out.shape.w, out.shape.slices()};
  return emitter.add_step({"transform_image.comp", {}}, std::move(params), grid, {in, matrix}, {out});
}

std::vector<ShaderKey> with_reshape(std::vector<ShaderKey> keys) {
  for (ShaderKey& key : reshape_kernel().variants()) keys.push_back(std::move(key));
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

std::vector<Kernel> transform_kernels() {
  return {{"landmarks-to-matrix", OpType::kLandmarksToMatrix, supports_matrix, emit_matrix, matrix_variants},
          {"transform-landmarks", OpType::kTransformLandmarks, supports_transform, emit_landmarks, landmarks_variants},
          {"transform-image", OpType::kTransformImage, supports_transform, emit_image, image_variants}};
}

}  // namespace sightglass
