// Tracks the people that a decoder found in a frame: adds boxes, keeps the track IDs of the previous frame, and smooths
// keypoints. Speed is in person sizes per second, as in MediaPipe.
#include "gl/compute.h"
#include "detect/one_euro.glsl"
#include "pose/persons.glsl"

const int kLanes = kMaxPersons * kMaxPersons;
layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Found { PERSONS; } found;
struct Track {
  vec4 box;
  int id;        // 0: unused
  int found_id;  // set by the decoder; 0: it does not track people
  int unused[2];
  Filtered points[kMaxKeyPoints];
  Filtered world[kMaxKeyPoints];
};
layout(std430, binding = 1) buffer Tracks {
  int next_id;  // minus one
  int tracks_unused[3];
  Track tracks[kMaxPersons];
};
layout(std430, binding = 2) buffer Persons { PERSONS; } told;
layout(std140, binding = kParamsBinding) uniform Follow {
  vec4 u_filter;  // seconds since the previous frame, below 0 if none; minimum cutoff in Hz; beta; cutoff of the speed
  vec4 u_frame;   // width and height in pixels; minimum visibility and presence of a point to count for the box
};

const float kSame = 0.2;     // minimum intersection over union of boxes of the same person
const float kAround = 1.25;  // person size relative to the longer side of the box
// Factors for world coordinates, whose speed is in meters per second: the ratios of MediaPipe.
const float kWorldCutOff = 2.0, kWorldBeta = 0.5;

shared vec4 s_box[kMaxPersons];
shared float s_common[kLanes];
shared int s_track[kMaxPersons];   // by found person, like the next two
shared int s_id[kMaxPersons];
shared int s_fresh[kMaxPersons];   // 1: not in the previous frame
shared int s_person[kMaxPersons];  // by output person
shared int s_count;

bool is_found(int i) { return i < found.persons_count && found.persons[i].points_count > 0; }

// The box around the points that count, or around all points if none does.
vec4 box_of(int i) {
  vec4 all = vec4(1e9, 1e9, -1e9, -1e9), sure = all;
  for (int n = 0; n < found.persons[i].points_count; ++n) {
    KeyPoint point = found.persons[i].points[n];
    vec2 place = vec2(point.x, point.y);
    all = vec4(min(all.xy, place), max(all.zw, place));
    if (point.visibility >= u_frame.z && point.presence >= u_frame.w) {
      sure = vec4(min(sure.xy, place), max(sure.zw, place));
    }
  }
  return sure.x <= sure.z ? sure : all;
}

float area(vec4 box) { return max(box.z - box.x, 0.0) * max(box.w - box.y, 0.0); }
float common_share(vec4 a, vec4 b) {
  float both = area(vec4(max(a.xy, b.xy), min(a.zw, b.zw)));
  return both / max(area(a) + area(b) - both, 1e-12);
}

// Row and column of index `n` in rows of `columns`. Unsigned: virglrenderer 0.10 mistranslates signed division.
ivec2 row_and_column(int n, int columns) { return ivec2(uint(n) / uint(columns), uint(n) % uint(columns)); }

// How well a person matches a track: tracking by the decoder precedes box overlap.
float common_with(int i, int t) {
  if (!is_found(i) || tracks[t].id == 0 || u_filter.x < 0.0) return 0.0;
  bool is_tracked = found.persons[i].id != 0 && found.persons[i].id == tracks[t].found_id;
  return common_share(s_box[i], tracks[t].box) + (is_tracked ? 1.0 : 0.0);
}

// Matches people to tracks, best match first. The rest are new, or gone.
void match() {
  for (int i = 0; i < kMaxPersons; ++i) s_track[i] = -1;
  int taken[kMaxPersons];  // 1 if matched, else 0
  for (int t = 0; t < kMaxPersons; ++t) taken[t] = 0;
  for (int pass = 0; pass < kMaxPersons; ++pass) {
    int best = -1;
    float most = kSame;
    for (int n = 0; n < kLanes; ++n) {
      ivec2 at = row_and_column(n, kMaxPersons);
      if (s_common[n] > most && s_track[at.x] < 0 && taken[at.y] == 0) {
        most = s_common[n];
        best = n;
      }
    }
    if (best < 0) break;
    ivec2 at = row_and_column(best, kMaxPersons);
    s_track[at.x] = at.y;
    taken[at.y] = 1;
  }
  s_count = 0;
  for (int i = 0; i < kMaxPersons; ++i) {
    if (!is_found(i)) continue;
    int track = s_track[i];
    s_fresh[i] = track < 0 ? 1 : 0;
    if (track < 0) {
      track = 0;
      while (taken[track] != 0) ++track;
      taken[track] = 1;
      tracks[track].id = ++next_id;
    }
    tracks[track].box = s_box[i];
    tracks[track].found_id = found.persons[i].id;
    s_id[i] = tracks[track].id;
    s_track[i] = track;
    s_person[s_count++] = i;
  }
  for (int t = 0; t < kMaxPersons; ++t) {
    if (taken[t] == 0) tracks[t].id = 0;
  }
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
  told.persons[index].points[n] =
      KeyPoint(at.x, at.y, at.z, point.visibility, point.presence, world.value.x, world.value.y, world.value.z);
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  if (lane < kMaxPersons && is_found(lane)) s_box[lane] = box_of(lane);
  barrier();
  ivec2 at = row_and_column(lane, kMaxPersons);
  s_common[lane] = common_with(at.x, at.y);
  barrier();
  if (lane == 0) match();
  barrier();
  for (int n = lane; n < s_count * kMaxKeyPoints; n += kLanes) {
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
