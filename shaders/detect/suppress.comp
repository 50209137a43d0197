// Non-maximum suppression of the boxes of a single-shot detector: keeps the best box, then the best of those that do
// not overlap it, and so on; the first of equals wins. With weighted suppression, a result is the average of the best
// box and all that overlap it, weighted by their scores. One work group; the order of every sum is fixed.
//   YOLO   boxes come from detect/yolo_boxes.comp; only those of the same class overlap
//   ROTATED   with YOLO: boxes are rotated
#include "detect/detections.glsl"
#include "detect/ssd_block.glsl"
#include "detect/ssd_decoder.h"
#include "detect/yolo_decoder.h"
#ifdef ROTATED
#include "detect/rotated.glsl"
#define Box Rotated
#else
#define Box vec4
#endif

#define LANES 128
layout(local_size_x = LANES) in;

#ifdef YOLO
layout(std430, binding = 0) readonly buffer Boxes { Box b_boxes[]; };
layout(std430, binding = 1) readonly buffer Best { vec2 b_best[]; };
layout(std430, binding = 2) buffer Largest { uint b_largest; };
#else
layout(std430, binding = 0) readonly buffer Boxes { float b_boxes[]; };
layout(std430, binding = 1) readonly buffer Best { vec2 b_best[]; };
layout(std430, binding = 2) readonly buffer Anchors { vec4 b_anchors[]; };  // center, size
#endif
layout(std430, binding = 3) writeonly buffer Results { DETECTIONS; };

const int kWords = kMostBoxes / 32;
#ifndef YOLO
const int kPairs = kMaxDetectionPoints / 2;  // points are summed in pairs
#endif

shared uint s_running[kWords];  // one bit per box; a lane handles words LANES apart
#ifndef YOLO
shared vec4 s_sums[LANES];
#endif
shared float s_score[LANES];
shared int s_box[LANES];

#ifdef ROTATED
vec4 to_pixels = vec4(1.0);  // of the model input; set before use

Box box_at(int n) {
  Box box = b_boxes[n];
  box.box *= to_pixels;
  return box;
}
bool is_box(Box box) { return box.box.z > 0.0; }
#elif defined(YOLO)
vec4 box_at(int n) { return b_boxes[n]; }
bool is_box(vec4 box) { return box.z > box.x && box.w > box.y && all(lessThan(abs(box), vec4(kFarthest))); }
#endif
#ifdef YOLO
bool are_alike(int n, int other) { return b_best[n].y == b_best[other].y; }
#else
vec2 in_order(vec2 v) { return u_layout.z != 0 ? v.yx : v; }

// Minimum x and y, maximum x and y, in fractions of the model input.
vec4 box_at(int n) {
  int at = n * u_boxes.y;
  vec4 anchor = b_anchors[n];
  vec2 middle = in_order(vec2(b_boxes[at], b_boxes[at + 1])) / u_scales.xy * anchor.zw + anchor.xy;
  vec2 size = in_order(vec2(b_boxes[at + 2], b_boxes[at + 3])) / u_scales.zw;
  size = (u_layout.y != 0 ? exp(size) : size) * anchor.zw;
  return vec4(middle - 0.5 * size, middle + 0.5 * size);
}

vec2 point_at(int n, int point) {
  if (point >= u_boxes.z) return vec2(0.0);
  int at = n * u_boxes.y + u_layout.x + point * u_boxes.w;
  vec4 anchor = b_anchors[n];
  return in_order(vec2(b_boxes[at], b_boxes[at + 1])) / u_scales.xy * anchor.zw + anchor.xy;
}

bool is_box(vec4 box) { return box.z > box.x && box.w > box.y; }  // false for NaN
bool are_alike(int n, int other) { return true; }
#endif

#ifdef ROTATED
float overlap(Rotated a, Rotated b) { return prob_iou(a, b); }
#else
float overlap(vec4 a, vec4 b) {
  vec2 size_a = a.zw - a.xy, size_b = b.zw - b.xy;
  vec2 common_size = max(min(a.zw, b.zw) - max(a.xy, b.xy), 0.0);
  float common_area = common_size.x * common_size.y;
  float whole = size_a.x * size_a.y + size_b.x * size_b.y - common_area;
  return whole > 0.0 ? common_area / whole : 0.0;
}
#endif

vec2 to_frame(vec2 at) { return vec2(dot(u_place[0].xyz, vec3(at, 1.0)), dot(u_place[1].xyz, vec3(at, 1.0))); }

#ifndef YOLO
// Returns the sum over all lanes to every lane.
vec4 sum_of_lanes(int lane, vec4 v) {
  s_sums[lane] = v;
  barrier();
  for (int step = LANES / 2; step > 0; step /= 2) {
    if (lane < step) s_sums[lane] += s_sums[lane + step];
    barrier();
  }
  vec4 sum = s_sums[0];
  barrier();
  return sum;
}
#endif

// Returns the best remaining box to every lane; -1 if there is none.
int best_running(int lane) {
  float best = 0.0;
  int best_box = -1;
  int words = (u_boxes.x + 31) / 32;
  for (int w = lane; w < words; w += LANES) {
    for (uint left = s_running[w]; left != 0u; left &= left - 1u) {
      int n = 32 * w + findLSB(left);
      float score = b_best[n].x;
      if (best_box < 0 || score > best) {
        best = score;
        best_box = n;
      }
    }
  }
  s_score[lane] = best;
  s_box[lane] = best_box;
  barrier();
  for (int step = LANES / 2; step > 0; step /= 2) {
    if (lane < step) {
      int other = s_box[lane + step];
      bool better = s_box[lane] < 0 || s_score[lane + step] > s_score[lane] ||
                    (s_score[lane + step] == s_score[lane] && other < s_box[lane]);
      if (other >= 0 && better) {
        s_score[lane] = s_score[lane + step];
        s_box[lane] = other;
      }
    }
    barrier();
  }
  int winner = s_box[0];
  barrier();
  return winner;
}

void main() {
  int lane = int(gl_LocalInvocationID.x);
  int words = (u_boxes.x + 31) / 32;
#ifdef YOLO
  bool in_pixels = uintBitsToFloat(b_largest) > kLargestFraction;
  memoryBarrierBuffer();  // the first lane resets it, after a barrier
#endif
#ifdef ROTATED
  to_pixels = in_pixels ? vec4(1.0) : u_scales.xyxy;
#elif defined(YOLO)
  vec4 unit = in_pixels ? 1.0 / u_scales.xyxy : vec4(1.0);
#endif
  for (int w = lane; w < words; w += LANES) {
    uint bits = 0u;
    int last = min(u_boxes.x - 32 * w, 32);
    for (int b = 0; b < last; ++b) {
      if (b_best[32 * w + b].x >= u_limits.x && is_box(box_at(32 * w + b))) bits |= 1u << uint(b);
    }
    s_running[w] = bits;
  }

  int count = 0;
  for (int winner = best_running(lane); winner >= 0 && count < u_classes.w; winner = best_running(lane)) {
    Box winning = box_at(winner);
#ifndef YOLO
    vec4 box_sum = vec4(0.0);
    vec4 point_sums[kPairs];
    for (int i = 0; i < kPairs; ++i) point_sums[i] = vec4(0.0);
    float weight = 0.0;
#endif
    for (int w = lane; w < words; w += LANES) {
      uint bits = s_running[w];
      for (uint left = bits; left != 0u; left &= left - 1u) {
        int b = findLSB(left), n = 32 * w + b;
        Box box = box_at(n);
        if (n != winner && !(are_alike(n, winner) && overlap(winning, box) > u_limits.y)) continue;
        bits &= ~(1u << uint(b));
#ifndef YOLO
        if (n != winner && u_layout.w == 0) continue;
        // With a threshold of 0, scores may be 0, but a mean needs weights.
        float score = max(b_best[n].x, 1e-9);
        weight += score;
        box_sum += score * box;
        for (int i = 0; i < kPairs; ++i) {
          point_sums[i] += score * vec4(point_at(n, 2 * i), point_at(n, 2 * i + 1));
        }
#endif
      }
      s_running[w] = bits;
    }
#ifdef YOLO
    barrier();  // all lanes have used the winner: drivers may read it again
#ifdef ROTATED
    vec2 across = 0.5 * winning.box.z * winning.turn.xy, down = 0.5 * winning.box.w * vec2(-winning.turn.y, winning.turn.x);
    vec2 scale = 1.0 / u_scales.xy, middle = winning.box.xy;
#else
    vec4 box = winning * unit;
#endif
#else
    float weights = sum_of_lanes(lane, vec4(weight)).x;
    vec4 box = sum_of_lanes(lane, box_sum) / weights;
    for (int i = 0; i < kPairs; ++i) {
      if (2 * i >= u_boxes.z) break;
      point_sums[i] = sum_of_lanes(lane, point_sums[i]) / weights;
    }
#endif
    if (lane == 0) {
#ifdef ROTATED
      vec2 a = to_frame((middle - across - down) * scale), b = to_frame((middle + across - down) * scale);
      vec2 c = to_frame((middle + across + down) * scale), d = to_frame((middle - across + down) * scale);
      detections[count].corners_count = 4;
      detections[count].points[0] = a;
      detections[count].points[1] = b;
      detections[count].points[2] = c;
      detections[count].points[3] = d;
#else
      vec2 a = to_frame(box.xy), b = to_frame(box.zw), c = to_frame(box.xw), d = to_frame(box.zy);
#endif
      detections[count].box = vec4(min(min(a, b), min(c, d)), max(max(a, b), max(c, d)));
      detections[count].score = b_best[winner].x;
      detections[count].class_id = int(b_best[winner].y);
      detections[count].points_count = u_boxes.z;
      detections[count].row = winner;
#ifndef YOLO
      for (int i = 0; i < u_boxes.z; ++i) {
        vec4 pair = point_sums[i / 2];
        detections[count].points[i] = to_frame(i % 2 == 0 ? pair.xy : pair.zw);
      }
#endif
    }
    ++count;
  }
  if (lane != 0) return;
  detections_count = count;
#ifdef YOLO
  detections_in_pixels = in_pixels ? 1 : 0;
  b_largest = 0u;  // for the next frame
#else
  detections_in_pixels = 0;
#endif
}
