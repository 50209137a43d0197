// Writes the landmarks of the last processed region as a person of the frame. Derives the region of the next frame from
// two of them, if the model finds a person at all. If the limbs are not those of one person for a few frames, the person is
// looked for again.
#include "gl/compute.h"
#include "pose/limbs.glsl"
#include "pose/regions.glsl"

layout(local_size_x = kGroupInvocations) in;
layout(std430, binding = 0) readonly buffer Landmarks { float landmarks[]; };  // x, y, z, visibility, presence of each
layout(std430, binding = 1) readonly buffer Score { float score[]; };
layout(std430, binding = 2) readonly buffer World { float world[]; };  // x, y, z of each
layout(std430, binding = 3) buffer State { PERSON_REGIONS; };

const int kHips = 33, kEnd = 34;  // after the points of the skeleton
// Of the One-Euro filter over these two, as in MediaPipe: a steady region keeps landmarks steady.
const float kLeastCutOff = 0.01, kBeta = 10.0, kCutOffOfSpeed = 1.0;
const float kLeastSide = 2.0;  // pixels; anything smaller is not a person
// The first points of the skeleton are those of the face. The radius of the head is at least kLeastHead sides.
const int kFacePoints = 11;
const float kFaceToHead = 1.3, kLeastHead = 0.05;
const float kSmallJump = 0.3;        // radii that a head may be from the predicted position without being suspect
// Radii that a head may be from the one that the detector has found; otherwise the landmarks are of another person.
const float kOfDetection = 2.0;
// The distance in sides below which people may hide each other, and the factor of the minimum score then.
const float kNear = 0.4, kLeastOfHidden = 0.4;
const float kMotionSeconds = 0.15;  // time constant of the mean of the motion
const float kSure = 0.5;            // minimum visibility and presence of a point of a limb
const int kStrangeFrames = 4;       // the detector looks again after so many

float sigmoid(float x) { return 1.0 / (1.0 + exp(-x)); }

// In pixels of the upright frame.
vec2 place_of(int n, vec4 square) {
  vec2 at = vec2(landmarks[5 * n], landmarks[5 * n + 1]) / vec2(u_sizes.yz) - 0.5;
  return square.xy + turned(at * square.z, square.w);
}

void store_point(int n, vec4 square) {
  vec2 at = place_of(n, square) / u_frame.xy;
  float z = landmarks[5 * n + 2] / float(u_sizes.y) * square.z / u_frame.x;
  vec2 around = turned(vec2(world[3 * n], world[3 * n + 1]), square.w);
  persons[slot].points[n] = KeyPoint(at.x, at.y, z, sigmoid(landmarks[5 * n + 3]), sigmoid(landmarks[5 * n + 4]),
                                     around.x, around.y, world[3 * n + 2]);
}

vec2 limb_place(int person, int n) { return place_of(n, regions[person].square); }
bool limb_counts(int person, int n) {
  return sigmoid(landmarks[5 * n + 3]) >= kSure && sigmoid(landmarks[5 * n + 4]) >= kSure;
}

// Around the points of the face.
vec4 head_around_face(vec4 square) {
  vec2 middle = vec2(0.0);
  for (int n = 0; n < kFacePoints; ++n) middle += place_of(n, square) / float(kFacePoints);
  float reach = 0.0;
  for (int n = 0; n < kFacePoints; ++n) reach = max(reach, length(place_of(n, square) - middle));
  return vec4(middle, max(kFaceToHead * reach, kLeastHead * square.z), 0.0);
}

void hide(int i) {
  regions[i].is_followed = 0;
  regions[i].motion.z = 1e-3;
  persons[i].points_count = 0;
}

// If two regions have merged, because one person hides the other, keeps the region that was there: its head is nearer
// to the predicted one. Returns whether this region is kept.
bool is_kept(vec4 next, vec4 head, bool is_new) {
  bool kept = true;
  for (int i = 0; i < u_sizes.x; ++i) {
    if (i == slot || regions[i].is_followed == 0) continue;
    bool is_same = are_same(next, head, regions[i].square, regions[i].head, u_rule.w);
    bool other_is_new = regions[i].is_new != 0;
    if (!is_same || (other_is_new && i > slot)) continue;
    float other_jump = i < slot ? regions[i].head.w : kSmallJump;
    if (is_new || head.w > other_jump) {
      kept = false;
    } else if (i < slot) {
      hide(i);
    }
  }
  return kept;
}

void follow(vec4 square, Filtered ends, bool is_new) {
  vec4 now = vec4(place_of(kHips, square), place_of(kEnd, square));
  float seconds = is_new ? 0.0 : u_frame.z;
  ends = filtered(ends, now, 1.0 / max(square.z, kLeastSide), kLeastCutOff, kBeta, kCutOffOfSpeed, seconds);
  vec4 next = square_of(ends.value.xy, ends.value.zw);
  vec4 head = head_around_face(square);
  vec2 jump = head.xy - regions[slot].head.xy;
  bool is_elsewhere = is_new && !are_near(head, regions[slot].head, kOfDetection);
  head.w = is_new ? kSmallJump : length(jump) / max(head.z, 1e-6);
  regions[slot].is_followed = next.z >= kLeastSide ? 1 : 0;
  if (is_elsewhere || !is_kept(next, head, is_new)) {
    hide(slot);
    // Somebody who was never tracked is not hidden, but a wrong detection.
    if (is_new && regions[slot].motion.xy == vec2(0.0)) regions[slot].motion.z = 0.0;
    return;
  }
  regions[slot].square = next;
  regions[slot].head = head;
  regions[slot].motion.xy += seconds > 0.0 ? (1.0 - exp(-seconds / kMotionSeconds)) * jump / seconds : vec2(0.0);
  regions[slot].ends = ends;
  regions[slot].is_new = 0;
}

// Whether another person is so near that they may hide each other.
bool is_near_another() {
  bool near = false;
  for (int i = 0; i < u_sizes.x; ++i) {
    bool counts = i != slot && (regions[i].is_followed != 0 || regions[i].motion.z > 0.0);
    float far = length(regions[i].head.xy - regions[slot].head.xy);
    near = near || (counts && far < kNear * regions[slot].square.z);
  }
  return near;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  vec4 square = regions[slot].square;
  Filtered ends = regions[slot].ends;
  bool is_new = regions[slot].is_new != 0;
  bool is_near = is_near_another();
  float least = is_near && !is_new ? kLeastOfHidden * u_score.x : u_score.x;
  bool is_there = regions[slot].is_followed != 0 && score[0] >= least;
  memoryBarrierBuffer();
  barrier();  // all lanes have read what one of them will write
  if (lane < kMaxKeyPoints && is_there) store_point(lane, square);
  if (lane != 0) return;
  uvec2 dropped;
  bool is_strange = is_there && u_frame.w > 0.0;
  is_strange = is_strange && drop_limbs(slot, kOfBlazePose, u_frame.xy, dropped) >= kStrangeLimbs;
  if (is_there) {
    follow(square, ends, is_new);
  } else {
    regions[slot].motion.z = regions[slot].is_followed != 0 && is_near && !is_new ? 1e-3 : regions[slot].motion.z;
    regions[slot].is_followed = 0;
  }
  persons_count = u_sizes.x;
  persons[slot].points_count = regions[slot].is_followed != 0 ? kMaxKeyPoints : 0;
  // This frame still shows the person. The detector looks in the next one.
  regions[slot].strange_frames = is_strange ? regions[slot].strange_frames + 1 : 0;
  if (regions[slot].strange_frames >= kStrangeFrames) {
    regions[slot].is_followed = 0;
    regions[slot].strange_frames = 0;
    looks = 0;  // the whole frame first
  }
  persons[slot].score = score[0];
  persons[slot].rotation = square.w;
  persons[slot].id = regions[slot].id;
}
