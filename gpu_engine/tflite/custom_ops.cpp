// Custom operators, by the name that a file gives them.
#include <array>
#include <bit>
#include <cstring>

#include "tflite/import_options.h"

namespace sightglass::tflite {
namespace {

// MediaPipe's transposed convolution with a bias. Its options are three little-endian int32: padding (1 is SAME),
// stride along the width, stride along the height. Inputs are data, weights [O,kh,kw,I], bias.
Status decode_convolution_2d_transpose_bias(const OperatorView& view, DecodedOp& node) {
  std::array<int32_t, 3> options{};
  const auto* bytes = view.custom_options();
  const size_t length = bytes == nullptr ? 0 : bytes->size();
  if (length < sizeof(options)) {
    return invalid_model("its options are " + std::to_string(length) + " bytes long instead of " +
                         std::to_string(sizeof(options)));
  }
  static_assert(std::endian::native == std::endian::little, "the file's numbers are read as they lie");
  std::memcpy(options.data(), bytes->data(), sizeof(options));
  const auto [padding, stride_w, stride_h] = options;
  if (stride_w < 1 || stride_h < 1) {
    return invalid_model("its strides are " + std::to_string(stride_h) + " x " + std::to_string(stride_w));
  }
  if (view.shape(0).rank() != 4 || view.shape(1).rank() != 4) {
    return invalid_model("its data " + view.shape(0).to_string() + " and weights " + view.shape(1).to_string() +
                         " need 4 dimensions");
  }
  TransposeConvAttr attr;
  attr.padding.mode = padding == 1 ? PaddingMode::kSame : PaddingMode::kValid;
  attr.stride_h = stride_h;
  attr.stride_w = stride_w;
  const auto out_size = [&](int axis, int64_t stride) {
    const int64_t in = view.shape(0).dim(axis);
    return padding == 1 ? in * stride : (in - 1) * stride + view.shape(1).dim(axis);
  };
  const int64_t out_h = out_size(1, stride_h);
  const int64_t out_w = out_size(2, stride_w);
  if (out_h > INT32_MAX || out_w > INT32_MAX) return invalid_model("its output is too large");
  attr.out_h = static_cast<int32_t>(out_h);
  attr.out_w = static_cast<int32_t>(out_w);
  node.attributes = attr;
  return {};
}

constexpr OperatorRule kConvolution2DTransposeBias{OpType::kTransposeConv, 2, 3, true,
                                                   decode_convolution_2d_transpose_bias};

}  // namespace

const OperatorRule* find_custom_rule(std::string_view name) {
  return name == "Convolution2DTransposeBias" ? &kConvolution2DTransposeBias : nullptr;
}

}  // namespace sightglass::tflite
