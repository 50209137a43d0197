// Decodes the MoveNet output of whole frames: for each person y, x and score of its points, in fractions of the model
// input, then its box and score. The output for one person ends after the points, and their mean score counts.
#include "gl/compute.h"
#include "pose/found.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Numbers { float numbers[]; };
layout(std430, binding = 1) writeonly buffer Found { PERSONS; } found;
layout(std140, binding = kParamsBinding) uniform Decoder {
  vec4 u_place[2];  // rows of the transform from the model input to the upright frame; both in fractions
  vec4 u_score;     // x: minimum score of a person
  ivec4 u_layout;   // people, points per person, values per person, maximum number of people
};

float score_of(int person) {
  if (u_layout.z > 3 * u_layout.y) return numbers[(person + 1) * u_layout.z - 1];
  float sum = 0.0;
  for (int n = 0; n < u_layout.y; ++n) sum += numbers[person * u_layout.z + 3 * n + 2];
  return sum / float(u_layout.y);
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  for (int n = lane; n < u_layout.x * u_layout.y; n += 64) {
    int person = n / u_layout.y, point = n % u_layout.y;
    int at = person * u_layout.z + 3 * point;
    found.persons[person].points[point] =
        flat_point(to_upright(u_place, vec2(numbers[at + 1], numbers[at])), numbers[at + 2]);
  }
  if (lane == 0) found.persons_count = u_layout.x;
  if (lane >= u_layout.x) return;
  float score = score_of(lane);
  int better = 0;  // the most likely ones stay, up to the maximum number
  for (int i = 0; i < u_layout.x; ++i) {
    float other = score_of(i);
    better += other > score || (other == score && i < lane) ? 1 : 0;
  }
  found.persons[lane].score = score;
  found.persons[lane].rotation = 0.0;
  found.persons[lane].points_count = score >= u_score.x && better < u_layout.w ? u_layout.y : 0;
}
