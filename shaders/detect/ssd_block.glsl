// The layout of the outputs of a single-shot detector (gst_plugin/detect/ssd_decoder.h).
#include "gl/compute.h"

layout(std140, binding = kParamsBinding) uniform Ssd {
  ivec4 u_boxes;     // count, values per box, points per box, values per point
  ivec4 u_classes;   // scores per box, leading background classes, whether scores are logits, maximum results
  ivec4 u_layout;    // index of the first point value; whether sizes are exponents, y is first, suppression is weighted
  vec4 u_scales;     // divisors of x, y, width, height
  vec4 u_limits;     // minimum score, intersection over union, maximum logit, 0
  vec4 u_place[2];   // rows of the transform from the model input to the upright frame
};
