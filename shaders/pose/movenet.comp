// Decodes the MoveNet output for one person: y, x and score of each point, in fractions of the processed region.
// Chooses the next region like the MoveNet authors: around the hips, if hips and shoulders are visible, and large
// enough for the torso and the visible points.
#include "gl/compute.h"
#include "pose/limbs.glsl"
#include "pose/regions.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Numbers { float numbers[]; };
layout(std430, binding = 1) buffer State { PERSON_REGIONS; };

const int kPoints = 17;
const int kShoulder = 5, kHip = 11;  // the left ones; the right ones are next
const float kSeen = 0.2;
const float kTorsos = 1.9, kBodies = 1.2;

vec2 place_of(int n, vec4 square) { return square.xy + (vec2(numbers[3 * n + 1], numbers[3 * n]) - 0.5) * square.z; }
float score_of(int n) { return numbers[3 * n + 2]; }
bool is_seen(int left) { return max(score_of(left), score_of(left + 1)) > kSeen; }
float greatest(vec2 v) { return max(abs(v.x), abs(v.y)); }

vec2 limb_place(int person, int n) { return place_of(n, regions[person].square); }
bool limb_counts(int person, int n) { return score_of(n) >= kSeen; }

void choose_region(vec4 square) {
  uvec2 dropped = uvec2(0u);
  int strange = u_frame.w > 0.0 ? drop_limbs(0, kOfCoco, u_frame.xy, dropped) : 0;
  vec2 middle = 0.5 * (place_of(kHip, square) + place_of(kHip + 1, square));
  float reach = 0.0;
  for (int n = 0; n < kPoints; ++n) {
    float distance = greatest(place_of(n, square) - middle);
    bool of_torso = n == kShoulder || n == kShoulder + 1 || n == kHip || n == kHip + 1;
    if (of_torso) reach = max(reach, kTorsos * distance);
    if (score_of(n) >= kSeen && !is_dropped(dropped, n)) reach = max(reach, kBodies * distance);
  }
  reach = min(reach, max(greatest(middle), greatest(u_frame.xy - middle)));  // no larger than the frame
  bool is_good = is_seen(kShoulder) && is_seen(kHip) && reach >= 1.0 && 2.0 * reach <= max(u_frame.x, u_frame.y);
  is_good = is_good && strange < kStrangeLimbs;
  regions[0].is_new = is_good ? 0 : 1;
  regions[0].square = vec4(middle, 2.0 * reach, 0.0);
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  vec4 square = regions[0].square;
  memoryBarrierBuffer();
  barrier();  // all lanes have read what one of them will write
  if (lane < kPoints) {
    persons[0].points[lane] = flat_point(place_of(lane, square) / u_frame.xy, score_of(lane));
  }
  if (lane != 0) return;
  float score = 0.0;
  for (int n = 0; n < kPoints; ++n) score += score_of(n) / float(kPoints);
  persons[0].score = score;
  persons[0].rotation = 0.0;
  persons[0].points_count = score >= u_score.x ? kPoints : 0;
  choose_region(square);
}
