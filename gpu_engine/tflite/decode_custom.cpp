// Custom operators, by name.
#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "graph/posenet.h"
#include "tflite/operator_table.h"
#include "tflite/operator_view.h"

namespace sightglass::tflite {

// Options of custom operators as a flexbuffer map, verified.
class FlexOptions {
 public:
  // Fails if the bytes are not a flexbuffer with a map.
  static Result<FlexOptions> open(const OperatorView& view);

  // Fail if the option is missing (and there is no `otherwise`), has another type, or is out of range.
  Result<int32_t> integer(const char* key, std::optional<int32_t> otherwise = std::nullopt) const;
  Result<float> number(const char* key, std::optional<float> otherwise = std::nullopt) const;
  Result<bool> boolean(const char* key, std::optional<bool> otherwise = std::nullopt) const;
  Result<std::string> text(const char* key, const std::string& otherwise) const;
  // Returns at most `most` values.
  Result<std::vector<int32_t>> integers(const char* key, size_t most) const;

 private:
  explicit FlexOptions(const flatbuffers::Vector<uint8_t>* bytes) : bytes_(bytes) {}
  const flatbuffers::Vector<uint8_t>* bytes_;
};

namespace {

flexbuffers::Reference find(const flatbuffers::Vector<uint8_t>& bytes, const char* key) {
  return flexbuffers::GetRoot(bytes.data(), bytes.size()).AsMap()[key];
}

std::string named(const char* key) { return std::string("its option '") + key + "'"; }

Result<int32_t> narrow(int64_t number, const char* key) {
  if (number >= INT32_MIN && number <= INT32_MAX) return static_cast<int32_t>(number);
  return invalid_model(named(key) + " is " + std::to_string(number));
}

template <typename List>
Result<std::vector<int32_t>> read_list(const List& list, const char* key, size_t most) {
  if (list.size() > most) return invalid_model(named(key) + " has " + std::to_string(list.size()) + " numbers");
  std::vector<int32_t> numbers;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].IsIntOrUint()) return invalid_model(named(key) + " contains a value that is not an integer");
    SIGHTGLASS_ASSIGN_OR_RETURN(const int32_t number, narrow(list[i].AsInt64(), key));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Result<FlexOptions> FlexOptions::open(const OperatorView& view) {
  const auto* bytes = view.custom_options();
  if (bytes == nullptr || bytes->size() == 0) return invalid_model("it has no options");
  std::vector<uint8_t> seen;
  if (!flexbuffers::VerifyBuffer(bytes->data(), bytes->size(), &seen)) {
    return invalid_model("its options are damaged: not a flexbuffer");
  }
  if (!flexbuffers::GetRoot(bytes->data(), bytes->size()).IsMap()) return invalid_model("its options are not a map");
  return FlexOptions(bytes);
}

Result<int32_t> FlexOptions::integer(const char* key, std::optional<int32_t> otherwise) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsNull() && otherwise) return *otherwise;
  if (!found.IsIntOrUint()) return invalid_model(named(key) + " is missing, or no integer");
  return narrow(found.AsInt64(), key);
}

Result<float> FlexOptions::number(const char* key, std::optional<float> otherwise) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsNull() && otherwise) return *otherwise;
  if (!found.IsNumeric()) return invalid_model(named(key) + " is missing, or not a number");
  const auto number = static_cast<float>(found.AsDouble());
  if (!std::isfinite(number)) return invalid_model(named(key) + " is not finite");
  return number;
}

Result<bool> FlexOptions::boolean(const char* key, std::optional<bool> otherwise) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsNull() && otherwise) return *otherwise;
  if (!found.IsBool() && !found.IsIntOrUint()) return invalid_model(named(key) + " is missing, or not a boolean");
  return found.AsBool();
}

Result<std::string> FlexOptions::text(const char* key, const std::string& otherwise) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsNull()) return otherwise;
  if (!found.IsString()) return invalid_model(named(key) + " is not text");
  return found.AsString().str();
}

Result<std::vector<int32_t>> FlexOptions::integers(const char* key, size_t most) const {
  const flexbuffers::Reference found = find(*bytes_, key);
  if (found.IsFixedTypedVector()) return read_list(found.AsFixedTypedVector(), key, most);
  if (found.IsTypedVector()) return read_list(found.AsTypedVector(), key, most);
  if (found.IsUntypedVector()) return read_list(found.AsVector(), key, most);
  return invalid_model(named(key) + " is missing, or no list");
}

namespace {

struct Extent {
  int64_t output = 0, before = 0, after = 0;  // size along one axis, and the padding removed from its ends
};

// SAME removes from the full size the padding of the reversed convolution, so the output for an odd input is not always
// stride times as large.
Extent transposed(int64_t input, int64_t kernel, int64_t stride, bool same) {
  const int64_t padding = same ? std::max<int64_t>(0, kernel - (input - 1) % stride - 1) : 0;
  return {stride * (input - 1) + kernel - padding, padding / 2, padding - padding / 2};
}

// The first numbers in the options of an operator.
template <size_t kCount>
Status read_options(const OperatorView& view, std::array<int32_t, kCount>& options) {
  const auto* bytes = view.custom_options();
  const size_t length = bytes == nullptr ? 0 : bytes->size();
  if (length < sizeof(options)) {
    return invalid_model("its options are " + std::to_string(length) + " bytes long instead of " +
                         std::to_string(sizeof(options)));
  }
  static_assert(std::endian::native == std::endian::little, "numbers in the file are read in native byte order");
  std::memcpy(options.data(), bytes->data(), sizeof(options));
  return {};
}

// MediaPipe pools that return the positions of their maxima, and the unpooling. Their options are the TensorFlow Lite
// pool parameters as in memory: little-endian int32, of which those after the activation are meaningless in a file.
Status decode_pool_parameters(const OperatorView& view, Pool2dAttr& attr, Activation& activation) {
  constexpr int32_t kSame = 1, kValid = 2;
  std::array<int32_t, 6> options{};
  SIGHTGLASS_RETURN_IF_ERROR(read_options(view, options));
  const auto [padding, stride_w, stride_h, filter_w, filter_h, activation_code] = options;
  if (padding != kSame && padding != kValid) {
    return invalid_model("its padding scheme " + std::to_string(padding) + " does not exist");
  }
  if (activation_code < 0 || activation_code > INT8_MAX) {
    return invalid_model("its activation " + std::to_string(activation_code) + " does not exist");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(activation,
                              decode_activation(static_cast<schema::ActivationFunctionType>(activation_code)));
  attr.padding.mode = padding == kSame ? PaddingMode::kSame : PaddingMode::kValid;
  attr.stride_h = stride_h;
  attr.stride_w = stride_w;
  attr.filter_h = filter_h;
  attr.filter_w = filter_w;
  return {};
}

}  // namespace

// MediaPipe transposed convolution with a bias. Its options are three little-endian int32: padding (1 is SAME, 2 is
// VALID), stride along the width, stride along the height. Inputs are data, weights [O,kh,kw,I], bias.
Status decode_convolution_2d_transpose_bias(const OperatorView& view, DecodedOp& node) {
  constexpr int32_t kSame = 1, kValid = 2;
  std::array<int32_t, 3> options{};
  SIGHTGLASS_RETURN_IF_ERROR(read_options(view, options));
  const auto [padding, stride_w, stride_h] = options;
  if (padding != kSame && padding != kValid) {
    return invalid_model("its padding scheme " + std::to_string(padding) + " does not exist");
  }
  if (stride_w < 1 || stride_h < 1) {
    return invalid_model("its strides are " + std::to_string(stride_h) + " x " + std::to_string(stride_w));
  }
  if (view.shape(0).rank() != 4 || view.shape(1).rank() != 4) {
    return invalid_model("its data " + view.shape(0).to_string() + " and weights " + view.shape(1).to_string() +
                         " need 4 dimensions");
  }
  TransposeConvAttr attr;
  attr.stride_h = stride_h;
  attr.stride_w = stride_w;
  const bool same = padding == kSame;
  const Extent rows = transposed(view.shape(0).dim(1), view.shape(1).dim(1), stride_h, same);
  const Extent columns = transposed(view.shape(0).dim(2), view.shape(1).dim(2), stride_w, same);
  for (const Extent& extent : {rows, columns}) {
    if (extent.output < 1 || extent.output > INT32_MAX) {
      return invalid_model("its output would be " + std::to_string(extent.output) + " wide or high");
    }
  }
  attr.out_h = static_cast<int32_t>(rows.output);
  attr.out_w = static_cast<int32_t>(columns.output);
  attr.padding = {PaddingMode::kExplicit, static_cast<int32_t>(rows.before), static_cast<int32_t>(rows.after),
                  static_cast<int32_t>(columns.before), static_cast<int32_t>(columns.after)};
  node.attributes = attr;
  return {};
}

Status decode_max_pool_with_argmax(const OperatorView& view, DecodedOp& node) {
  Pool2dAttr attr;
  SIGHTGLASS_RETURN_IF_ERROR(decode_pool_parameters(view, attr, node.activation));
  node.attributes = attr;
  node.outputs = {0, 1};
  return {};
}

// Ignores the padding scheme and the activation, as the MediaPipe kernel does.
Status decode_max_unpool(const OperatorView& view, DecodedOp& node) {
  Pool2dAttr attr;
  Activation ignored = Activation::kNone;
  SIGHTGLASS_RETURN_IF_ERROR(decode_pool_parameters(view, attr, ignored));
  node.attributes = attr;
  return {};
}

// From TensorFlow Lite, at the end of single-shot detectors.
Status decode_detection_postprocess(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const FlexOptions options, FlexOptions::open(view));
  DetectionAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.max_detections, options.integer("max_detections"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.max_classes, options.integer("max_classes_per_detection"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.per_class, options.integer("detections_per_class", attr.per_class));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.regular, options.boolean("use_regular_nms", false));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.score_threshold, options.number("nms_score_threshold"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.iou_threshold, options.number("nms_iou_threshold"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.classes, options.integer("num_classes"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.y_scale, options.number("y_scale"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.x_scale, options.number("x_scale"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.h_scale, options.number("h_scale"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.w_scale, options.number("w_scale"));
  if (view.output_count() != detection::kOutputs) {
    return invalid_model("it has " + std::to_string(view.output_count()) + " outputs, not 4");
  }
  node.attributes = attr;
  node.outputs = {detection::kOutBoxes, detection::kOutClasses, detection::kOutScores, detection::kOutNumber};
  return {};
}

// From Coral, at the end of PoseNet and BodyPix. With long offsets it also outputs masks of people.
Status decode_posenet_decoder(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const FlexOptions options, FlexOptions::open(view));
  PosenetDecoderAttr attr;
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.max_detections, options.integer("max_detections"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.score_threshold, options.number("score_threshold"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.stride, options.integer("stride"));
  SIGHTGLASS_ASSIGN_OR_RETURN(attr.nms_radius, options.number("nms_radius"));
  const bool masks = view.has(posenet::kLongOffsets);
  const size_t outputs = masks ? posenet::kOutMasks + 1 : posenet::kOutMasks;
  if (view.output_count() != outputs) {
    return invalid_model("it has " + std::to_string(view.input_count()) + " inputs and " +
                         std::to_string(view.output_count()) + " outputs, not 3 and 4 or 4 and 5");
  }
  node.attributes = attr;
  node.outputs.clear();
  for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(i);
  return {};
}

// MediaPipe operators on landmarks, in both versions. The first measures positions between pixel centers, the second
// from pixel corners, and their options differ.

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
