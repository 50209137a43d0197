// Converts detections to regions, unless a person is already tracked there.
#include "detect/detections.glsl"
#include "pose/regions.glsl"

layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer Detections { DETECTIONS; };
layout(std430, binding = 1) readonly buffer Flag { uint detector_ran; };
layout(std430, binding = 2) buffer State { REGIONS; };

const int kHips = 0, kEnd = 1;  // indices of detection points
const float kSame = 0.5;  // minimum intersection over union of a region and that of the same tracked person

bool is_followed(vec4 square) {
  bool found = false;
  for (int i = 0; i < u_sizes.x; ++i) {
    found = found || (regions[i].is_followed != 0 && common_share(square, regions[i].square) > kSame);
  }
  return found;
}

void main() {
  int count = detector_ran != 0u ? min(detections_count, kMaxDetections) : 0;
  int free = 0;
  for (int n = 0; n < count && free < u_sizes.x; ++n) {
    while (free < u_sizes.x && regions[free].is_followed != 0) ++free;
    vec4 square = square_of(detections[n].points[kHips] * u_frame.xy, detections[n].points[kEnd] * u_frame.xy);
    if (free < u_sizes.x && square.z >= 1.0 && !is_followed(square)) {
      regions[free].square = square;
      regions[free].is_new = 1;
      regions[free].is_followed = 1;
    }
  }
}
