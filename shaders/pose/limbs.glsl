// Limbs that are too long for the body of a person. gst_plugin/pose/pose_estimator.h has the lengths and their source.
// A body in an image can be shorter than it is, but not longer: the scale is that of the body part that appears longest.
#include "pose/pose_estimator.h"

// The including shader defines these, for a point of a person: its position in pixels, and whether the model is sure.
vec2 limb_place(int person, int n);
bool limb_counts(int person, int n);

// Points of the left side in COCO and in BlazePose; those of the right side are next. -1: none.
const int kOfCoco = Limbs_kCoco - 1, kOfBlazePose = Limbs_kBlazePose - 1;
const ivec2 kNoses = ivec2(0, 0), kEars = ivec2(3, 7), kShoulders = ivec2(5, 11), kElbows = ivec2(7, 13);
const ivec2 kWrists = ivec2(9, 15), kPelvis = ivec2(11, 23), kKnees = ivec2(13, 25), kAnkles = ivec2(15, 27);

// From near to far. If the near point is missing, the reach from the root counts.
struct Limb {
  ivec2 near, far, root;
  float extent, reach;  // in statures
};
const float kToWrist = kUpperArmLength + kForearmLength, kToFinger = kToWrist + kHandLength;
const float kToAnkle = kThighLength + kShankLength, kToToe = kToAnkle + kFootLength;
const int kLongLimbs = 4, kLimbs = 9;
const Limb kLimbOf[kLimbs] = Limb[kLimbs](
    Limb(kShoulders, kElbows, kShoulders, kUpperArmLength, kUpperArmLength),
    Limb(kElbows, kWrists, kShoulders, kForearmLength, kToWrist),
    Limb(kPelvis, kKnees, kPelvis, kThighLength, kThighLength),
    Limb(kKnees, kAnkles, kPelvis, kShankLength, kToAnkle),
    Limb(kWrists, ivec2(-1, 17), kShoulders, kHandLength, kToFinger),
    Limb(kWrists, ivec2(-1, 19), kShoulders, kHandLength, kToFinger),
    Limb(kWrists, ivec2(-1, 21), kShoulders, kHandLength, kToFinger),
    Limb(kAnkles, ivec2(-1, 29), kPelvis, kFootLength, kToToe),
    Limb(kAnkles, ivec2(-1, 31), kPelvis, kFootLength, kToToe));

const int kStrangeLimbs = 2;      // so many long limbs are not those of one person
const float kLeastStature = 8.0;  // pixels; smaller people are not checked
const float kMostPixels = 1e9;

bool is_dropped(uvec2 dropped, int n) { return ((n < 32 ? dropped.x : dropped.y) >> uint(n & 31) & 1u) != 0u; }

// The stature that a body part of this share of it suggests; 0 if a point is missing.
float stature_from(int person, int a, int b, float share) {
  if (!limb_counts(person, a) || !limb_counts(person, b)) return 0.0;
  float pixels = distance(limb_place(person, a), limb_place(person, b));
  return pixels < kMostPixels ? pixels / share : 0.0;  // NaN too
}

// In pixels; 0 if it is unknown. Shoulders are too narrow in profile: they count only together with torso or head.
float stature_of(int person, int skeleton) {
  int shoulder = kShoulders[skeleton], hip = kPelvis[skeleton], ear = kEars[skeleton];
  float tall = stature_from(person, ear, ear + 1, kEarsWidth);
  for (int side = 0; side < 2; ++side) {
    tall = max(tall, stature_from(person, shoulder + side, hip + side, kTorsoLength));
    tall = max(tall, stature_from(person, kNoses[skeleton], ear + side, kNoseToEar));
  }
  return tall > 0.0 ? max(tall, stature_from(person, shoulder, shoulder + 1, kShouldersWidth)) : 0.0;
}

// How many times as long a limb of a person of this stature can appear.
float tolerance_for(float tall, vec2 frame) {
  return kLimbTolerance / (1.0 - kTowardsCamera * min(tall / max(frame.x, frame.y), kLargestBody));
}

// `frame` is its size in pixels. Sets a bit for each point at the end of a limb that is too long, and returns the number of long limbs among these.
int drop_limbs(int person, int skeleton, vec2 frame, out uvec2 dropped) {
  dropped = uvec2(0u);
  float tall = stature_of(person, skeleton);
  float longest = tolerance_for(tall, frame) * tall;
  int count = 0;
  for (int i = 0; i < 2 * kLimbs && tall >= kLeastStature; ++i) {
    Limb limb = kLimbOf[i >> 1];
    int side = i & 1;
    int near = limb.near[skeleton] + side, far = limb.far[skeleton] + side, root = limb.root[skeleton] + side;
    if (limb.far[skeleton] < 0 || !limb_counts(person, far)) continue;
    bool has_near = limb_counts(person, near) && !is_dropped(dropped, near);
    if (!has_near && !limb_counts(person, root)) continue;
    float most = longest * (has_near ? limb.extent : limb.reach);
    if (!(distance(limb_place(person, has_near ? near : root), limb_place(person, far)) > most)) continue;
    uint bit = 1u << uint(far & 31);
    dropped |= far < 32 ? uvec2(bit, 0u) : uvec2(0u, bit);
    count += i < 2 * kLongLimbs ? 1 : 0;
  }
  return count;
}
