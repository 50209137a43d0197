// Converts model landmarks from input pixels to coordinates in the upright frame. One work group.
//   REGION   the input was a region of the frame (detect/regions.h). Derives the next region from the landmarks if the
//            score of the model suffices.
#include "gl/compute.h"
#include "infer/landmarks.glsl"
#ifdef REGION
#include "detect/region.glsl"
#endif

layout(local_size_x = kGroupInvocations) in;

layout(std430, binding = 0) readonly buffer Outputs { float b_outputs[]; };  // all outputs of the model
layout(std430, binding = 1) writeonly buffer Results { LANDMARKS; };
#ifdef REGION
layout(std430, binding = 2) buffer State { REGIONS; };
#endif
layout(std140, binding = kParamsBinding) uniform Params {
  ivec4 u_at;      // offsets in b_outputs: landmarks, further ones, presence, handedness; -1: not in the model
  ivec4 u_counts;  // landmarks; those before the further ones; values per landmark; 0
  ivec4 u_logits;  // whether presence and handedness are logits; 0, 0
  vec4 u_size;     // of the model input and of the upright frame, in pixels
  // With REGION:
  ivec4 u_points;  // two landmarks that define the direction; bits of landmarks in the box, -1: all; maximum regions
  vec4 u_rule;     // RegionRule: scale, shift, direction, same
  vec4 u_score;    // minimum score to track a region; 0, 0, 0
  // Without: rows of the transform from the model input to the upright frame.
  vec4 u_place[2];
};

float probability(int at, int is_logit, float none) {
  if (at < 0) return none;
  return is_logit != 0 ? 1.0 / (1.0 + exp(-b_outputs[at])) : b_outputs[at];
}

// In fractions of the model input; depth in fractions of its width.
vec3 landmark(int i) {
  int at = i < u_counts.y ? u_at.x + i * u_counts.z : u_at.y + (i - u_counts.y) * u_counts.z;
  float z = u_counts.z > 2 ? b_outputs[at + 2] : 0.0;
  return vec3(b_outputs[at], b_outputs[at + 1], z) / u_size.xyx;
}

#ifdef REGION
shared vec4 s_box[kGroupInvocations];

vec2 pixel_of(int i, vec4 square) { return square.xy + turned((landmark(i).xy - 0.5) * square.z, square.w); }

// Minimum and maximum coordinates of the landmarks that count, along axes rotated by `rotation`.
vec4 box_of(int lane, vec4 square, float rotation) {
  vec4 box = vec4(1e9, 1e9, -1e9, -1e9);
  for (int i = lane; i < u_counts.x; i += kGroupInvocations) {
    if (u_points.z != -1 && (i > 31 || ((u_points.z >> i) & 1) == 0)) continue;
    vec2 at = turned(pixel_of(i, square), -rotation);
    box = vec4(min(box.xy, at), max(box.zw, at));
  }
  s_box[lane] = box;
  barrier();
  for (int step = kGroupInvocations / 2; step > 0; step /= 2) {
    if (lane < step) {
      vec4 other = s_box[lane + step];
      s_box[lane] = vec4(min(s_box[lane].xy, other.xy), max(s_box[lane].zw, other.zw));
    }
    barrier();
  }
  return s_box[0];
}

vec4 next_square(int lane, vec4 square) {
  const float kTurn = 6.28318530718;
  vec2 line = pixel_of(u_points.y, square) - pixel_of(u_points.x, square);
  float rotation = dot(line, line) > 0.0 ? atan(line.y, line.x) - u_rule.z : square.w;
  rotation -= kTurn * round(rotation / kTurn);
  vec4 box = box_of(lane, square, rotation);
  return square_around(turned(0.5 * (box.xy + box.zw), rotation), box.zw - box.xy, rotation, u_rule.x, u_rule.y);
}

// Whether an older region is of the same object, because two regions have merged.
bool is_elsewhere(vec4 square, bool is_new) {
  bool found = false;
  for (int i = 0; i < u_points.w; ++i) {
    bool is_older = i < slot || (is_new && regions[i].is_new == 0);
    bool is_other = i != slot && regions[i].is_followed != 0 && is_older;
    found = found || (is_other && distance_of(square, regions[i].square) < u_rule.w);
  }
  return found;
}
#endif

void main() {
  int lane = int(gl_LocalInvocationIndex);
  float score = probability(u_at.z, u_logits.x, 1.0);
  float right = probability(u_at.w, u_logits.y, 0.0);
#ifdef REGION
  int object = slot, id = regions[slot].id;
  vec4 square = regions[slot].square;
  bool is_new = regions[slot].is_new != 0;
  vec4 next = next_square(lane, square);
  bool is_there = regions[slot].is_followed != 0 && score >= u_score.x;
  is_there = is_there && next.z >= 1.0 && !is_elsewhere(next, is_new);
  memoryBarrierBuffer();
  barrier();  // all lanes have read what one of them will write
  if (lane == 0) {
    regions[slot].is_followed = is_there ? 1 : 0;
    regions[slot].is_new = 0;
    regions[slot].square = next;
    objects_count = u_points.w;
    if (slot == 0) objects_blendshapes = 0;
  }
#else
  int object = 0, id = 0;
  bool is_there = true;
  if (lane == 0) objects_count = 1;
#endif
  if (lane == 0) {
    objects[object].count = is_there ? u_counts.x : 0;
    objects[object].score = is_there ? score : 0.0;
    objects[object].right = right;
    objects[object].id = id;
  }
  for (int i = lane; i < u_counts.x; i += kGroupInvocations) {
#ifdef REGION
    vec2 at = pixel_of(i, square) / u_size.zw;
    float side = square.z / u_size.z;
#else
    vec3 from = vec3(landmark(i).xy, 1.0);
    vec2 at = vec2(dot(u_place[0].xyz, from), dot(u_place[1].xyz, from));
    float side = length(vec2(u_place[0].x, u_place[1].x));
#endif
    // Depth has the same unit as x.
    objects[object].points[i] = vec4(at, landmark(i).z * side, 0.0);
  }
}
