// Selects the next objects of the frame: decides whether the model runs, and the part of the frame that each image of its
// input samples. One work group, with an invocation per image.
#include "infer/objects.glsl"
#include "gl/frame_part.glsl"

layout(local_size_x = kMostFrameParts) in;
layout(std430, binding = 0) buffer State { OBJECTS; };
layout(std430, binding = 1) writeonly buffer Flag { uint model_runs; };
layout(std430, binding = 2) writeonly buffer Place {
  vec4 frame_block[9];
  vec4 part_rows[2 * kMostFrameParts];
};
layout(std430, binding = 3) readonly buffer Found { DETECTIONS; };

void sample_object(int image, int object) {
  vec4 box = detections[object].box;
  bool is_rotated = detections[object].corners_count > 0;
  vec2 corner_of_box = detections[object].points[0];
  vec2 right = detections[object].points[1] - corner_of_box, below = detections[object].points[3] - corner_of_box;
  vec2 sides = vec2(length(right * u_frame.xy), length(below * u_frame.xy));
  // Within the frame, where the camera has seen it.
  vec4 seen = clamp(box, 0.0, 1.0);
  if (any(lessThanEqual(seen.zw, seen.xy))) seen = box;
  vec2 size = u_sample.x * (is_rotated ? sides : (seen.zw - seen.xy) * u_frame.xy);
  float aspect = u_sample.y;
  bool is_narrow = size.x < size.y * aspect;
  if (u_choice.w != 0) {
    bool keeps_height = is_narrow == (u_choice.w == kSampleExtends);
    size = keeps_height ? vec2(size.y * aspect, size.y) : vec2(size.x, size.x / aspect);
  }
  vec2 part = size / u_frame.xy;
  vec2 corner = 0.5 * (seen.xy + seen.zw) - 0.5 * part;
  vec2 of_box = 1.0 / max(box.zw - box.xy, 1e-6);
  crops[image] = vec4((corner - box.xy) * of_box, part * of_box);
  vec2 across = vec2(part.x, 0.0), down = vec2(0.0, part.y);
  if (is_rotated) {  // upright in the model input, around the same center
    vec2 share = size / max(sides, 1e-6);
    across = share.x * right;
    down = share.y * below;
    corner = corner_of_box + 0.5 * (right + below) - 0.5 * (across + down);
    crops[image] = vec4(0.5 - 0.5 * share, share);
  }
  for (int row = 0; row < 2; ++row) part_rows[2 * image + row] = row_of_part(frame_place[row], corner, across, down);
  if (image == 0) {
    STORE_FRAME_PART(frame_block, corner, across, down);
  }
}

void main() {
  int image = int(gl_LocalInvocationIndex);
  int first = job < 0 ? 0 : job + u_choice.z, current = first + image;
  int jobs = jobs_count;
  memoryBarrierBuffer();
  barrier();  // all have read what the first one writes
  if (image == 0) {
    job = first;
    model_runs = first < jobs ? 1u : 0u;
  }
  if (image >= u_choice.z) return;
  if (current < jobs) {
    sample_object(image, job_objects[current]);
  } else {
    // A place outside of the frame.
    for (int row = 0; row < 2; ++row) part_rows[2 * image + row] = vec4(0.0, 0.0, -1.0, frame_place[row].w);
  }
}
