// Keeps what the model says of an object of the current run. One work group.
//   POINTS   decoded landmarks; VECTOR   an output; otherwise decoded classes
#include "infer/objects.glsl"
#ifdef POINTS
#include "infer/landmarks.glsl"
#endif

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) buffer State { OBJECTS; };
#if defined(POINTS)
layout(std430, binding = 1) readonly buffer Decoded { int decoded_count; int decoded_unused[3]; Landmarks decoded; };
#elif defined(VECTOR)
layout(std430, binding = 1) readonly buffer Decoded { float b_outputs[]; };
#else
layout(std430, binding = 1) readonly buffer Decoded { DETECTIONS; };
#endif
layout(std430, binding = 2) writeonly buffer Values { float b_values[]; };
layout(std140, binding = kStoreBinding) uniform Store {
  vec4 u_store;  // minimum score, maximum number of classes, image of the run that shows the object, 0
};

void main() {
  int lane = int(gl_LocalInvocationIndex);
  int image = int(u_store.z), current = job + image;
  if (job < 0 || current >= jobs_count) return;
  int slot = slot_of_object[job_objects[current]];
  if (slot < 0) return;
  int first = slot * u_counts.x;
#if defined(POINTS)
  int count = decoded.score >= u_store.x ? clamp(decoded.count, 0, u_counts.x / 4) : 0;
  for (int i = lane; i < count; i += int(kGroupInvocations)) {
    vec2 at = crops[image].xy + decoded.points[i].xy * crops[image].zw;
    b_values[first + 4 * i] = at.x;
    b_values[first + 4 * i + 1] = at.y;
    b_values[first + 4 * i + 2] = decoded.points[i].z * crops[image].z;
    b_values[first + 4 * i + 3] = decoded.score;
  }
#elif defined(VECTOR)
  int count = u_counts.x;
  for (int i = lane; i < count; i += int(kGroupInvocations)) b_values[first + i] = b_outputs[image * count + i];
#else
  int count = min(clamp(detections_count, 0, kMaxObjectClasses), int(u_store.y));
  for (int i = lane; i < count; i += int(kGroupInvocations)) {
    b_values[first + 2 * i] = float(detections[i].class_id);
    b_values[first + 2 * i + 1] = detections[i].score;
  }
#endif
  if (lane != 0) return;
  slots[slot].age = 0;
  slots[slot].count = count;
}
