// MediaPipe operators on landmarks, in both versions. The first measures positions between pixel centers, the second
// from pixel corners, and their options differ.
#include "tflite/decoders.h"
#include "tflite/flex_options.h"

namespace sightglass::tflite {
namespace {

constexpr size_t kMostLandmarks = 65536;

Status check_version(const OperatorView& view) {
  if (view.version() == 1 || view.version() == 2) return {};
  return unsupported("its version is " + std::to_string(view.version()) + "; 1 and 2 are supported");
}

// Height and width.
Result<std::vector<int32_t>> read_size(const FlexOptions& options, const char* key) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<int32_t> size, options.integers(key, 2));
  if (size.size() != 2) return invalid_model(std::string("its option '") + key + "' is not a height and a width");
  return size;
}

Status need_at_least(int32_t number, int32_t least, const char* key) {
  if (number >= least) return {};
  return invalid_model(std::string("its option '") + key + "' is " + std::to_string(number) + ", less than " +
                       std::to_string(least));
}

Status read_first_version(const FlexOptions& options, LandmarksToMatrixAttr& attr) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int32_t> picture, read_size(options, "input_hw"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int32_t> crop, read_size(options, "output_hw"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const int32_t dimensions, options.integer("dimensions"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const int32_t range, options.integer("landmarks_range"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.scale_x, options.number("bbox_size_multiplier"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.subset, options.integers("subset", kMostLandmarks));
  if (dimensions != 3) return invalid_model("its landmarks have " + std::to_string(dimensions) + " dimensions, not 3");
  SIGHTGLASS_RETURN_IF_ERROR(need_at_least(range, 1, "landmarks_range"));
  // A single row or column has no distance between centers.
  for (const int32_t size : picture) SIGHTGLASS_RETURN_IF_ERROR(need_at_least(size, 2, "input_hw"));
  for (const int32_t size : crop) SIGHTGLASS_RETURN_IF_ERROR(need_at_least(size, 2, "output_hw"));
  if (attr.scale_x == 0) return invalid_model("its option 'bbox_size_multiplier' is 0");
  attr.directed = false;
  attr.scale_y = attr.scale_x;
  attr.rows = static_cast<float>(crop[0] - 1);
  attr.columns = static_cast<float>(crop[1] - 1);
  attr.pixels_y = static_cast<float>(picture[0] - 1) / static_cast<float>(range);
  attr.pixels_x = static_cast<float>(picture[1] - 1) / static_cast<float>(range);
  return {};
}

Status read_second_version(const FlexOptions& options, LandmarksToMatrixAttr& attr) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const int32_t rows, options.integer("output_height"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const int32_t columns, options.integer("output_width"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.target_rotation, options.number("target_rotation_radians"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.scale_x, options.number("scale_x"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.scale_y, options.number("scale_y"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.subset, options.integers("subset_idxs", kMostLandmarks));
  SIGHTGLASS_RETURN_IF_ERROR(need_at_least(rows, 1, "output_height"));
  SIGHTGLASS_RETURN_IF_ERROR(need_at_least(columns, 1, "output_width"));
  if (attr.scale_x <= 0 || attr.scale_y <= 0) {
    return invalid_model("its scales are " + std::to_string(attr.scale_x) + " and " + std::to_string(attr.scale_y));
  }
  attr.rows = static_cast<float>(rows);
  attr.columns = static_cast<float>(columns);
  return {};
}

}  // namespace

Status decode_landmarks_to_matrix(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_RETURN_IF_ERROR(check_version(view));
  SIGHTGLASS_ASSIGN_OR_RETURN(const FlexOptions options, FlexOptions::open(view));
  LandmarksToMatrixAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.left, options.integer("left_rotation_idx"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.right, options.integer("right_rotation_idx"));
  SIGHTGLASS_RETURN_IF_ERROR(view.version() == 1 ? read_first_version(options, attr)
                                                 : read_second_version(options, attr));
  node.attributes = attr;
  return {};
}

// The second version has no options: the last dimension of the tensor gives the dimensions of a landmark.
Status decode_transform_landmarks(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_RETURN_IF_ERROR(check_version(view));
  TransformLandmarksAttr attr;
  if (view.version() == 1) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const FlexOptions options, FlexOptions::open(view));
    SIGHTGLASS_ASSIGN_OR_RETURN(attr.dimensions, options.integer("dimensions", attr.dimensions));
    SIGHTGLASS_ASSIGN_OR_RETURN(attr.scale, options.number("scale", attr.scale));
    if (attr.scale == 0) return invalid_model("its option 'scale' is 0");
  } else {
    if (view.shape(0).rank() < 1) return invalid_model("its landmarks have no dimensions");
    attr.dimensions = view.shape(0).dim(view.shape(0).rank() - 1);
  }
  node.attributes = attr;
  return {};
}

Status decode_transform_image(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_RETURN_IF_ERROR(check_version(view));
  SIGHTGLASS_ASSIGN_OR_RETURN(const FlexOptions options, FlexOptions::open(view));
  TransformImageAttr attr;
  if (view.version() == 1) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::string mode, options.text("mode", "bilinear"));
    if (mode != "bilinear") return unsupported("its mode is not bilinear");
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<int32_t> size, read_size(options, "output_size"));
    attr.out_h = size[0];
    attr.out_w = size[1];
  } else {
    SIGHTGLASS_ASSIGN_OR_RETURN(attr.out_h, options.integer("output_height"));
    SIGHTGLASS_ASSIGN_OR_RETURN(attr.out_w, options.integer("output_width"));
    attr.half_pixel_centers = true;
  }
  node.attributes = attr;
  return {};
}

}  // namespace sightglass::tflite
