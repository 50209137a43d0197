// What the programs that make and choose regions have in common.
#include "detect/region.glsl"
#include "gl/compute.h"

layout(std140, binding = kParamsBinding) uniform Regions {
  vec4 u_frame;    // width and height of the upright frame in pixels; seconds since the frame before, below 0: none
  vec4 u_score;    // x: of landmarks that a region is tracked by, the least
  ivec4 u_sizes;   // the most regions; width and height of the landmarks' input in pixels
  ivec4 u_points;  // of a detection: from which point to which one its direction is; whether they give its place too
  vec4 u_rule;     // side of the square, by that of the box; shift; that direction in the region, in radians clockwise
                   // from its x axis; distance_of() below which two squares are of the same object
};
