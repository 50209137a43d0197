// Gives detections the identities of those in the previous frames (gst_plugin/detect/tracker.h). One work group, with an
// invocation per track. All lengths are fractions of the frame.
#include "detect/detections.glsl"
#include "detect/tracker.h"
#include "gl/compute.h"

layout(local_size_x = kMaxTracks) in;

layout(std430, binding = 0) readonly buffer Found { DETECTIONS; } found;
// A Kalman filter of each component of the box.
struct Track {
  vec4 box;    // center x and y, width and height
  vec4 speed;  // per frame
  vec4 box_variance, covariance, speed_variance;
  int id;  // 0: unused
  int class_id;
  float lost;   // seconds since it was last found
  float unused;
};
layout(std430, binding = 1) buffer Tracks {
  int last_id;
  int tracks_unused[3];
  Track tracks[kMaxTracks];
};
layout(std430, binding = 2) writeonly buffer Tracked { DETECTIONS; } told;
layout(std140, binding = kParamsBinding) uniform Params {
  vec4 u_limits;   // seconds since the previous frame, below 0 if none; minimum score of a sure detection; 0, 0
  ivec4 u_counts;  // maximum results; 0, 0, 0
};

const int kUnsure = 1, kSure = 2;  // kinds of detections
// The auction ends with the assignment of largest total value, less at most this for each track.
const float kStep = 1.0 / 256.0;
const int kRounds = 128;
const float kBidUnit = 4194304.0;

// Of detections, at the start; an element per invocation.
shared vec4 s_box[kMaxTracks];  // minimum x and y, maximum x and y
shared int s_kind[kMaxTracks];
shared int s_class[kMaxTracks];
shared float s_price[kMaxTracks];
shared uint s_bid[kMaxTracks];   // the highest bid, and the track that it is from
shared int s_track[kMaxTracks];  // -1: none
shared uint s_bids;
shared int s_began[kMaxTracks];      // the detection that begins this track; -1: none
shared float s_lost[kMaxTracks];     // seconds; below 0: unused
shared int s_id[kMaxTracks];
shared int s_place[kMaxDetections];  // in the results; -1: not in there
shared int s_count;

vec4 corners_of(vec4 box) { return vec4(box.xy - 0.5 * box.zw, box.xy + 0.5 * box.zw); }
vec4 center_and_size(vec4 corners) { return vec4(0.5 * (corners.xy + corners.zw), corners.zw - corners.xy); }

float overlap(vec4 a, vec4 b) {
  vec2 size_a = a.zw - a.xy, size_b = b.zw - b.xy;
  vec2 common_size = max(min(a.zw, b.zw) - max(a.xy, b.xy), 0.0);
  float both = common_size.x * common_size.y;
  float whole = size_a.x * size_a.y + size_b.x * size_b.y - both;
  return whole > 0.0 ? both / whole : 0.0;
}

// Of the noise of a frame, in box sizes.
vec4 variance_of(vec4 box, float deviation) {
  vec4 size = deviation * box.zwzw;
  return size * size;
}

void predict(inout Track track, float seconds) {
  float frames = seconds * kTrackedFrameRate;
  if (track.lost > 0.0) track.speed.zw = vec2(0.0);  // nothing shows how its size changes
  track.box += frames * track.speed;
  track.box.zw = max(track.box.zw, 1e-6);
  track.box_variance += frames * (2.0 * track.covariance + frames * track.speed_variance) +
                        frames * variance_of(track.box, kPlaceNoise);
  track.covariance += frames * track.speed_variance;
  track.speed_variance += frames * variance_of(track.box, kSpeedNoise);
}

void correct(inout Track track, vec4 box) {
  vec4 by_total = 1.0 / (track.box_variance + max(variance_of(track.box, kPlaceNoise), 1e-12));
  vec4 gain = track.box_variance * by_total, speed_gain = track.covariance * by_total;
  vec4 difference = box - track.box;
  track.box += gain * difference;
  track.speed += speed_gain * difference;
  track.speed_variance -= speed_gain * track.covariance;
  track.covariance -= gain * track.covariance;
  track.box_variance -= gain * track.box_variance;
}

Track begun(int id, int class_id, vec4 box) {
  return Track(box, vec4(0.0), variance_of(box, 2.0 * kPlaceNoise), vec4(0.0), variance_of(box, 10.0 * kSpeedNoise), id,
               class_id, 0.0, 0.0);
}

// Assigns the detections of a kind to the tracks that want one, by overlap: those with the largest sum of overlaps above
// the least one. In an auction, each track bids for the detection that is worth most to it at the current prices, by as
// much as that exceeds the second best one. Returns the detection of this track; -1: none.
int assigned(int lane, bool wants, Track track, int kind, float least) {
  int count = clamp(found.detections_count, 0, kMaxDetections);
  vec4 box = corners_of(track.box);
  int mine = -1;
  barrier();
  if (lane < kMaxDetections) s_price[lane] = 0.0;
  for (int n = 0; n < kRounds; ++n) {
    if (lane < kMaxDetections) s_bid[lane] = 0u;
    if (lane == 0) s_bids = 0u;
    barrier();
    int best = -1;
    float most = 0.0, second = 0.0;  // without a detection
    for (int d = 0; d < count && wants && mine < 0; ++d) {
      if (s_kind[d] != kind || s_class[d] != track.class_id) continue;
      float value = overlap(box, s_box[d]) - least - s_price[d];
      second = max(second, min(value, most));
      if (value > most) {
        most = value;
        best = d;
      }
    }
    if (best >= 0) {
      float price = s_price[best] + most - second + kStep;
      atomicMax(s_bid[best], uint(price * kBidUnit) * uint(kMaxTracks) + uint(kMaxTracks - 1 - lane));
      atomicMax(s_bids, 1u);
    }
    barrier();
    if (s_bids == 0u) break;
    if (lane < kMaxDetections && s_bid[lane] != 0u) {
      s_track[lane] = kMaxTracks - 1 - int(s_bid[lane] % uint(kMaxTracks));
      s_price[lane] = float(s_bid[lane] / uint(kMaxTracks)) / kBidUnit;
    }
    barrier();
    if (mine < 0) mine = best;
    if (mine >= 0 && s_track[mine] != lane) mine = -1;
    barrier();
  }
  return mine;
}

// Sure detections without a track begin one: in an unused place, or in that of the track that was lost first. Numbers
// the results.
void begin_tracks() {
  s_count = 0;
  int next = 0;
  for (int d = 0; d < clamp(found.detections_count, 0, kMaxDetections); ++d) {
    s_place[d] = -1;
    if (s_track[d] < 0 && s_kind[d] == kSure) {
      while (next < kMaxTracks && s_lost[next] >= 0.0) ++next;
      int place = next;
      if (next == kMaxTracks) {
        float longest = 0.0;
        place = -1;
        for (int t = 0; t < kMaxTracks; ++t) {
          if (s_lost[t] <= longest) continue;
          longest = s_lost[t];
          place = t;
        }
      }
      if (place < 0) continue;
      s_lost[place] = 0.0;
      s_began[place] = d;
      s_id[place] = ++last_id;
      s_track[d] = place;
    }
    if (s_track[d] >= 0 && s_count < u_counts.x) s_place[d] = s_count++;
  }
  told.detections_count = s_count;
  told.detections_in_pixels = found.detections_in_pixels;
}

void main() {
  int lane = int(gl_LocalInvocationIndex);
  float seconds = u_limits.x;
  Track track = tracks[lane];
  bool is_used = track.id != 0 && seconds >= 0.0 && track.lost <= kLostSeconds;
  bool was_found = is_used && track.lost == 0.0;
  if (is_used) predict(track, seconds);
  if (lane < kMaxDetections) {
    vec4 box = found.detections[lane].box;
    float score = found.detections[lane].score;
    bool is_there = lane < found.detections_count && box.z > box.x && box.w > box.y;  // false for NaN
    s_box[lane] = box;
    s_class[lane] = found.detections[lane].class_id;
    s_kind[lane] = is_there && score >= u_limits.y ? kSure : is_there && score >= kUnsureScore ? kUnsure : 0;
    s_track[lane] = -1;
  }
  int mine = assigned(lane, is_used, track, kSure, kSureOverlap);
  int unsure = assigned(lane, was_found && mine < 0, track, kUnsure, kUnsureOverlap);
  if (mine < 0) mine = unsure;
  if (mine >= 0) {
    correct(track, center_and_size(s_box[mine]));
    track.lost = 0.0;
  } else if (is_used) {
    track.lost += max(seconds, 1e-6);
  } else {
    track.id = 0;
  }
  s_began[lane] = -1;
  s_lost[lane] = track.id == 0 ? -1.0 : track.lost;
  s_id[lane] = track.id;
  barrier();
  if (lane == 0) begin_tracks();
  memoryBarrierBuffer();
  barrier();
  int begins = s_began[lane];
  if (begins >= 0) track = begun(s_id[lane], s_class[begins], center_and_size(s_box[begins]));
  tracks[lane] = track;
  int place = lane < clamp(found.detections_count, 0, kMaxDetections) ? s_place[lane] : -1;
  if (place < 0) return;
  told.detections[place] = found.detections[lane];
  told.detections[place].id = s_id[s_track[lane]];
}
