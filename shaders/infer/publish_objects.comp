// Copies the objects of the frame with the values that are known of them to the results. A work group per object.
#include "infer/objects.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Found { DETECTIONS; } found;
layout(std430, binding = 1) readonly buffer State { OBJECTS; };
layout(std430, binding = 2) readonly buffer Values { float b_values[]; };
layout(std430, binding = 3) writeonly buffer Results {
  DETECTIONS;
  float values[];
} told;

void main() {
  int lane = int(gl_LocalInvocationIndex), object = int(gl_WorkGroupID.x);
  int count = clamp(found.detections_count, 0, kMaxDetections);
  if (object == 0 && lane == 0) {
    told.detections_count = count;
    told.detections_in_pixels = 0;
  }
  if (object >= count) return;
  int slot = slot_of_object[object];
  int known = slot >= 0 ? slots[slot].count : 0;
  if (lane == 0) {
    told.detections[object] = found.detections[object];
    told.detections[object].values_count = known;
  }
  if (known == 0) return;
  for (int i = lane; i < u_counts.x; i += int(kGroupInvocations)) {
    told.values[object * u_counts.x + i] = b_values[slot * u_counts.x + i];
  }
}
