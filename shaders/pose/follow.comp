// Tracks the people that a decoder found in a frame: adds boxes, keeps the track IDs of the previous frame, and smooths
// keypoints. Points of limbs that are too long for the body are dropped. Speed is in person sizes per second, as in MediaPipe.
#include "gl/compute.h"
#include "detect/one_euro.glsl"
#include "pose/best_matches.glsl"
#include "pose/limbs.glsl"
#include "pose/persons.glsl"

#if kMaxPersons * kMaxPersons != kGroupInvocations
#error "one invocation per person and track"
#endif
layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Found { PERSONS; } found;
struct Track {
  vec4 box;
  vec4 motion;  // pixels per second; seconds since the person was last found; number of frames that it was found in
  int id;        // 0: unused
  int found_id;  // set by the decoder; 0: it does not track people
  int unused[2];
  Filtered points[kMaxKeyPoints];
  Filtered world[kMaxKeyPoints];
};
// Coherent: one invocation assigns the tracks that others move.
layout(std430, binding = 1) coherent buffer Tracks {
  int next_id;  // minus one
  int tracks_unused[3];
  Track tracks[kMaxPersons];
};
layout(std430, binding = 2) writeonly buffer Persons { PERSONS; } told;
layout(std140, binding = kParamsBinding) uniform Follow {
  vec4 u_filter;  // seconds since the previous frame, below 0 if none; minimum cutoff in Hz; beta; cutoff of the speed
  vec4 u_frame;   // width and height in pixels; minimum visibility and presence of a point to count for the box
  ivec4 u_limbs;  // Limbs: of which skeleton limbs have limits; 0, 0, 0
};

// Similarity of a person and a track: the mean of exp(-d²/2r²) over the keypoints, with the distance d from the
// predicted position. The radius r is in person sizes, the square root of the area of the box.
const float kRadius = 0.25, kRadiusPerSecond = 0.5;  // the latter for people who are lost
const float kSame = 0.1;                             // minimum similarity of the same person
const float kOfLost = 0.7;                           // factor for people who are lost, so that they take nobody's ID
const float kOfDecoder = 0.5;                        // added if the decoder has tracked the person
const float kKeptSeconds = 1.0;                      // lost people are forgotten after this time
const float kMotionSeconds = 0.15, kSlowsIn = 1.0;   // time constants of the motion, and of its decay while lost
const float kAround = 1.25;  // person size relative to the longer side of the box
// Factors for world coordinates, whose speed is in meters per second: the ratios of MediaPipe.
const float kWorldCutOff = 2.0, kWorldBeta = 0.5;

shared vec4 s_box[kMaxPersons];
shared uvec2 s_dropped[kMaxPersons];  // a bit per point
shared int s_track[kMaxPersons];   // by found person, like the next two
shared int s_id[kMaxPersons];
shared int s_fresh[kMaxPersons];   // 1: not in the previous frame
shared int s_person[kMaxPersons];  // by output person
shared int s_count;

bool is_found(int i) { return i < found.persons_count && found.persons[i].points_count > 0; }

vec2 limb_place(int person, int n) {
  return vec2(found.persons[person].points[n].x, found.persons[person].points[n].y) * u_frame.xy;
}
bool limb_counts(int person, int n) {
  KeyPoint point = found.persons[person].points[n];
  return point.visibility >= u_frame.z && point.presence >= u_frame.w;
}

// The box around the points that count, or around all points if none does.
vec4 box_of(int i) {
  vec4 all = vec4(1e9, 1e9, -1e9, -1e9), sure = all;
  for (int n = 0; n < found.persons[i].points_count; ++n) {
    KeyPoint point = found.persons[i].points[n];
    vec2 place = vec2(point.x, point.y);
    all = vec4(min(all.xy, place), max(all.zw, place));
    if (limb_counts(i, n) && !is_dropped(s_dropped[i], n)) {
      sure = vec4(min(sure.xy, place), max(sure.zw, place));
    }
  }
  return sure.x <= sure.z ? sure : all;
}

float area(vec4 box) { return max(box.z - box.x, 0.0) * max(box.w - box.y, 0.0); }
// Row and column of index `n` in rows of `columns`. Unsigned: virglrenderer 0.10 mistranslates signed division.
ivec2 row_and_column(int n, int columns) { return ivec2(uint(n) / uint(columns), uint(n) % uint(columns)); }

bool is_usable(int t) { return tracks[t].id != 0 && tracks[t].motion.z <= kKeptSeconds && u_filter.x >= 0.0; }

// How far the track has moved since it was last found, in pixels.
vec2 shift_of(int t) {
  float seconds = tracks[t].motion.z + u_filter.x;
  return tracks[t].motion.xy * kSlowsIn * (1.0 - exp(-seconds / kSlowsIn));
}

float similarity(int i, int t) {
  vec2 shift = shift_of(t);
  float radius = kRadius + kRadiusPerSecond * tracks[t].motion.z;
  float by_size = 1.0 / max(radius * radius * area(tracks[t].box) * u_frame.x * u_frame.y, 1e-6);
  float sum = 0.0, weights = 0.0;
  for (int n = 0; n < found.persons[i].points_count; ++n) {
    KeyPoint point = found.persons[i].points[n];
    vec2 d = vec2(point.x, point.y) * u_frame.xy - tracks[t].points[n].before.xy - shift;
    float far = dot(d, d);
    if (!(far < 1e30)) continue;  // NaN too
    float weight = 0.1 + clamp(point.visibility, 0.0, 1.0);
    sum += weight * exp(-0.5 * far * by_size);
    weights += weight;
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

// The weight of a match; 0 if it is not possible.
float weight_of(int i, int t) {
  if (!is_found(i) || !is_usable(t)) return 0.0;
  float weight = similarity(i, t);
  if (weight < kSame) weight = 0.0;
  if (tracks[t].motion.z > 0.0) return kOfLost * weight;
  bool is_tracked = found.persons[i].id != 0 && found.persons[i].id == tracks[t].found_id;
  return weight + (is_tracked ? kOfDecoder : 0.0);
}

// A track for a new person: an unused one, or the one that was lost first.
int free_track(int taken) {
  int best = -1;
  float longest = -1.0;
  for (int t = 0; t < kMaxPersons; ++t) {
    float unused = tracks[t].id == 0 ? 1e9 : tracks[t].motion.z;
    if ((taken >> t & 1) != 0 || unused <= longest) continue;
    longest = unused;
    best = t;
  }
  return best;
}

// Matched people keep their tracks. The rest are new, and tracks without a person are lost.
void assign() {
  uint path = s_path[((kMaxPersons - 1) & 1) * kSets + kSets - 1];
  int taken = 0;
  for (int t = 0; t < kMaxPersons; ++t) {
    if (!is_usable(t)) tracks[t].id = 0;
  }
  for (int i = 0; i < kMaxPersons; ++i) {
    s_track[i] = int(path >> uint(4 * i) & 15u) - 1;
    if (s_track[i] >= 0) taken |= 1 << s_track[i];
  }
  s_count = 0;
  for (int i = 0; i < kMaxPersons; ++i) {
    if (!is_found(i)) continue;
    int track = s_track[i];
    s_fresh[i] = track < 0 || tracks[track].motion.z > 0.0 ? 1 : 0;
    if (track < 0) {
      track = free_track(taken);
      taken |= 1 << track;
      tracks[track].id = ++next_id;
      tracks[track].motion = vec4(0.0);
    }
    tracks[track].found_id = found.persons[i].id;
    s_id[i] = tracks[track].id;
    s_track[i] = track;
    s_person[s_count++] = i;
  }
  for (int t = 0; t < kMaxPersons; ++t) {
    if ((taken >> t & 1) == 0) tracks[t].motion.z += max(u_filter.x, 1e-6);
  }
}

// Updates the box and the motion of a person's track: the mean over the keypoints, averaged over time.
void move(int i) {
  int track = s_track[i];
  vec4 motion = tracks[track].motion;
  vec2 sum = vec2(0.0);
  int count = found.persons[i].points_count;
  for (int n = 0; n < count; ++n) {
    KeyPoint point = found.persons[i].points[n];
    sum += vec2(point.x, point.y) * u_frame.xy - tracks[track].points[n].before.xy;
  }
  bool is_valid = dot(abs(sum), vec2(1.0)) < 1e30;
  if (motion.w > 0.0 && u_filter.x > 0.0 && is_valid) {
    float weight = max(1.0 - exp(-u_filter.x / kMotionSeconds), 1.0 / motion.w);
    motion.xy = mix(motion.xy, sum / float(count) / (u_filter.x + motion.z), weight);
  }
  tracks[track].motion = vec4(motion.xy, 0.0, min(motion.w + 1.0, 1e6));
  tracks[track].box = s_box[i];
}

void tell(int index, int n) {
  int person = s_person[index], track = s_track[person];
  KeyPoint point = found.persons[person].points[n];
  vec3 pixels = vec3(u_frame.xy, u_frame.x);
  vec2 size = (s_box[person].zw - s_box[person].xy) * u_frame.xy;
  float by_size = 1.0 / max(kAround * max(size.x, size.y), 1.0);
  float seconds = s_fresh[person] != 0 ? 0.0 : u_filter.x;
  Filtered place = filtered(tracks[track].points[n], vec4(vec3(point.x, point.y, point.z) * pixels, 0.0), by_size,
                            u_filter.y, u_filter.z, u_filter.w, seconds);
  Filtered world = filtered(tracks[track].world[n], vec4(point.world_x, point.world_y, point.world_z, 0.0), 1.0,
                            kWorldCutOff * u_filter.y, kWorldBeta * u_filter.z, u_filter.w, seconds);
  tracks[track].points[n] = place;
  tracks[track].world[n] = world;
  vec3 at = place.value.xyz / pixels;
  float kept = is_dropped(s_dropped[person], n) ? 0.0 : 1.0;
  told.persons[index].points[n] = KeyPoint(at.x, at.y, at.z, kept * point.visibility, kept * point.presence,
                                           world.value.x, world.value.y, world.value.z);
}

uvec2 dropped_of(int person) {
  uvec2 dropped = uvec2(0u);
  if (u_limbs.x != Limbs_kNone) drop_limbs(person, u_limbs.x - 1, u_frame.xy, dropped);
  return dropped;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  bool present = lane < kMaxPersons && is_found(lane);
  if (present) s_dropped[lane] = dropped_of(lane);
  if (present) s_box[lane] = box_of(lane);
  barrier();
  ivec2 at = row_and_column(lane, kMaxPersons);
  s_weight[lane] = weight_of(at.x, at.y);
  barrier();
  match(lane);
  if (lane == 0) assign();
  memoryBarrierBuffer();
  barrier();
  if (lane < s_count) move(s_person[lane]);
  memoryBarrierBuffer();
  barrier();
  for (int n = lane; n < s_count * kMaxKeyPoints; n += int(kGroupInvocations)) {
    ivec2 told_at = row_and_column(n, kMaxKeyPoints);
    tell(told_at.x, told_at.y);
  }
  if (lane == 0) told.persons_count = s_count;
  if (lane < s_count) {
    int person = s_person[lane];
    told.persons[lane].box = s_box[person];
    told.persons[lane].score = found.persons[person].score;
    told.persons[lane].rotation = found.persons[person].rotation;
    told.persons[lane].id = s_id[person];
    told.persons[lane].points_count = found.persons[person].points_count;
  }
}
