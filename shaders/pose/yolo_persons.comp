// Turns the detections of a YOLO pose model into people: reads the keypoints in the rows of their boxes. One work group.
#include "detect/detections.glsl"
#include "gl/compute.h"
#include "pose/found.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Numbers { float numbers[]; };
layout(std430, binding = 1) readonly buffer Detections { DETECTIONS; };
layout(std430, binding = 2) writeonly buffer Found { PERSONS; } found;
layout(std140, binding = kParamsBinding) uniform Decoder {
  vec4 u_place[2];  // rows of the transform from the model input to the upright frame; both in fractions
  vec4 u_size;      // of the model input in pixels; 0, 0
  ivec4 u_steps;    // between the values of two boxes, between two values of a box; the first value of a point; 0
  ivec4 u_points;   // per person, values per point: x, y, and a score if there is a third; 0, 0
};

void main() {
  int lane = int(gl_LocalInvocationIndex);
  int count = min(detections_count, kMaxPersons);
  vec2 unit = detections_in_pixels != 0 ? 1.0 / u_size.xy : vec2(1.0);
  for (int n = lane; n < count * u_points.x; n += int(kGroupInvocations)) {
    int person = int(uint(n) / uint(u_points.x)), point = int(uint(n) % uint(u_points.x));
    int at = detections[person].row * u_steps.x + (u_steps.z + point * u_points.y) * u_steps.y;
    vec2 place = vec2(numbers[at], numbers[at + u_steps.y]) * unit;
    float score = u_points.y > 2 ? numbers[at + 2 * u_steps.y] : detections[person].score;
    found.persons[person].points[point] = flat_point(to_upright(u_place, place), score);
  }
  if (lane == 0) found.persons_count = count;
  if (lane >= count) return;
  found.persons[lane].score = detections[lane].score;
  found.persons[lane].rotation = 0.0;
  found.persons[lane].points_count = u_points.x;
}
