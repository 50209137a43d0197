// How a single-shot detector's outputs are to be read (gst_plugin/detect/ssd_decoder.h).
#include "gl/compute.h"

layout(std140, binding = kParamsBinding) uniform Ssd {
  ivec4 u_boxes;     // how many, numbers to a box, points to a box, numbers to a point
  ivec4 u_classes;   // scores to a box, how many of the first are background, whether scores are logits, most results
  ivec4 u_layout;    // first number of a point, sizes are exponents, y comes before x, suppression is weighted
  vec4 u_scales;     // that numbers are divided by: x, y, width, height
  vec4 u_limits;     // least score, intersection over union, most of a logit, 0
  vec4 u_place[2];   // rows of the map from the model's input to the upright frame
};
