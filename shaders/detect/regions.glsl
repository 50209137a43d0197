// The parameters of all programs for regions.
#include "detect/region.glsl"
#include "gl/compute.h"

layout(std140, binding = kParamsBinding) uniform Regions {
  vec4 u_frame;    // width and height of the upright frame in pixels; seconds since the previous frame, below 0: none;
                   // 1: limbs have limits
  vec4 u_score;    // minimum score of the landmarks of a tracked region; RegionRule: head_up, head_radius, sure
  ivec4 u_sizes;   // maximum number of regions; width and height of the landmark input in pixels
  ivec4 u_points;  // RegionRule: from, to, around_point; 1: detections are in fractions of `look`, not of the frame
  vec4 u_rule;     // RegionRule: scale, shift, direction, same
};
